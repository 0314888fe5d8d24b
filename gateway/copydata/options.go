package copydata

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// Options are the options of a COPY. An option that is not given is nil or empty.
type Options struct {
	from                                bool
	kind                                wire.CopyKind
	formatted                           bool
	freeze                              *bool
	delimiter, null                     *string
	quote, escape                       *string
	header                              *wire.CopyHeader
	forceAll                            bool // FORCE_QUOTE *
	forceQuote, forceNotNull, forceNull []string
	encoded                             bool
	encoding                            *charset.Encoding
	mode                                Mode
	keepMissing                         *bool
}

// ReadOptions reads the options with PostgreSQL's checks, in its order
// (ProcessCopyOptions).
func ReadOptions(st *syntax.CopyOptions) (*Options, error) {
	o := &Options{from: st.From}
	for i := range st.Options {
		opt := &st.Options[i]
		if err := o.read(opt); err != nil {
			return nil, err
		}
	}
	return o, o.check()
}

func (o *Options) read(opt *syntax.CopyOption) (err error) {
	switch opt.Name {
	case "format":
		again := o.formatted
		o.formatted = true
		return first(opt, !again, func() error { return o.format(opt) })
	case "freeze":
		return first(opt, o.freeze == nil, func() error {
			on, err := boolean(opt)
			o.freeze = &on
			return err
		})
	case "delimiter":
		return o.text(opt, &o.delimiter)
	case "null":
		return o.text(opt, &o.null)
	case "quote":
		return o.text(opt, &o.quote)
	case "escape":
		return o.text(opt, &o.escape)
	case "header":
		return first(opt, o.header == nil, func() error {
			o.header, err = o.headerOf(opt)
			return err
		})
	case "force_quote":
		return first(opt, o.forceQuote == nil && !o.forceAll, func() error {
			if o.forceAll = opt.All; opt.All {
				return nil
			}
			return names(opt, &o.forceQuote)
		})
	case "force_not_null":
		return first(opt, o.forceNotNull == nil, func() error { return names(opt, &o.forceNotNull) })
	case "force_null":
		return first(opt, o.forceNull == nil, func() error { return names(opt, &o.forceNull) })
	case "mode":
		return first(opt, o.mode == "", func() error { return o.modeOf(opt) })
	case "keep_missing":
		return first(opt, o.keepMissing == nil, func() error {
			on, err := boolean(opt)
			o.keepMissing = &on
			return err
		})
	case "encoding":
		return first(opt, !o.encoded, func() error {
			o.encoded = true
			o.encoding, err = encodingOf(opt)
			return err
		})
	}
	return pgerr.New(pgerr.SyntaxError, "option %q not recognized", opt.Name).At(opt.Position)
}

// first reads an option, or returns the error of one that is given twice.
func first(opt *syntax.CopyOption, isFirst bool, read func() error) error {
	if !isFirst {
		return pgerr.New(pgerr.SyntaxError, "conflicting or redundant options").At(opt.Position)
	}
	return read()
}

func (o *Options) text(opt *syntax.CopyOption, to **string) error {
	return first(opt, *to == nil, func() error {
		if !opt.Given {
			return pgerr.New(pgerr.SyntaxError, "%s requires a parameter", opt.Name)
		}
		*to = &opt.Value
		return nil
	})
}

func (o *Options) format(opt *syntax.CopyOption) error {
	switch {
	case !opt.Given:
		return pgerr.New(pgerr.SyntaxError, "%s requires a parameter", opt.Name)
	case opt.Value == "text":
	case opt.Value == "csv":
		o.kind = wire.CopyCSV
	case opt.Value == "binary":
		o.kind = wire.CopyBinary
	default:
		return pgerr.New(pgerr.InvalidParameterValue, "COPY format %q not recognized", opt.Value).At(opt.Position)
	}
	return nil
}

func boolean(opt *syntax.CopyOption) (bool, error) {
	if !opt.Given {
		return true, nil
	}
	switch strings.ToLower(opt.Value) {
	case "true", "on", "1":
		return true, nil
	case "false", "off", "0":
		return false, nil
	}
	return false, pgerr.New(pgerr.SyntaxError, "%s requires a Boolean value", opt.Name)
}

