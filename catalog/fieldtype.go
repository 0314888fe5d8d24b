package catalog

import (
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// sqlTypes are the SQL types of the field types (PRODUCT "Types").
var sqlTypes = [...]column.Type{
	format.FieldJSON:     {Kind: column.JSON},
	format.FieldStr:      {Kind: column.Text},
	format.FieldInt:      {Kind: column.Int64},
	format.FieldFloat:    {Kind: column.Float64},
	format.FieldBool:     {Kind: column.Bool},
	format.FieldDatetime: {Kind: column.TimestampTZ},
	format.FieldDate:     {Kind: column.Date},
	format.FieldDecimal:  {Kind: column.Numeric, Width: 38, Scale: format.DecimalScale},
	format.FieldUUID:     {Kind: column.UUID},
	format.FieldBytes:    {Kind: column.Bytes},
}

// fieldType is the SQL type of a field and whether its Python type has None.
//
// The spelling decides, and type_spec only where the spelling is a union that
// does not say so in one of the two usual ways: type_spec gives an enum called
// "date" the same primitive as datetime.date, and the spelling does not.
//
// A Literal of nothing but strings is text. An Enum is jsonb, like every type
// whose values a schema does not list: an IntEnum is stored as a number, and
// what SQL showed as the text '1' would be written back as the string "1".
func fieldType(f format.SchemaField) (t column.Type, nullable bool) {
	kind, nullable := format.ParseSpelling(f.Type)
	if kind != format.FieldJSON {
		return sqlTypes[kind], nullable
	}
	if ok, none := stringLiteral(f.Type); ok {
		return sqlTypes[format.FieldStr], none
	}
	if one, none, ok := unionOf(f.TypeSpec); ok {
		return sqlTypes[one], none
	}
	return sqlTypes[format.FieldJSON], nullable
}

// TypeOf is the SQL type of a field that is no key.
func TypeOf(f format.SchemaField) column.Type {
	t, _ := fieldType(f)
	return t
}

// Nullable reports whether a field that is no key may be null.
func Nullable(f format.SchemaField) bool {
	_, nullable := fieldType(f)
	return nullable
}

// primitives are the names that type_spec gives to the types SQL has.
var primitives = map[string]format.FieldType{
	"str": format.FieldStr, "int": format.FieldInt, "float": format.FieldFloat, "bool": format.FieldBool,
	"datetime": format.FieldDatetime, "date": format.FieldDate, "Decimal": format.FieldDecimal,
	"UUID": format.FieldUUID, "bytes": format.FieldBytes,
}

// unionOf reads a type_spec of the kind union: its one member other than NoneType if SQL has a
// type for it, else FieldJSON.
func unionOf(spec []byte) (t format.FieldType, nullable, ok bool) {
	v, err := format.ParseJSON(spec)
	if err != nil {
		return 0, false, false
	}
	if kind, _ := v.Get("kind"); kind.Text() != "union" {
		return 0, false, false
	}
	members, _ := v.Get("members")
	others := 0
	for _, m := range members.Items() {
		kind, _ := m.Get("kind")
		name, _ := m.Get("name")
		if kind.Text() == "primitive" && name.Text() == "NoneType" {
			nullable = true
			continue
		}
		others++
		t = format.FieldJSON
		if kind.Text() == "primitive" {
			t = primitives[name.Text()]
		}
	}
	if others != 1 {
		t = format.FieldJSON
	}
	return t, nullable, true
}

// stringLiteral reports whether a spelling is a Literal of strings, and whether it allows None:
// typing.Literal['a', 'b'], typing.Optional[typing.Literal['a']].
func stringLiteral(spelling string) (ok, nullable bool) {
	if inner, is := strings.CutPrefix(spelling, "typing.Optional["); is && strings.HasSuffix(inner, "]") {
		spelling, nullable = strings.TrimSuffix(inner, "]"), true
	}
	rest, is := strings.CutPrefix(spelling, "typing.Literal[")
	for is && rest != "" {
		if after, none := strings.CutPrefix(rest, "None"); none {
			rest, nullable = after, true
		} else if rest, is = afterQuoted(rest); !is {
			break
		}
		if rest == "]" {
			return true, nullable
		}
		rest, is = strings.CutPrefix(rest, ", ")
	}
	return false, false
}

// afterQuoted is what follows a string as Python's repr writes it.
func afterQuoted(s string) (rest string, ok bool) {
	quote := s[0]
	if quote != '\'' && quote != '"' {
		return "", false
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case quote:
			return s[i+1:], true
		}
	}
	return "", false
}

// keyType is the type of a primary key's column. Identity is the stored text
// (decision A18), Python's str of the value: int, str, UUID and date have one
// text for each value that SQL writes the same way; the others (1e+16, True,
// an enum) are shown as the text they are.
func keyType(f format.SchemaField) column.Type {
	switch t := TypeOf(f); t.Kind {
	case column.Int64, column.UUID, column.Date:
		return t
	}
	return column.Type{Kind: column.Text}
}
