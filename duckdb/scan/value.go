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

// fieldValue is the SQL of a field's value in files of the given columns.
func fieldValue(c catalog.Column, files *format.Facts) string {
	if want, ok := trusted[c.Type.Kind]; ok {
		if kind, present := files.Column(c.Field); present && kind == want && unambiguous(files, c.Field) {
			return duckdb.Ident(c.Field)
		}
	}
	return jsonValue(c)
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

// jsonValue extracts a field from fields_json. TRY makes NULL of a row whose
// text is no JSON to DuckDB: one lone surrogate must not fail a scan.
func jsonValue(c catalog.Column) string { return FieldOf(c, "fields_json") }

// FieldOf is the SQL of a field's value by an image like fields_json.
func FieldOf(c catalog.Column, image string) string {
	at := duckdb.Literal(pointer(c.Field))
	if c.Type.Kind == column.JSON {
		x := "TRY(json_extract(" + image + ", " + at + "))"
		return "CASE WHEN CAST(" + x + " AS VARCHAR) <> 'null' THEN " + x + " END"
	}
	return fromText("TRY(json_extract_string("+image+", "+at+"))", c.Type)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// pointer is a JSON pointer (RFC 6901) to a member of the top object.
func pointer(field string) string { return "/" + pointerEscapes.Replace(field) }

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
