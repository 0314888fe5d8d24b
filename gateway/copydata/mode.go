package copydata

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Mode is what COPY FROM does with the rows of a type that exist. It is an option of ours.
type Mode string

// The modes.
const (
	NoMode    Mode = ""          // what ontosql.on_conflict says
	Append    Mode = "append"    // a row that exists is an error
	Merge     Mode = "merge"     // a row that exists is updated
	Overwrite Mode = "overwrite" // Merge, and a row that the data lacks is an error
)

// Mode is the option MODE.
func (o *Options) Mode() Mode { return o.mode }

// KeepsMissing reports whether KEEP_MISSING is on: rows that the data lacks stay as they are.
func (o *Options) KeepsMissing() bool { return o.keepMissing != nil && *o.keepMissing }

func (o *Options) modeOf(opt *syntax.CopyOption) error {
	if !opt.Given {
		return pgerr.New(pgerr.SyntaxError, "%s requires a parameter", opt.Name)
	}
	switch o.mode = Mode(strings.ToLower(opt.Value)); o.mode {
	case Append, Merge, Overwrite:
		return nil
	}
	return pgerr.New(pgerr.InvalidParameterValue, "COPY mode %q not recognized", opt.Value).At(opt.Position).
		WithHint("Modes are append, merge and overwrite.")
}

// checkMode checks the options MODE and KEEP_MISSING.
func (o *Options) checkMode() error {
	switch {
	case o.mode != NoMode && !o.from:
		return pgerr.Unsupported("COPY mode only available using COPY FROM")
	case o.keepMissing != nil && o.mode != Overwrite:
		return pgerr.Unsupported("COPY keep_missing only available in mode overwrite")
	}
	return nil
}

// RefuseMode is the error of MODE for a table that is no type.
func (o *Options) RefuseMode() error {
	if o.mode == NoMode {
		return nil
	}
	return pgerr.Unsupported("COPY mode is for types of the ontology").
		WithHint("Rows of other tables can be deleted: TRUNCATE or DELETE, then COPY.")
}
