package scan_test

import (
	"slices"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// TestFieldsNamedAsTheEnginesColumns scans fields whose names are those of columns that DuckDB
// adds.
func TestFieldsNamedAsTheEnginesColumns(t *testing.T) {
	b := newBench(t, t.TempDir())
	fields := []format.SchemaField{
		format.NewField("File_Row_Number", format.FieldInt, true),
		format.NewField("filename", format.FieldStr, true),
		format.NewField("born", format.FieldDate, true),
	}
	of := typ(field("File_Row_Number", column.Int64), field("filename", column.Text), field("born", column.Date))
	files := []scan.File{b.write("1.parquet", entity, fields,
		version("a", 1, `{"File_Row_Number":1,"born":null,"filename":"x"}`),
		version("a", 1, `{"File_Row_Number":2,"born":"never","filename":"y"}`))}
	if !files[0].Facts.Duplicates {
		t.Fatal("the file has an identity twice and says it has not")
	}
	got := table(b.rows(b.sql(scan.Request{Type: of, Window: ontosql.Window{Upper: 1}, Files: files})), "file_row_number", "filename")
	if !slices.Equal(got, []string{`2 "y"`}) {
		t.Errorf("latest is %v, want the last row of the file", got)
	}
	sql, err := scan.Unreadable(of, of.Columns[1:4], files, nil)
	if err != nil {
		t.Fatal(err)
	}
	counted := b.rows("SELECT * EXCLUDE (\"file name\"), \"file name\" AS path FROM (" + sql + ") AS u(\"file name\", col, n)")
	if len(counted) != 1 || string(counted[0]["col"]) != "2" || string(counted[0]["n"]) != "1" || counted[0].text("path") != files[0].Path {
		t.Errorf("unreadable values: %v, want 1 of %s", counted, files[0].Path)
	}
}
