package copydata

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// check sets the defaults and returns the error of options that exclude each other.
func (o *Options) check() error {
	csv := o.kind == wire.CopyCSV
	if o.kind == wire.CopyBinary {
		switch {
		case o.delimiter != nil:
			return pgerr.New(pgerr.SyntaxError, "cannot specify DELIMITER in BINARY mode")
		case o.null != nil:
			return pgerr.New(pgerr.SyntaxError, "cannot specify NULL in BINARY mode")
		}
	}
	o.setDefaults(csv)
	delimiter, null := *o.delimiter, *o.null
	invalid := func(format string, args ...any) error {
		return pgerr.New(pgerr.InvalidParameterValue, format, args...)
	}
	switch {
	case len(delimiter) != 1:
		return pgerr.Unsupported("COPY delimiter must be a single one-byte character")
	case strings.ContainsAny(delimiter, "\r\n"):
		return invalid("COPY delimiter cannot be newline or carriage return")
	case strings.ContainsAny(null, "\r\n"):
		return invalid("COPY null representation cannot use newline or carriage return")
	case !csv && strings.Contains(`\.abcdefghijklmnopqrstuvwxyz0123456789`, delimiter):
		return invalid("COPY delimiter cannot be \"%s\"", delimiter)
	case o.kind == wire.CopyBinary && *o.header != wire.NoHeader:
		return pgerr.Unsupported("cannot specify HEADER in BINARY mode")
	case !csv && o.quote != nil:
		return pgerr.Unsupported("COPY quote available only in CSV mode")
	case csv && len(*o.quote) != 1:
		return pgerr.Unsupported("COPY quote must be a single one-byte character")
	case csv && delimiter == *o.quote:
		return invalid("COPY delimiter and quote must be different")
	case !csv && o.escape != nil:
		return pgerr.Unsupported("COPY escape available only in CSV mode")
	case csv && len(*o.escape) != 1:
		return pgerr.Unsupported("COPY escape must be a single one-byte character")
	}
	if err := o.checkForced(csv); err != nil {
		return err
	}
	if err := o.checkMode(); err != nil {
		return err
	}
	switch {
	case strings.Contains(null, delimiter):
		return pgerr.Unsupported("COPY delimiter must not appear in the NULL specification")
	case csv && strings.Contains(null, *o.quote):
		return pgerr.Unsupported("CSV quote character must not appear in the NULL specification")
	}
	return nil
}

// RefuseFreeze is the error of FREEZE for a table that is a type.
func (o *Options) RefuseFreeze() error {
	if o.freeze == nil || !*o.freeze {
		return nil
	}
	return pgerr.Unsupported("COPY FREEZE is not supported").
		WithDetail("Every commit is visible as a whole, and has nothing to freeze.").WithHint("Leave FREEZE out.")
}

func (o *Options) setDefaults(csv bool) {
	set := func(to **string, value string) {
		if *to == nil {
			*to = &value
		}
	}
	if csv {
		set(&o.delimiter, ",")
		set(&o.null, "")
		set(&o.quote, `"`)
		set(&o.escape, *o.quote)
	}
	set(&o.delimiter, "\t")
	set(&o.null, `\N`)
	if o.header == nil {
		o.header = new(wire.CopyHeader)
	}
}

// checkForced checks the options FORCE_QUOTE, FORCE_NOT_NULL and FORCE_NULL.
func (o *Options) checkForced(csv bool) error {
	for _, f := range []struct {
		name        string
		given, from bool
	}{
		{"force quote", o.forceAll || o.forceQuote != nil, false},
		{"force not null", o.forceNotNull != nil, true},
		{"force null", o.forceNull != nil, true},
	} {
		direction := map[bool]string{true: "FROM", false: "TO"}[f.from]
		switch {
		case f.given && !csv:
			return pgerr.Unsupported("COPY %s available only in CSV mode", f.name)
		case f.given && f.from != o.from:
			return pgerr.Unsupported("COPY %s only available using COPY %s", f.name, direction)
		}
	}
	return nil
}