func (o *Options) headerOf(opt *syntax.CopyOption) (*wire.CopyHeader, error) {
	header := wire.NoHeader
	if opt.Given && strings.EqualFold(opt.Value, "match") {
		if !o.from {
			return nil, pgerr.Unsupported("cannot use %q with HEADER in COPY TO", opt.Value)
		}
		header = wire.HeaderMatch
		return &header, nil
	}
	on, err := boolean(opt)
	if err != nil {
		return nil, pgerr.New(pgerr.SyntaxError, "%s requires a Boolean value or \"match\"", opt.Name)
	}
	if on {
		header = wire.Header
	}
	return &header, nil
}

func names(opt *syntax.CopyOption, to *[]string) error {
	if len(opt.Columns) == 0 {
		return pgerr.New(pgerr.InvalidParameterValue, "argument to option %q must be a list of column names", opt.Name).At(opt.Position)
	}
	*to = opt.Columns
	return nil
}

// encodingOf reads the encoding of the data.
func encodingOf(opt *syntax.CopyOption) (*charset.Encoding, error) {
	name, encoding, translated := charset.Find(opt.Value)
	switch {
	case !opt.Given:
		return nil, pgerr.New(pgerr.SyntaxError, "%s requires a parameter", opt.Name)
	case name == "":
		return nil, pgerr.New(pgerr.InvalidParameterValue, "argument to option %q must be a valid encoding name", opt.Name).At(opt.Position)
	case !translated:
		return nil, pgerr.Unsupported("COPY in the encoding %s is not supported", name).At(opt.Position)
	}
	return encoding, nil
}

// Copy is the COPY of some columns for the protocol. relation is the table and all its
// columns; relation is "" for a query. The data is in the encoding of the option, else in
// the client's; binary data ignores the option.
func (o *Options) Copy(relation string, all []column.Named, columns []wire.Column, client *charset.Encoding) (c wire.Copy, err error) {
	c = wire.Copy{
		Relation: relation, Columns: columns, Kind: o.kind, Header: *o.header, Delimiter: (*o.delimiter)[0], Null: *o.null,
	}
	if c.Encoding = client; o.encoded && o.kind != wire.CopyBinary {
		c.Encoding = o.encoding
	}
	if o.kind == wire.CopyCSV {
		c.Quote, c.Escape = (*o.quote)[0], (*o.escape)[0]
	}
	flags := func(option string, given []string) []bool {
		if given == nil || err != nil {
			return nil
		}
		out := make([]bool, len(columns))
		missing := ""
		err = EachColumn(relation, all, nil, given, func(name string) error {
			if i := slices.IndexFunc(columns, func(c wire.Column) bool { return c.Name == name }); i >= 0 {
				out[i] = true
			} else if missing == "" {
				missing = name
			}
			return nil
		})
		if err == nil && missing != "" {
			err = pgerr.New(pgerr.InvalidColumnReference, "%s column \"%s\" not referenced by COPY", option, missing)
		}
		return out
	}
	c.ForceQuote = flags("FORCE_QUOTE", o.forceQuote)
	c.ForceNotNull = flags("FORCE_NOT_NULL", o.forceNotNull)
	c.ForceNull = flags("FORCE_NULL", o.forceNull)
	if o.forceAll {
		c.ForceQuote = slices.Repeat([]bool{true}, len(columns))
	}
	return c, err
}

// EachColumn calls yield for each name in a list of a relation's columns, or for all columns that
// are not generated if the list is empty (CopyGetAttnums).
func EachColumn(relation string, all []column.Named, generated map[string]string, list []string, yield func(name string) error) error {
	if len(list) == 0 {
		for _, c := range all {
			if generated[c.Name] == "" {
				list = append(list, c.Name)
			}
		}
	}
	for k, name := range list {
		if !slices.ContainsFunc(all, func(c column.Named) bool { return c.Name == name }) {
			where := ""
			if relation != "" {
				where = fmt.Sprintf(" of relation %q", relation)
			}
			return pgerr.New(pgerr.UndefinedColumn, "column %q%s does not exist", name, where)
		}
		if generated[name] != "" {
			return pgerr.New(pgerr.InvalidColumnReference, "column %q is a generated column", name).WithDetail("Generated columns cannot be used in COPY.")
		}
		if slices.Contains(list[:k], name) {
			return pgerr.New("42701", "column %q specified more than once", name)
		}
		if err := yield(name); err != nil {
			return err
		}
	}
	return nil
}
