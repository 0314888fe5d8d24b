package scan

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
)

// trusted are the Parquet types whose values equal those in fields_json for a field of a kind
// (decision A17). INT64 is missing for float fields, although a file without fractions stores
// whole numbers that way: 2^53+1 would then be shown differently than from another file.
var trusted = map[column.Kind]format.ColumnKind{
	column.Text:    format.KindString,
	column.Int64:   format.KindInt64,
	column.Float64: format.KindDouble,
	column.Bool:    format.KindBool,
}

// isTyped reports whether files with the given columns have a typed column for a field.
func isTyped(c catalog.Column, files *format.Facts) bool {
	want, ok := trusted[c.Type.Kind]
	kind, present := files.Column(c.Field)
	return ok && present && kind == want && unambiguous(files, c.Field)
}

// fieldValue is the SQL of a field's value in files with the given columns. clear is set if no
// typed text has U+0000.
func fieldValue(c catalog.Column, files *format.Facts, clear bool) string {
	switch name := duckdb.Ident(c.Field); {
	case !isTyped(c, files):
		return jsonValue(c, files.Plain)
	case c.Type.Kind == column.Text && !files.Plain && !clear:
		return "CASE WHEN NOT contains(" + name + ", chr(0)) THEN " + name + " END"
	default:
		return name
	}
}

// unambiguous reports whether no other column of the file has the same name in another case:
// DuckDB, whose names are case-insensitive, renames one of them.
func unambiguous(files *format.Facts, name string) bool {
	n := 0
	for _, c := range files.Columns {
		if strings.EqualFold(c.Name, name) {
			n++
		}
	}
	return n == 1
}

// jsonValue extracts a field from fields_json. plain is set if every row satisfies
// format.PlainJSON.
func jsonValue(c catalog.Column, plain bool) string {
	if plain {
		return fieldOf(c, "fields_json")
	}
	return FieldOf(c, "fields_json")
}

// jsonOfAnyRow is jsonValue for rows that may not be plain.
func jsonOfAnyRow(c catalog.Column) string { return jsonValue(c, false) }

// FieldOf is the SQL of a field's value in an image like fields_json.
func FieldOf(c catalog.Column, image string) string {
	return fieldOf(c, readableJSON(image, "null"))
}

// readableJSON is an image that DuckDB can parse, in which lost replaces values that are
// invalid for PostgreSQL (format.ReadableJSON).
func readableJSON(image, lost string) string {
	return "CASE WHEN " + mayNotBePlain(image) + " THEN ontosql_readable_json(" + image + ", " + duckdb.Literal(lost) + ") ELSE " + image + " END"
}

// mayNotBePlain is the condition that an image may not satisfy format.PlainJSON.
func mayNotBePlain(image string) string {
	var any []string
	for _, odd := range []string{`\u0000`, `\ud`, "NaN", "Infinity"} {
		any = append(any, "contains("+image+", "+duckdb.Literal(odd)+")")
	}
	return "(" + strings.Join(any, " OR ") + ")"
}

// jsonOrNull is an image as JSON; NULL if it is invalid for PostgreSQL.
func jsonOrNull(image string) string {
	const escaped = `'\u0000'`
	return "TRY_CAST(CASE WHEN NOT contains(" + image + ", " + escaped + ") OR NOT regexp_matches(" + image + `, '(^|[^\\])(\\\\)*\\u0000') THEN ` + image + " END AS JSON)"
}

// fieldOf is FieldOf for an image that DuckDB can parse. TRY returns NULL for text that is not
// JSON, so that it does not fail the scan.
func fieldOf(c catalog.Column, image string) string {
	at := duckdb.Literal(jsonPointer(c.Field))
	if c.Type.Kind == column.JSON {
		x := "TRY(json_extract(" + image + ", " + at + "))"
		return "CASE WHEN CAST(" + x + " AS VARCHAR) <> 'null' THEN " + x + " END"
	}
	return fromText("TRY(json_extract_string("+image+", "+at+"))", c.Type)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// jsonPointer is a JSON pointer (RFC 6901) to a member of the top-level object.
func jsonPointer(field string) string { return "/" + pointerEscapes.Replace(field) }

// fromText parses the text of a JSON value in the forms of decision A17; NULL if it does not
// have the type.
func fromText(x string, t column.Type) string {
	cast := func(x string) string { return "TRY_CAST(" + x + " AS " + duckdb.TypeName(t) + ")" }
	switch t.Kind {
	case column.Text:
		return x
	case column.Int64:
		// DuckDB rounds '3.7' to 4.
		return "CASE WHEN " + cast(x) + " = TRY_CAST(" + x + " AS DOUBLE) THEN " + cast(x) + " END"
	case column.Bytes:
		return "TRY(from_base64(" + x + "))"
	case column.TimestampTZ:
		// A time without a zone is UTC, independent of the session's time zone.
		return cast("CASE WHEN regexp_full_match(" + x + `, '\d{4}-\d\d-\d\d[T ][0-9:.]+') THEN ` + x + " || '+00' ELSE " + x + " END")
	}
	return cast(x)
}

// keyValue converts a key's text to the type of its column, which is text or a type with one
// text per value (int, UUID, date). Any other text is NULL, so that two identities never look
// the same (decision A18).
func keyValue(text string, t column.Type) string {
	if t.Kind == column.Text {
		return text
	}
	value := "TRY_CAST(" + text + " AS " + duckdb.TypeName(t) + ")"
	return fmt.Sprintf("CASE WHEN CAST(%s AS VARCHAR) = %s THEN %s END", value, text, value)
}
