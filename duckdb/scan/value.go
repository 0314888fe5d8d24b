package scan

import (
	"fmt"
	"slices"
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

// native are the kinds of the native columns of a field of a kind. Those of numbers have a size.
var native = map[column.Kind]format.ColumnKind{
	column.Date:        format.KindDate,
	column.TimestampTZ: format.KindTimestamp,
	column.UUID:        format.KindUUID,
	column.Bytes:       format.KindBytes,
	column.JSON:        format.KindJSON,
}

// typedColumn returns the column of files with the given columns that has the values of a field.
// ok is false if there is none that can be trusted.
func typedColumn(c catalog.Column, files *format.Facts) (of format.ColumnFact, ok bool) {
	of = format.ColumnFact{Name: c.Field, Kind: trusted[c.Type.Kind]}
	switch kind := native[c.Type.Kind]; {
	case kind != "":
		of = format.ColumnFact{Name: format.NativeColumn(c.Field, kind), Kind: kind}
	case c.Type.Kind == column.Numeric:
		at := slices.IndexFunc(files.Columns, func(f format.ColumnFact) bool {
			_, _, number := f.Kind.Decimal()
			field, native := format.NativeField(f.Name, f.Kind)
			return number && native && field == c.Field
		})
		if at >= 0 {
			of = files.Columns[at]
		}
	}
	return of, of.Kind != "" && slices.Contains(files.Columns, of) && unambiguous(files, of.Name)
}

// isTyped reports whether files with the given columns have a typed column for a field.
func isTyped(c catalog.Column, files *format.Facts) bool {
	_, ok := typedColumn(c, files)
	return ok
}

// fieldValue is the SQL of a field's value in files with the given columns. clear is set if no
// typed text has U+0000.
func fieldValue(c catalog.Column, files *format.Facts, clear bool) string {
	of, typed := typedColumn(c, files)
	name := duckdb.Ident(of.Name)
	switch {
	case !typed:
		return jsonValue(c, files.Plain)
	case c.Type.Kind == column.Text && !files.Plain && !clear:
		return "CASE WHEN NOT contains(" + name + ", chr(0)) THEN " + name + " END"
	case c.Type.Kind == column.Numeric:
		return resized(name, of.Kind, c.Type)
	case c.Type.Kind == column.JSON:
		return "json_extract(" + name + ", '$')" // in the engine's spelling, as every document
	default:
		return name
	}
}

// resized is the SQL of a decimal column as the type of a field. A number that has more digits is
// rounded or NULL, as the text in fields_json would be.
func resized(name string, stored format.ColumnKind, t column.Type) string {
	switch same, holds := sizes(stored, t); {
	case same:
		return name
	case holds:
		return "CAST(" + name + " AS " + duckdb.TypeName(t) + ")"
	}
	return "TRY_CAST(" + name + " AS " + duckdb.TypeName(t) + ")"
}

// sizes reports whether a decimal column has the size of a field's type, and whether the type holds
// all its values.
func sizes(stored format.ColumnKind, t column.Type) (same, holds bool) {
	precision, scale, _ := stored.Decimal()
	width, places := int(t.Width), int(t.Scale)
	if width == 0 { // see duckdb.TypeName
		width, places = 38, format.DecimalScale
	}
	return precision == width && scale == places, scale <= places && precision-scale <= width-places
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
	case column.Wide:
		return "ontosql_wide_stored(" + x + ")"
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
