package scan

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
)

// trusted are the Parquet kinds that say exactly what fields_json says of a
// field of a kind (decision A17). A whole number in a float field lies in an
// INT64 column when the file has no other, but 2^53+1 of it would be shown
// differently from another file's, so it is not among them.
var trusted = map[column.Kind]format.ColumnKind{
	column.Text:    format.KindString,
	column.Int64:   format.KindInt64,
	column.Float64: format.KindDouble,
	column.Bool:    format.KindBool,
}

// isTyped reports whether files of the given columns have a field's value in a column
// of its own.
func isTyped(c catalog.Column, files *format.Facts) bool {
	want, ok := trusted[c.Type.Kind]
	kind, present := files.Column(c.Field)
	return ok && present && kind == want && unambiguous(files, c.Field)
}

// fieldValue is the SQL of a field's value in files of the given columns. clear says
// that no text of a typed column has U+0000.
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

// unambiguous reports that no other column of the file has the name in another
// case: DuckDB, for which they are the same, renames one of them.
func unambiguous(files *format.Facts, name string) bool {
	n := 0
	for _, c := range files.Columns {
		if strings.EqualFold(c.Name, name) {
			n++
		}
	}
	return n == 1
}

// jsonValue extracts a field from fields_json. plain says that it is what
// format.PlainJSON reports, in every row.
func jsonValue(c catalog.Column, plain bool) string {
	if plain {
		return fieldOf(c, "fields_json")
	}
	return FieldOf(c, "fields_json")
}

// jsonOfAnyRow is jsonValue of rows of which nothing is known.
func jsonOfAnyRow(c catalog.Column) string { return jsonValue(c, false) }

// FieldOf is the SQL of a field's value by an image like fields_json.
func FieldOf(c catalog.Column, image string) string {
	return fieldOf(c, readableJSON(image, "null"))
}

// readableJSON is an image as the engine can read it, with lost in the place of a value
// that is none of PostgreSQL's (format.ReadableJSON).
func readableJSON(image, lost string) string {
	return "CASE WHEN " + mayNotBePlain(image) + " THEN ontosql_readable_json(" + image + ", " + duckdb.Literal(lost) + ") ELSE " + image + " END"
}

// mayNotBePlain is the condition that an image may not be what format.PlainJSON reports.
func mayNotBePlain(image string) string {
	var any []string
	for _, odd := range []string{`\u0000`, `\ud`, "NaN", "Infinity"} {
		any = append(any, "contains("+image+", "+duckdb.Literal(odd)+")")
	}
	return "(" + strings.Join(any, " OR ") + ")"
}

// jsonOrNull is an image as JSON, NULL where it is none of PostgreSQL's.
func jsonOrNull(image string) string {
	const escaped = `'\u0000'`
	return "TRY_CAST(CASE WHEN NOT contains(" + image + ", " + escaped + ") OR NOT regexp_matches(" + image + `, '(^|[^\\])(\\\\)*\\u0000') THEN ` + image + " END AS JSON)"
}

// fieldOf is FieldOf for an image that the engine can read. TRY makes NULL of a row
// whose text is no JSON to it: that must not fail a scan.
func fieldOf(c catalog.Column, image string) string {
	at := duckdb.Literal(jsonPointer(c.Field))
	if c.Type.Kind == column.JSON {
		x := "TRY(json_extract(" + image + ", " + at + "))"
		return "CASE WHEN CAST(" + x + " AS VARCHAR) <> 'null' THEN " + x + " END"
	}
	return fromText("TRY(json_extract_string("+image+", "+at+"))", c.Type)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// jsonPointer is a JSON pointer (RFC 6901) to a member of the top object.
func jsonPointer(field string) string { return "/" + pointerEscapes.Replace(field) }

// fromText reads the text of a JSON value in the forms of decision A17; NULL
// when it is none of the type's.
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
		// A time without a zone is UTC, whatever zone the session has.
		return cast("CASE WHEN regexp_full_match(" + x + `, '\d{4}-\d\d-\d\d[T ][0-9:.]+') THEN ` + x + " || '+00' ELSE " + x + " END")
	}
	return cast(x)
}

// keyValue shows a key's text in the type of its column, which is text or one
// whose values have a single text each (int, UUID, date). Only that text is
// believed, so that two identities never look alike (decision A18).
func keyValue(text string, t column.Type) string {
	if t.Kind == column.Text {
		return text
	}
	value := "TRY_CAST(" + text + " AS " + duckdb.TypeName(t) + ")"
	return fmt.Sprintf("CASE WHEN CAST(%s AS VARCHAR) = %s THEN %s END", value, text, value)
}
