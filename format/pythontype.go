package format

import "strings"

// FieldType is the type of a field that corresponds to a SQL type.
type FieldType uint8

// The field types. A field of FieldStr, FieldInt, FieldFloat or FieldBool has a Parquet column of
// its own name, any other a native one (decision A57).
const (
	FieldJSON     FieldType = iota // list, dict, TypedDict, union, Any and all types without a FieldType
	FieldStr                       // text
	FieldInt                       // 64-bit integer
	FieldFloat                     // double precision
	FieldBool                      // true or false
	FieldDatetime                  // timestamp with microseconds
	FieldDate                      // date
	FieldDecimal                   // DECIMAL(38,12)
	FieldUUID                      // 16 bytes
	FieldBytes                     // bytes, base64 in JSON
)

// pythonTypes has the texts of each type: as a class, inside a union, and the name in its type_spec
// (COMPAT 1.2).
var pythonTypes = [...]struct {
	t                   FieldType
	class, inside, name string
}{
	{FieldStr, "<class 'str'>", "str", "str"},
	{FieldInt, "<class 'int'>", "int", "int"},
	{FieldFloat, "<class 'float'>", "float", "float"},
	{FieldBool, "<class 'bool'>", "bool", "bool"},
	{FieldDatetime, "<class 'datetime.datetime'>", "datetime.datetime", "datetime"},
	{FieldDate, "<class 'datetime.date'>", "datetime.date", "date"},
	{FieldDecimal, "<class 'decimal.Decimal'>", "decimal.Decimal", "Decimal"},
	{FieldUUID, "<class 'uuid.UUID'>", "uuid.UUID", "UUID"},
	{FieldBytes, "<class 'bytes'>", "bytes", "bytes"},
	{FieldJSON, "typing.Any", "typing.Any", "any"},
}

// ParseSpelling reads the "type" of a schema field: "<class 'str'>", "str | None",
// "typing.Optional[str]" and so on. nullable is true if the type includes None. A spelling that is
// not a single type with or without None is FieldJSON.
func ParseSpelling(spelling string) (t FieldType, nullable bool) {
	for _, s := range pythonTypes {
		if spelling == s.class {
			return s.t, s.t == FieldJSON
		}
	}
	inside := spelling
	if rest, ok := strings.CutPrefix(spelling, "typing.Optional["); ok && strings.HasSuffix(rest, "]") {
		inside, nullable = strings.TrimSuffix(rest, "]"), true
	} else if rest, ok := strings.CutSuffix(spelling, " | None"); ok {
		inside, nullable = rest, true
	} else if rest, ok := strings.CutPrefix(spelling, "None | "); ok {
		inside, nullable = rest, true
	}
	if nullable {
		for _, s := range pythonTypes {
			if inside == s.inside {
				return s.t, true
			}
		}
	}
	return FieldJSON, nullable
}

// Spelling returns the "type" of a schema field: `T`, or `T | None` if nullable. FieldJSON is Any,
// which includes None.
func Spelling(t FieldType, nullable bool) string {
	for _, s := range pythonTypes {
		if s.t != t {
			continue
		}
		if nullable && t != FieldJSON {
			return s.inside + " | None"
		}
		return s.class
	}
	return "typing.Any"
}

// typeSpec returns the "type_spec" that belongs to a Spelling. It is always a primitive, because
// for the original `T | None` is a primitive with the whole text as its name.
func typeSpec(t FieldType, nullable bool) Value {
	name := Spelling(t, nullable)
	for _, s := range pythonTypes {
		if s.t == t && (!nullable || t == FieldJSON) {
			name = s.name
		}
	}
	return Object(Member{"kind", String("primitive")}, Member{"name", String(name)})
}
