package ingest

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// MaxTextRows bounds the rows of recent commits that become part of the text of a
// statement. A data file costs the cache and the engine more than a statement of a few
// hundred rows does.
const MaxTextRows = 1024

// Plain reports whether a row's fields are read the same from their JSON and from the
// typed columns of a file: the engine's JSON has neither NaN nor infinities, no lone
// surrogate and no NUL.
func Plain(r *format.Row) bool {
	return format.PlainJSON(r.Fields) && !strings.Contains(r.Key+r.Left+r.Right+r.Instance, "\x00")
}

// rowColumns are the columns of a data file that every row has: the key columns,
// fields_json, commit_id and schema_version_id. The typed columns are copies of fields.
func rowColumns(t *catalog.Type) []string {
	return append(scan.KeyColumns(t.Ref.Kind), "fields_json", "commit_id", "schema_version_id")
}

// RowFacts are the facts of rows of Values if all of them are Plain.
func RowFacts(t *catalog.Type) *format.Facts {
	facts := &format.Facts{Plain: true}
	for _, name := range rowColumns(t) {
		kind := format.KindString
		if name == "commit_id" || name == "schema_version_id" {
			kind = format.KindInt64
		}
		facts.Columns = append(facts.Columns, format.ColumnFact{Name: name, Kind: kind})
	}
	return facts
}

// Values is a FROM item of SQL with the rows as a VALUES list. Its columns are those of
// RowFacts.
func Values(t *catalog.Type, rows []format.Row) string {
	var b strings.Builder
	b.WriteString("(VALUES ")
	for i := range rows {
		r := &rows[i]
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('(')
		for _, key := range r.KeyTexts(t.Ref.Kind) {
			b.WriteString(duckdb.Literal(key) + ", ")
		}
		version := "NULL"
		if r.SchemaVersionID != 0 {
			version = fmt.Sprint(r.SchemaVersionID)
		}
		fmt.Fprintf(&b, "%s, %d::BIGINT, %s::BIGINT)", duckdb.Literal(string(r.Fields)), r.Commit, version)
	}
	b.WriteString(") AS own (" + strings.Join(rowColumns(t), ", ") + ")")
	return b.String()
}

// tableColumns are the columns of a table of converted rows: the rowColumns, the typed
// columns and completeColumn.
func tableColumns(t *catalog.Type) []column.Named {
	var cols []column.Named
	for _, c := range RowFacts(t).Columns {
		kind := column.Text
		if c.Kind == format.KindInt64 {
			kind = column.Int64
		}
		cols = append(cols, column.Named{Name: c.Name, Type: column.Type{Kind: kind}})
	}
	cols = append(cols, typedTableColumns(t)...)
	return append(cols, column.Named{Name: completeColumn, Type: column.Type{Kind: column.Bool}})
}

// TextFile describes few rows, all that Few returned or some of them, as a file whose rows
// are part of the text of a statement.
func (r *Reader) TextFile(few []format.Row) scan.File {
	file := r.fewFile(few)
	file.Rows = Values(r.typ, few)
	return file
}

// ParameterFile is TextFile with the values as parameters of the statement, which have
// numbers from first on. The rows are those of the wanted keys, and AllReadable.
func (r *Reader) ParameterFile(few []format.Row, first int) (scan.File, []any) {
	file := r.fewFile(few)
	rows, args := parameters(r.typ, few, first, file.Facts)
	// The scan need not compare the keys again. A parameter that occurs twice would make the
	// engine plan the statement again.
	file.Rows, file.KeyFiltered = rows, true
	return file, args
}

func (r *Reader) fewFile(few []format.Row) scan.File {
	facts := RowFacts(r.typ)
	facts.Rows = r.conv.rows
	facts.Duplicates = r.conv.duplicates.found || r.conv.duplicates.mixed && repeated(few)
	return scan.File{Facts: facts, Min: r.conv.least, Max: r.conv.most}
}
