package scan_test

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// TestForeignTexts reads texts that are invalid for PostgreSQL, from files of all writers and
// from staged rows: they are NULL, other fields of their rows are unchanged, and each is
// counted where it is stored.
func TestForeignTexts(t *testing.T) {
	b := newBench(t, t.TempDir())
	of := typ(field("title", column.Text), field("born", column.Date), field("doc", column.JSON))
	title := format.NewField("title", format.FieldStr, true)
	rows := []string{
		`{"born":"2026-01-02","doc":{"k":1},"id":"a","title":"a\u0000b"}`,
		`{"born":"2026-01-02","doc":["x\u0000"],"id":"b","title":"\ud800"}`,
		`{"born":"\ud800","doc":NaN,"id":"c","title":"\\u0000\ud83d\ude00"}`,
	}
	values := []string{`"a" null "2026-01-02" {"k":1}`, `"b" null "2026-01-02" null`, `"c" "\\u0000😀" null "NaN"`}
	var versions []format.Row
	for i, text := range rows {
		versions = append(versions, version(string(rune('a'+i)), 1, text))
	}
	const head = `SELECT 1::bigint AS commit_id, 'T' AS entity_type, 'a' AS entity_key, 1::bigint AS schema_version_id, '%s' AS fields_json, %s AS title`
	for _, test := range []struct {
		name string
		file scan.File
		want []string
		n    []string // of each column, and of fields_json
	}{
		{"of ours", b.write("ours.parquet", entity, []format.SchemaField{title}, versions...), values, []string{"1 2", "2 1", "3 1", "4 3"}},
		{"without typed columns", b.write("json.parquet", entity, nil, versions...), values, []string{"1 2", "2 1", "3 1", "4 3"}},
		{"of the original", b.copyTo("original.parquet", fmt.Sprintf(head, rows[0], "'a' || chr(0) || 'b'")), values[:1], []string{"1 1", "2 0", "3 0", "4 1"}},
		{"of the original, and nothing is wrong", b.copyTo("fine.parquet", fmt.Sprintf(head, `{"born":"2026-01-02","doc":{"k":1},"id":"a","title":"fine"}`, "'fine'")), []string{`"a" "fine" "2026-01-02" {"k":1}`}, []string{"1 0", "2 0", "3 0", "4 0"}},
		{"of ours, and nothing is wrong", b.write("plain.parquet", entity, []format.SchemaField{title}, version("a", 1, `{"born":null,"doc":null,"id":"a","title":"\ud83d\ude00"}`)), []string{`"a" "😀" null null`}, []string{"2 0"}},
	} {
		files := []scan.File{test.file}
		got := table(b.rows(b.sql(scan.Request{Type: of, Window: ontosql.Window{Upper: 1}, Files: files})), "id", "title", "born", "doc")
		if diff := gocmp.Diff(test.want, got); diff != "" {
			t.Errorf("file %s (-want +got):\n%s", test.name, diff)
		}
		sql, err := scan.Unreadable(of, append(slices.Clone(of.Columns), scan.Image), files, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(test.n, table(b.rows("SELECT * FROM ("+sql+") AS u(path, col, n)"), "col", "n")); diff != "" {
			t.Errorf("file %s: counts (-want +got):\n%s", test.name, diff)
		}
		storedAndCounted(t, b, of, test.file, test.n)
	}
	b.exec(`CREATE TABLE staged AS SELECT 'a' AS entity_key, '` + rows[0] + `' AS fields_json, 1::bigint AS seq`)
	if got := table(b.rows(b.sql(scan.Request{Type: of, Window: ontosql.Window{Upper: 1}, Staged: "staged"})), "id", "title", "born", "doc"); !slices.Equal(got, values[:1]) {
		t.Errorf("staged: %v, want %v", got, values[:1])
	}
}

// storedAndCounted counts the same values in the rows that the mirror reads.
func storedAndCounted(t *testing.T, b *bench, of *catalog.Type, f scan.File, want []string) {
	t.Helper()
	stored, _, err := scan.Stored(scan.Request{Type: of, Window: ontosql.Window{Upper: 1}, Files: []scan.File{f}})
	if err != nil {
		t.Fatal(err)
	}
	b.exec("CREATE OR REPLACE TABLE versions AS " + stored)
	sql, err := scan.UnreadableByCommit(of, []scan.File{f}, 0, "versions")
	if err != nil {
		t.Fatal(err)
	}
	want = slices.DeleteFunc(slices.Clone(want), func(line string) bool { return line[len(line)-2:] == " 0" })
	if got := table(b.rows("SELECT * FROM ("+sql+") AS u(col, c, n)"), "col", "n"); !slices.Equal(got, want) {
		t.Errorf("%s: by commit %v, want %v", f.Path, got, want)
	}
}
