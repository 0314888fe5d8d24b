package typedquery

import (
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgfunc/str"
)

// class is what a value is compared as. SQLite compares numbers with numbers and texts with texts,
// takes booleans for 1 and 0, and puts every number before every text.
type class uint8

const (
	number class = iota
	boolean
	text
	document // any JSON, whose class shows at each row
)

// expression is SQL that has a value.
type expression struct {
	sql   string
	class class
	shown string // SQL of the value as it is stored, "" for sql
	float bool   // a number that is shown as a text, as a float's
	// decimal is set for a numeric, which is stored as a text and compared as a number. The original
	// cannot store one.
	decimal bool
}

// valueOf is the value of a column of the row that is called row.
func valueOf(row string, c *catalog.Column) expression {
	sql := row + "." + str.QuoteIdent(c.Name)
	switch c.Type.Kind {
	case column.Bool:
		return expression{sql: sql, class: boolean}
	case column.Int64:
		return expression{sql: sql}
	case column.Float64:
		return expression{sql: sql, shown: sql + "::text", float: true}
	case column.JSON:
		return expression{sql: sql, class: document}
	case column.Numeric, column.Wide:
		return expression{sql: sql, shown: "trim_scale(" + sql + ")::text", decimal: true}
	case column.TimestampTZ:
		return expression{sql: "to_char(" + sql + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')`, class: text}
	case column.Bytes:
		return expression{sql: "translate(encode(" + sql + ", 'base64'), E'\\n', '')", class: text}
	case column.Text:
		if t, _ := format.ParseSpelling(c.Spelling); c.Role == catalog.FromEntityKey && t != format.FieldStr {
			return member(row, []string{c.Field}) // shown as a text since it is a key
		}
		return expression{sql: sql, class: text}
	}
	return expression{sql: sql + "::text", class: text}
}

// member is what fields_json has under a path.
func member(row string, path []string) expression {
	return expression{sql: row + ".fields_json #> " + textArray(path), class: document}
}

// textArray is texts as an array.
func textArray(texts []string) string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = str.QuoteLiteral(text)
	}
	return "ARRAY[" + strings.Join(list, ", ") + "]"
}

// valueAt is the value under a path.
func valueAt(row string, t *catalog.Type, path []string) expression {
	i := t.FieldIndex(path[0])
	if i < 0 {
		return member(row, path) // of an older schema version
	}
	v := valueOf(row, &t.Columns[i])
	switch {
	case len(path) == 1:
		return v
	case v.class == document:
		return expression{sql: "(" + v.sql + ") #> " + textArray(path[1:]), class: document}
	}
	return expression{sql: "NULL::jsonb", class: document}
}

// operators are those that compare, as SQL has them.
var operators = map[string]string{"eq": "=", "ne": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}

// condition is a filter as SQL about the row that is called row.
func condition(row string, t *catalog.Type, f *Filter) string {
	v := valueAt(row, t, f.Path)
	if v.class == document {
		v.sql = "CASE jsonb_typeof(" + v.sql + ") WHEN 'boolean' THEN CASE WHEN " + v.sql + " = 'true' THEN '1'::jsonb ELSE '0'::jsonb END WHEN 'null' THEN NULL ELSE " + v.sql + " END"
	}
	if v.class == boolean {
		v.sql += "::int"
	}
	v.sql = "(" + v.sql + ")"
	if f.Op == "is_null" {
		return v.sql + " IS NULL"
	}
	if v.class == document {
		return compareDocument(v.sql, f)
	}
	return compareScalar(v, f)
}

// compareScalar compares a value of a known class.
func compareScalar(v expression, f *Filter) string {
	var same []string // the operands of the value's class
	for _, o := range f.Operands {
		if v.decimal {
			o = numberIn(o)
		}
		switch {
		case isNumber(o) && v.class != text:
			literal := numberText(o)
			if v.float {
				literal = "'" + literal + "'::float8"
			}
			same = append(same, "("+literal+")")
		case o.Kind() == format.JSONString && v.class == text:
			same = append(same, str.QuoteLiteral(o.Text()))
		}
	}
	switch {
	case len(same) > 0 && f.Op == "in":
		return v.sql + " IN (" + strings.Join(same, ", ") + ")"
	case len(same) > 0:
		return v.sql + " " + operators[f.Op] + " " + same[0]
	case f.Op == "ne",
		v.class == text && (f.Op == "gt" || f.Op == "gte"), // than a number
		v.class != text && (f.Op == "lt" || f.Op == "lte"): // than a text
		return v.sql + " IS NOT NULL"
	}
	return "false"
}

// compareDocument compares a JSON value, NULL or of any class.
func compareDocument(v string, f *Filter) string {
	switch f.Op {
	case "eq", "ne", "in":
		var same []string
		for _, o := range f.Operands {
			same = append(same, alternatives(o)...)
		}
		switch {
		case len(same) == 0:
			return "false"
		case f.Op == "ne":
			return v + " NOT IN (" + strings.Join(same, ", ") + ")"
		}
		return v + " IN (" + strings.Join(same, ", ") + ")"
	}
	operator, operand := operators[f.Op], f.Operands[0]
	less := f.Op == "lt" || f.Op == "lte"
	if isNumber(operand) {
		same := v + " " + operator + " '" + numberText(operand) + "'::jsonb"
		if less {
			return "(jsonb_typeof" + v + " = 'number' AND " + same + ")"
		}
		return "(jsonb_typeof" + v + " <> 'number' OR " + same + ")"
	}
	same := "(" + v + " #>> '{}') " + operator + " " + str.QuoteLiteral(operand.Text())
	if less {
		return "(jsonb_typeof" + v + " = 'number' OR " + same + ")"
	}
	return "(jsonb_typeof" + v + " <> 'number' AND " + same + ")"
}

// alternatives are the JSON values that equal an operand. A list or an object also equals its
// text: SQLite has documents as texts.
func alternatives(o format.Value) []string {
	quoted := func(v format.Value) string {
		return str.QuoteLiteral(string(v.Append(nil, format.Canonical))) + "::jsonb"
	}
	switch o.Kind() {
	case format.JSONNull:
		return nil
	case format.JSONBool, format.JSONInt, format.JSONFloat:
		return []string{"'" + numberText(o) + "'::jsonb"}
	case format.JSONString:
		if v, err := format.ParseJSON([]byte(o.Text())); err == nil && (v.Kind() == format.JSONArray || v.Kind() == format.JSONObject) {
			return []string{quoted(o), quoted(v)}
		}
	}
	return []string{quoted(o)}
}

// numberIn is the number that a text has, or the value itself.
func numberIn(v format.Value) format.Value {
	if n, err := format.ParseJSON([]byte(v.Text())); v.Kind() == format.JSONString && err == nil && n.Kind() != format.JSONBool && isNumber(n) && checkOperand("eq", n) == nil {
		return n
	}
	return v
}

func isNumber(v format.Value) bool {
	return v.Kind() == format.JSONBool || v.Kind() == format.JSONInt || v.Kind() == format.JSONFloat
}

// numberText is a number in SQL and JSON, 1 or 0 for a boolean.
func numberText(v format.Value) string {
	switch {
	case v.Kind() != format.JSONBool:
		return string(v.Append(nil, format.Canonical))
	case v.Bool():
		return "1"
	}
	return "0"
}
