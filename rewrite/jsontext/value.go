package jsontext

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Of is to_json or to_jsonb of an expression (datum_to_json in PostgreSQL's json.c): numbers as
// they are printed, times in ISO 8601, and types that JSON does not have as strings. A jsonb
// within a json keeps its spelling.
func Of(e scope.Expr, to uint32) string {
	if e.Row != nil {
		return Row(e, to, "','")
	}
	switch {
	case e.Printed != "" && e.Type.IsArray():
		return Numbers(e.Printed, e.Type.ExtraDims, "','")
	case e.Printed != "":
		return "CAST(" + e.Printed + " AS JSON)"
	}
	return Value(e.SQL, e.Type, to)
}

// Numbers is the JSON of a list of the texts of numbers, or of such lists if the array
// has extra dimensions. The value of between stands between the elements of the outer list.
func Numbers(texts string, extraDims int, between string) string {
	if extraDims > 0 {
		part := "part" + strconv.Itoa(extraDims)
		texts = "list_transform(" + texts + ", lambda " + part + ": CAST(" + Numbers(part, extraDims-1, "','") + " AS VARCHAR))"
	}
	return enginesql.Macro("json_listed_by") + "(" + texts + ", " + between + ")"
}

// Value is the JSON of a value of a type, in a document of type to (json or jsonb).
func Value(sql string, ty types.Type, to uint32) string {
	elem, isArray := ty.Item()
	switch {
	case types.RowFields(ty) != nil:
		return OfRow(sql, ty, to, "','")
	case types.IsJSON(ty.OID):
		if ty.OID == types.JSONB {
			return casts.Convert(sql, ty, types.Of(to))
		}
		return sql
	case ty.OID == types.WideNumeric:
		return "CAST(" + casts.ToText(sql, ty) + " AS JSON)"
	case ty.OID == types.Numeric:
		return "CAST(" + casts.ToText(sql, types.Type{OID: types.Numeric, Typmod: -1, Numeric: ty.Digits()}) + " AS JSON)"
	case ty.OID == types.Float4 || ty.OID == types.Float8:
		return enginesql.Macro("json_float") + "(" + sql + ", " + casts.ToText(sql, ty) + ")"
	case isArray:
		return List(sql, elem, to, "','")
	case types.IsInteger(ty.OID), ty.OID == types.Bool, types.IsText(ty.OID), ty.OID == types.Unknown:
		return "to_json(" + sql + ")"
	}
	return "to_json(" + Scalar(sql, ty) + ")"
}

// List is the JSON of a list. The value of between stands between its elements.
func List(sql string, elem types.Type, to uint32, between string) string {
	return enginesql.Macro("json_listed_by") + "(list_transform(" + sql + ", lambda part" + strconv.Itoa(elem.ExtraDims) + ": CAST(" + Value("part"+strconv.Itoa(elem.ExtraDims), elem, to) + " AS VARCHAR)), " + between + ")"
}

// Scalar is the text of a scalar as a string or a key of a document. Dates and times are in ISO
// 8601 with a T, under every DateStyle.
func Scalar(sql string, ty types.Type) string {
	text := casts.ToText(sql, ty)
	switch ty.OID {
	case types.Date:
		return enginesql.InDefaultStyle(text)
	case types.Timestamp, types.TimestampTZ:
		return enginesql.Macro("json_moment") + "(" + enginesql.InDefaultStyle(text) + ")"
	}
	return text
}

// Argument is argument i of one of functions.MakesJSON, a key or a value. What is built
// of them is put together as text: the engine would print the numbers anew.
func Argument(function string, i int, e scope.Expr) string {
	switch {
	case strings.HasSuffix(function, "_object_agg") && i == 0:
		return Scalar(e.SQL, e.Type)
	case strings.HasSuffix(function, "_build_object") && i%2 == 0:
		return jsonKey(function, i+1, e)
	case strings.Contains(function, "_build_"):
		return Member(e, MadeBy(function))
	}
	return Of(e, MadeBy(function))
}

// MadeBy is the type of what one of functions.MakesJSON makes.
func MadeBy(function string) uint32 {
	if strings.Contains(function, "jsonb") {
		return types.JSONB
	}
	return types.JSON
}

// Member is the text of a value within a document of a type.
func Member(e scope.Expr, to uint32) string {
	return "coalesce(CAST(" + Of(e, to) + " AS VARCHAR), 'null')"
}

// KeyMacro is what makes a key of json_build_object or jsonb_build_object of a text.
func KeyMacro(function string) string {
	if MadeBy(function) == types.JSONB {
		return "jsonb_key_text"
	}
	return "json_key_text"
}

// jsonKey is the text of the key that is argument n of json_build_object.
func jsonKey(function string, n int, e scope.Expr) string {
	key := Scalar(e.SQL, e.Type)
	if e.SQL == key && strings.HasPrefix(key, "'") {
		return "CAST(to_json(" + key + ") AS VARCHAR)"
	}
	return enginesql.Macro(KeyMacro(function)) + "(" + key + ", " + strconv.Itoa(n) + ")"
}

// Built prints json_build_object and json_build_array of texts.
func Built(function string, parts []string) string {
	var out strings.Builder
	open, end := "[", "]"
	object := strings.HasSuffix(function, "_object")
	if object {
		open, end = "{", "}"
	}
	out.WriteString("'" + open + "'")
	for i, p := range parts {
		switch {
		case object && i%2 == 1:
			out.WriteString(" || ' : '")
		case i > 0:
			out.WriteString(" || ', '")
		}
		out.WriteString(" || " + p)
	}
	out.WriteString(" || '" + end + "'")
	text := out.String()
	if object && MadeBy(function) == types.JSONB && !distinctKeys(parts) {
		text = LastNamed(text)
	}
	return "CAST(" + text + " AS JSON)"
}

// LastNamed is the text of a document of which the last of members with one name is left.
func LastNamed(text string) string { return "ontosql_jsonb_in(" + text + ")" }

// distinctKeys reports whether the keys of jsonb_build_object are different constants.
func distinctKeys(parts []string) bool {
	seen := map[string]bool{}
	for i := 0; i < len(parts); i += 2 {
		if seen[parts[i]] || !strings.HasPrefix(parts[i], "CAST(to_json('") {
			return false
		}
		seen[parts[i]] = true
	}
	return true
}

// OfRow is a row of a known type as a document.
func OfRow(sql string, ty types.Type, to uint32, between string) string {
	row := scope.Expr{Row: coercion.RowOfColumn(&scope.Column{SQL: "item", Type: ty})}
	return "list_transform([" + sql + "], lambda item: CASE WHEN item IS NOT NULL THEN " + Row(row, to, between) + " END)[1]"
}

// AnyRow is Row of a row whose fields may be known by its type alone.
func AnyRow(e scope.Expr, to uint32, between string) string {
	if e.Row == nil {
		return OfRow(e.SQL, e.Type, to, between)
	}
	return Row(e, to, between)
}

// Row writes a row as an object of a type, by field names or f1, f2, ... The value of
// between stands between its members.
func Row(e scope.Expr, to uint32, between string) string {
	var parts []string
	names, twice := map[string]bool{}, false
	for i, f := range e.Row {
		name := "f" + strconv.Itoa(i+1)
		if f.Column != nil {
			name = f.Column.Name
		}
		twice = twice || names[name]
		names[name] = true
		key, _ := json.Marshal(name)
		parts = append(parts, enginesql.Literal(string(key)+":")+" || "+Member(f, to))
	}
	if len(parts) == 0 {
		return "CAST('{}' AS JSON)"
	}
	text := "'{' || " + strings.Join(parts, " || "+between+" || ") + " || '}'"
	if twice && to == types.JSONB {
		text = LastNamed(text)
	}
	if e.RowIsNull != "" {
		return "CASE WHEN NOT (" + e.RowIsNull + ") THEN CAST(" + text + " AS JSON) END"
	}
	return "CAST(" + text + " AS JSON)"
}
