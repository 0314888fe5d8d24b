package pgfunc

import (
	"slices"

	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/pgerr"
)

// encodingFunctions turn texts into bytes of other encodings, and into other forms of
// Unicode.
var encodingFunctions = []Function{
	{Name: "ontosql_convert_from", Args: []Kind{Bytes, Text}, Result: Text, New: plain(func(a []Value) (Value, error) {
		e, err := encodingOf(a[1].Text, "source")
		if err != nil {
			return null, err
		}
		s, err := e.DecodeString(a[0].Text)
		return text(s), err
	})},
	{Name: "ontosql_convert_to", Args: []Kind{Text, Text}, Result: Bytes, New: plain(func(a []Value) (Value, error) {
		e, err := encodingOf(a[1].Text, "destination")
		if err != nil {
			return null, err
		}
		s, err := e.EncodeString(a[0].Text)
		return text(s), err
	})},
	{Name: "ontosql_convert", Args: []Kind{Bytes, Text, Text}, Result: Bytes, New: plain(func(a []Value) (Value, error) {
		return convert(a[0].Text, a[1].Text, a[2].Text)
	})},
	{Name: "ontosql_encoding_name", Args: []Kind{Int}, Result: Text, New: plain(func(a []Value) (Value, error) {
		if n := a[0].Int; n >= 0 && n < int64(len(charset.Names)) {
			return text(charset.Names[n]), nil
		}
		return text(""), nil
	})},
	{Name: "ontosql_encoding_number", Args: []Kind{Text}, Result: Int, New: plain(func(a []Value) (Value, error) {
		name, _, _ := charset.Find(a[0].Text)
		return integer(slices.Index(charset.Names, name)), nil
	})},
	{Name: "ontosql_normalize", Args: []Kind{Text, Text}, Result: Text, New: plain(func(a []Value) (Value, error) {
		f, err := normalForm(a[1].Text)
		if err != nil {
			return null, err
		}
		return text(f.of(a[0].Text)), nil
	})},
	{Name: "ontosql_is_normalized", Args: []Kind{Text, Text}, Result: Int, New: plain(func(a []Value) (Value, error) {
		f, err := normalForm(a[1].Text)
		if err != nil {
			return null, err
		}
		return truth(f.of(a[0].Text) == a[0].Text), nil
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
func convert(raw, source, destination string) (Value, error) {
	from, err := encodingOf(source, "source")
	if err != nil {
		return null, err
	}
	to, err := encodingOf(destination, "destination")
	if err != nil {
		return null, err
	}
	fromName, _, _ := charset.Find(source)
	toName, _, _ := charset.Find(destination)
	if fromName == "SQL_ASCII" {
		if to == nil {
			return text(raw), nil
		}
		_, err := to.DecodeString(raw)
		return text(raw), err
	}
	s, err := from.DecodeString(raw)
	switch {
	case err != nil:
		return null, err
	case toName == "SQL_ASCII":
		return text(raw), nil
	case !converts(fromName, toName):
		return null, pgerr.New(pgerr.UndefinedFunction, "default conversion function for encoding %q to %q does not exist", fromName, toName)
	}
	s, err = to.EncodeString(s)
	return text(s), err
}

// encodingOf finds an encoding by name, nil for UTF8. side says in an error which of
// two it is.
func encodingOf(name, side string) (*charset.Encoding, error) {
	known, e, translated := charset.Find(name)
	switch {
	case known == "":
		return nil, invalid("invalid %s encoding name %q", side, name)
	case !translated:
		return nil, pgerr.Unsupported("encoding %q is not supported", name)
	}
	return e, nil
}
