package rowjson

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
)

// Value is value i of a vector as fields_json has it.
func Value(v *column.Vector, i int, c *catalog.Column) (format.Value, error) {
	if v.IsNull(i) {
		return format.Null(), nil
	}
	if c.Type.Kind == column.Wide {
		return format.String(string(column.AppendWide(nil, v.Str[i], 0))), nil
	}
	text, err := "", error(nil)
	switch v.Type.Kind {
	case column.Bool:
		return format.Bool(v.Bool[i]), nil
	case column.Int64:
		return format.Int(v.I64[i]), nil
	case column.Float64:
		return format.Float(v.F64[i]), nil
	case column.JSON:
		return jsonValue(v.Str[i])
	case column.Text:
		return textValue(v.Str[i])
	case column.Bytes:
		if len(v.Str[i]) > ontosql.MaxValueSize {
			return format.Value{}, tooLong(len(v.Str[i]))
		}
		text = format.FormatBytes(v.Str[i])
	case column.Numeric:
		text, err = format.FormatDecimal(string(v.I128[i].AppendDecimal(nil, int(v.Type.Scale), int(v.Type.Scale))))
	case column.UUID:
		text = format.FormatUUID(v.I128[i].Bytes())
	case column.Date:
		text, err = format.FormatDate(v.I32[i])
	case column.TimestampTZ:
		text, err = format.FormatDatetime(v.I64[i])
	default:
		return format.Value{}, fmt.Errorf("column %q has no stored form for %s", c.Name, v.Type)
	}
	if errors.Is(err, format.ErrOutOfRange) {
		return format.Value{}, valueOutOfRange(c)
	}
	return format.String(text), err
}

func valueOutOfRange(c *catalog.Column) error {
	name := pgcatalog.TypeName(c.Type)
	if c.Type.Kind == column.Numeric {
		return pgerr.New(pgerr.NumericValueOutOfRange, "numeric field overflow").
			WithDetail("A number has %d digits at most before the point and %d behind it.", 38-format.DecimalScale, format.DecimalScale)
	}
	return pgerr.New(pgerr.DatetimeFieldOverflow, "%s out of range", name).
		WithDetail("The years 1 to 9999 can be stored.")
}

func tooLong(size int) error {
	return pgerr.New(pgerr.ProgramLimitExceeded, "value of %d bytes is too long", size).
		WithDetail("A value has %d bytes at most.", ontosql.MaxValueSize)
}

func textValue(s []byte) (format.Value, error) {
	switch {
	case len(s) > ontosql.MaxValueSize:
		return format.Value{}, tooLong(len(s))
	case !utf8.Valid(s):
		return format.Value{}, pgerr.New(pgerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8"`)
	case bytes.IndexByte(s, 0) >= 0:
		return format.Value{}, pgerr.New(pgerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x00`)
	}
	return format.String(string(s)), nil
}

// jsonValue reads a jsonb value. JSON null is stored as the field's null; SQL reads both as
// NULL.
func jsonValue(text []byte) (format.Value, error) {
	if len(text) > ontosql.MaxValueSize {
		return format.Value{}, tooLong(len(text))
	}
	v, err := format.ParseJSON(text)
	var syntax *format.SyntaxError
	if errors.As(err, &syntax) && syntax.TooDeep {
		return format.Value{}, pgerr.New(pgerr.StatementTooComplex, "json value is nested too deep")
	}
	if err != nil {
		return format.Value{}, pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type json").WithDetail("%v.", err)
	}
	return v, plainJSON(v)
}

// plainJSON is the error of a value that Python's JSON has and jsonb does not.
func plainJSON(v format.Value) error {
	bad := func(detail string) error {
		return pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type json").WithDetail("%s", detail)
	}
	text := func(s string) error {
		switch {
		case !utf8.ValidString(s):
			return bad("Unicode low surrogate must follow a high surrogate.")
		case strings.IndexByte(s, 0) >= 0:
			return pgerr.New(pgerr.UntranslatableCharacter, "unsupported Unicode escape sequence").WithDetail(`\u0000 cannot be converted to text.`)
		}
		return nil
	}
	switch v.Kind() {
	case format.JSONInt:
		if _, ok := v.Int64(); !ok {
			return pgerr.New(pgerr.NumericValueOutOfRange, "integer out of range").WithDetail("An integer within jsonb has 64 bits at most.")
		}
	case format.JSONFloat:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return bad("NaN, Infinity and numbers beyond double precision are no JSON numbers here.")
		}
	case format.JSONString:
		return text(v.Text())
	}
	for name, member := range v.Members() {
		if err := text(name); err != nil {
			return err
		}
		if err := plainJSON(member); err != nil {
			return err
		}
	}
	for _, item := range v.Items() {
		if err := plainJSON(item); err != nil {
			return err
		}
	}
	return nil
}

// invalidText is PostgreSQL's error of a text that is not a value of a type.
func invalidText(typ, s string) error {
	return pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type %s: %q", typ, s)
}

// Key is a row's key as DETAIL shows it: Key (id)=(c1).
func Key(t *catalog.Type, r *format.Row) string {
	var names, texts []string
	for _, k := range t.Key {
		c := t.Columns[k]
		names = append(names, c.Name)
		texts = append(texts, *keyPart(r, c.Role))
	}
	return fmt.Sprintf("Key (%s)=(%s)", strings.Join(names, ", "), strings.Join(texts, ", "))
}
