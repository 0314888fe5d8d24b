package str

import (
	"slices"

	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// encodingFunctions turn texts into bytes of other encodings, and into other forms of
// Unicode.
var encodingFunctions = []fmgr.Function{
	{Name: "ontosql_convert_from", Args: []fmgr.Kind{fmgr.Bytes, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		e, err := encodingOf(a[1].Text, "source")
		if err != nil {
			return fmgr.Null, err
		}
		s, err := e.DecodeString(a[0].Text)
		return fmgr.TextValue(s), err
	})},
	{Name: "ontosql_convert_to", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Bytes, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		e, err := encodingOf(a[1].Text, "destination")
		if err != nil {
			return fmgr.Null, err
		}
		s, err := e.EncodeString(a[0].Text)
		return fmgr.TextValue(s), err
	})},
	{Name: "ontosql_convert", Args: []fmgr.Kind{fmgr.Bytes, fmgr.Text, fmgr.Text}, Result: fmgr.Bytes, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return convert(a[0].Text, a[1].Text, a[2].Text)
	})},
	{Name: "ontosql_encoding_name", Args: []fmgr.Kind{fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if n := a[0].Int; n >= 0 && n < int64(len(charset.Names)) {
			return fmgr.TextValue(charset.Names[n]), nil
		}
		return fmgr.TextValue(""), nil
	})},
	{Name: "ontosql_encoding_number", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		name, _, _ := charset.Find(a[0].Text)
		return fmgr.IntValue(slices.Index(charset.Names, name)), nil
	})},
	{Name: "ontosql_normalize", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		f, err := normalForm(a[1].Text)
		if err != nil {
			return fmgr.Null, err
		}
		return fmgr.TextValue(f.of(a[0].Text)), nil
	})},
	{Name: "ontosql_is_normalized", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		f, err := normalForm(a[1].Text)
		if err != nil {
			return fmgr.Null, err
		}
		return fmgr.BoolValue(f.of(a[0].Text) == a[0].Text), nil
	})},
}

// cyrillic are the encodings that PostgreSQL converts into each other.
var cyrillic = []string{"KOI8R", "WIN1251", "WIN866", "ISO_8859_5"}

// converts reports whether PostgreSQL has a conversion between two encodings
// (pg_conversion) of those that are translated here.
func converts(from, to string) bool {
	central := []string{"LATIN2", "WIN1250"}
	return from == to || from == "UTF8" || to == "UTF8" ||
		slices.Contains(cyrillic, from) && slices.Contains(cyrillic, to) || slices.Contains(central, from) && slices.Contains(central, to)
}

// convert turns bytes of one encoding into those of another. SQL_ASCII are bytes of any.
func convert(raw, source, destination string) (fmgr.Value, error) {
	from, err := encodingOf(source, "source")
	if err != nil {
		return fmgr.Null, err
	}
	to, err := encodingOf(destination, "destination")
	if err != nil {
		return fmgr.Null, err
	}
	fromName, _, _ := charset.Find(source)
	toName, _, _ := charset.Find(destination)
	if fromName == "SQL_ASCII" {
		if to == nil {
			return fmgr.TextValue(raw), nil
		}
		_, err := to.DecodeString(raw)
		return fmgr.TextValue(raw), err
	}
	s, err := from.DecodeString(raw)
	switch {
	case err != nil:
		return fmgr.Null, err
	case toName == "SQL_ASCII":
		return fmgr.TextValue(raw), nil
	case !converts(fromName, toName):
		return fmgr.Null, pgerr.New(pgerr.UndefinedFunction, "default conversion function for encoding %q to %q does not exist", fromName, toName)
	}
	s, err = to.EncodeString(s)
	return fmgr.TextValue(s), err
}

// encodingOf finds an encoding by name, nil for UTF8. side says in an error which of
// two it is.
func encodingOf(name, side string) (*charset.Encoding, error) {
	known, e, translated := charset.Find(name)
	switch {
	case known == "":
		return nil, fmgr.InvalidParameter("invalid %s encoding name %q", side, name)
	case !translated:
		return nil, pgerr.Unsupported("encoding %q is not supported", name)
	}
	return e, nil
}
