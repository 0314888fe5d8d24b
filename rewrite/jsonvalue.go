package rewrite

import "strings"

// jsonOf is what to_json makes of a value (datum_to_json in PostgreSQL's json.c):
// numbers as they are printed, times as ISO 8601 has them, what JSON has no type
// for as a string.
func jsonOf(e expr) string {
	if e.row != nil {
		return rowJSON(e)
	}
	return jsonValue(e.sql, e.t)
}

func jsonValue(sql string, ty typ) string {
	elem, isArray := ty.elem()
	switch {
	case isJSON(ty.oid):
		return sql
	case ty.oid == numericOID:
		return "CAST(" + textOf(sql, typ{numericOID, -1}) + " AS JSON)"
	case ty.oid == float4OID || ty.oid == float8OID:
		return macro("json_float") + "(" + sql + ")"
	case ty.oid == timestampOID:
		return "to_json(replace(CAST(" + sql + " AS VARCHAR), ' ', 'T'))"
	case ty.oid == timestamptzOID:
		return macro("json_moment") + "(CAST(" + sql + " AS VARCHAR))"
	case isArray && ty.oid != int2vectorOID && ty.oid != oidvectorOID:
		return macro("json_listed_by") + "(list_transform(" + sql + ", lambda part: CAST(" + jsonValue("part", elem) + " AS VARCHAR)), ',')"
	case isInt(ty.oid), ty.oid == boolOID, isText(ty.oid), ty.oid == unknownOID:
		return "to_json(" + sql + ")"
	}
	return "to_json(" + textOf(sql, ty) + ")"
}

// jsonMakers are the functions whose arguments of type "any" become JSON.
var jsonMakers = map[string]bool{
	"to_json": true, "to_jsonb": true, "array_to_json": true, "json_agg": true, "jsonb_agg": true,
	"json_build_array": true, "jsonb_build_array": true, "json_build_object": true, "jsonb_build_object": true,
	"json_object_agg": true, "jsonb_object_agg": true,
}

// jsonArgument is argument i of one of jsonMakers, a key or a value. What is built
// of them is put together as text: the engine would print the numbers anew.
func jsonArgument(function string, i int, e expr) string {
	switch {
	case strings.HasSuffix(function, "_object_agg") && i == 0:
		return outputOf(e.sql, e.t)
	case strings.HasSuffix(function, "_build_object") && i%2 == 0:
		return jsonKey(i+1, e)
	case strings.Contains(function, "_build_"):
		return jsonText(e)
	}
	return jsonOf(e)
}

// jsonText is the text of a value within a document.
func jsonText(e expr) string { return "coalesce(CAST(" + jsonOf(e) + " AS VARCHAR), 'null')" }

// jsonKey is the text of the key that is argument n of json_build_object.
func jsonKey(n int, e expr) string {
	key := outputOf(e.sql, e.t)
	if e.sql == key && strings.HasPrefix(key, "'") {
		return "CAST(to_json(" + key + ") AS VARCHAR)"
	}
	return macro("json_key_text") + "(" + key + ", " + itoa(n) + ")"
}

// jsonBuilt prints json_build_object and json_build_array of texts.
func jsonBuilt(function string, parts []string) string {
	var out strings.Builder
	open, end := "[", "]"
	object := strings.HasSuffix(function, "_object")
	if object {
		open, end = "{", "}"
	}
	out.WriteString("CAST('" + open + "'")
	for i, p := range parts {
		switch {
		case object && i%2 == 1:
			out.WriteString(" || ' : '")
		case i > 0:
			out.WriteString(" || ', '")
		}
		out.WriteString(" || " + p)
	}
	out.WriteString(" || '" + end + "' AS JSON)")
	return out.String()
}
