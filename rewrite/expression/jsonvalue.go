package expression

import (
	"errors"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/jsonpath"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// jsonOf is what to_json makes of a value (datum_to_json in PostgreSQL's json.c):
// numbers as they are printed, times as ISO 8601 has them, what JSON has no type
// for as a string.
// A jsonb within a json is spelled as it is printed.
func jsonOf(e scope.Expr, to uint32) string {
	if e.Row != nil {
		return rowJSON(e, to, "','")
	}
	switch {
	case e.Printed != "" && e.Type.IsArray():
		return jsonNumbers(e.Printed, e.Type.ExtraDims, "','")
	case e.Printed != "":
		return "CAST(" + e.Printed + " AS JSON)"
	}
	return jsonValue(e.SQL, e.Type, to)
}

// jsonNumbers is the JSON of a list of the texts of numbers, or of such lists if the array
// has extra dimensions. The value of between stands between the elements of the outer list.
func jsonNumbers(texts string, extraDims int, between string) string {
	if extraDims > 0 {
		part := "part" + strconv.Itoa(extraDims)
		texts = "list_transform(" + texts + ", lambda " + part + ": CAST(" + jsonNumbers(part, extraDims-1, "','") + " AS VARCHAR))"
	}
	return enginesql.Macro("json_listed_by") + "(" + texts + ", " + between + ")"
}

func jsonValue(sql string, ty types.Type, to uint32) string {
	elem, isArray := ty.Item()
	switch {
	case types.RowFields(ty) != nil:
		return rowJSONOf(sql, ty, to, "','")
	case types.IsJSON(ty.OID):
		if ty.OID == types.JSONB {
			return casts.Convert(sql, ty, types.Of(to))
		}
		return sql
	case ty.OID == types.Numeric:
		return "CAST(" + casts.ToText(sql, types.Type{OID: types.Numeric, Typmod: -1, Numeric: ty.Digits()}) + " AS JSON)"
	case ty.OID == types.Float4 || ty.OID == types.Float8:
		return enginesql.Macro("json_float") + "(" + sql + ", " + casts.ToText(sql, ty) + ")"
	case isArray:
		return jsonList(sql, elem, to, "','")
	case types.IsInteger(ty.OID), ty.OID == types.Bool, types.IsText(ty.OID), ty.OID == types.Unknown:
		return "to_json(" + sql + ")"
	}
	return "to_json(" + jsonScalar(sql, ty) + ")"
}

// jsonList is the JSON of a list. The value of between stands between its elements.
func jsonList(sql string, elem types.Type, to uint32, between string) string {
	return enginesql.Macro("json_listed_by") + "(list_transform(" + sql + ", lambda part" + strconv.Itoa(elem.ExtraDims) + ": CAST(" + jsonValue("part"+strconv.Itoa(elem.ExtraDims), elem, to) + " AS VARCHAR)), " + between + ")"
}

// jsonScalar is the text of a scalar that is a string or a key of a document. Dates and
// times are as XML Schema has them, in whatever DateStyle.
func jsonScalar(sql string, ty types.Type) string {
	text := casts.ToText(sql, ty)
	switch ty.OID {
	case types.Date:
		return enginesql.InDefaultStyle(text)
	case types.Timestamp, types.TimestampTZ:
		return enginesql.Macro("json_moment") + "(" + enginesql.InDefaultStyle(text) + ")"
	}
	return text
}

// jsonArgument is argument i of one of functions.MakesJSON, a key or a value. What is built
// of them is put together as text: the engine would print the numbers anew.
func jsonArgument(function string, i int, e scope.Expr) string {
	switch {
	case strings.HasSuffix(function, "_object_agg") && i == 0:
		return jsonScalar(e.SQL, e.Type)
	case strings.HasSuffix(function, "_build_object") && i%2 == 0:
		return jsonKey(function, i+1, e)
	case strings.Contains(function, "_build_"):
		return jsonText(e, madeBy(function))
	}
	return jsonOf(e, madeBy(function))
}

// madeBy is the type of what one of functions.MakesJSON makes.
func madeBy(function string) uint32 {
	if strings.Contains(function, "jsonb") {
		return types.JSONB
	}
	return types.JSON
}

// jsonText is the text of a value within a document of a type.
func jsonText(e scope.Expr, to uint32) string {
	return "coalesce(CAST(" + jsonOf(e, to) + " AS VARCHAR), 'null')"
}

// keyMacro is what makes a key of json_build_object or jsonb_build_object of a text.
func keyMacro(function string) string {
	if madeBy(function) == types.JSONB {
		return "jsonb_key_text"
	}
	return "json_key_text"
}

// jsonKey is the text of the key that is argument n of json_build_object.
func jsonKey(function string, n int, e scope.Expr) string {
	key := jsonScalar(e.SQL, e.Type)
	if e.SQL == key && strings.HasPrefix(key, "'") {
		return "CAST(to_json(" + key + ") AS VARCHAR)"
	}
	return enginesql.Macro(keyMacro(function)) + "(" + key + ", " + strconv.Itoa(n) + ")"
}

// jsonBuilt prints json_build_object and json_build_array of texts.
func jsonBuilt(function string, parts []string) string {
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
	if object && madeBy(function) == types.JSONB && !distinctKeys(parts) {
		text = lastNamed(text)
	}
	return "CAST(" + text + " AS JSON)"
}

// lastNamed is the text of a document of which the last of members with one name is left.
func lastNamed(text string) string { return "ontosql_jsonb_in(" + text + ")" }

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

// rowJSONOf is a row of a known type as a document.
func rowJSONOf(sql string, ty types.Type, to uint32, between string) string {
	row := scope.Expr{Row: coercion.RowOfColumn(&scope.Column{SQL: "item", Type: ty})}
	return "list_transform([" + sql + "], lambda item: CASE WHEN item IS NOT NULL THEN " + rowJSON(row, to, between) + " END)[1]"
}

// markPath finds a cast to jsonpath where a path stands, because paths are texts here, and
// refuses a literal that is no path.
func (b *Binder) markPath(n *pg.Node) {
	literal := n
	if c := n.GetTypeCast(); c != nil {
		literal = c.Arg
	}
	if s := literal.GetAConst().GetSval(); s != nil {
		var e *pgerr.Error
		if errors.As(jsonpath.Check(s.Sval), &e) {
			b.Fail(e, syntax.Location(literal))
		}
	}
	if c := n.GetTypeCast(); c != nil && len(c.TypeName.ArrayBounds) == 0 {
		names := syntax.Strings(c.TypeName.Names)
		b.paths[c] = names[len(names)-1] == "jsonpath"
	}
}
