package scan_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// TestDiff compares points of a history in which a value is changed and changed back, a row is
// inserted, written again as it was, and written twice by one commit.
func TestDiff(t *testing.T) {
	b := newBench(t, t.TempDir())
	of := typ(field("n", column.Int64))
	files := []scan.File{
		b.write("1.parquet", entity, nil, version("a", 1, `{"n":1}`), version("b", 1, `{"n":10}`)),
		b.write("2.parquet", entity, nil, version("a", 2, `{"n":2}`), version("b", 2, `{"n":10.0}`)),
		b.write("3.parquet", entity, nil, version("a", 3, `{"n":1}`), version("c", 3, `{"n":null}`), version("c", 3, `{"n":5}`)),
		b.write("4.parquet", entity, nil, version("c", 4, `{}`)),
	}
	for _, test := range []struct {
		name         string
		since, upper ontosql.CommitID
		backward     bool
		want         []string
	}{
		{"one commit", 1, 2, false, []string{`"a" "update" ["n"] 1 2 1 2`}},
		{"from nothing", 0, 1, false, []string{`"a" "insert" ["n"] null 1 null 1`, `"b" "insert" ["n"] null 1 null 10`}},
		{"changed and changed back", 1, 3, false, []string{`"c" "insert" ["n"] null 3 null 5`}},
		{"backward", 2, 3, true, []string{`"a" "update" ["n"] 3 2 1 2`, `"c" "delete" ["n"] 3 null 5 null`}},
		{"null and missing are equal", 3, 4, false, []string{`"c" "update" ["n"] 3 4 5 null`}},
		{"a point and itself", 3, 3, false, []string{}},
		{"empty before the first", 0, 0, false, []string{}},
	} {
		rows := b.rows(b.sql(scan.Request{Type: of, Window: ontosql.Window{Mode: ontosql.Diff, Since: test.since, Upper: test.upper, Backward: test.backward}, Files: files}))
		if diff := gocmp.Diff(test.want, table(rows, "id", "diff", "changed_fields", "from_commit_id", "to_commit_id", "from_n", "to_n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestForeignValuesAreCompared changes a field of rows of which another field is no value to PostgreSQL or
// DuckDB: diff, changes and blame see the change, and blame shows what a column of the type does.
func TestForeignValuesAreCompared(t *testing.T) {
	b := newBench(t, t.TempDir())
	of := typ(field("n", column.Int64), field("x", column.JSON))
	files := []scan.File{
		b.write("1.parquet", entity, nil, version("a", 1, `{"n":1,"x":"\ud800"}`), version("b", 1, `{"n":1,"x":"a\u0000"}`), version("c", 1, `{"n":1,"x":NaN}`), version("d", 1, `{"n":1,"x":"\ud800"}`)),
		b.write("2.parquet", entity, nil, version("a", 2, `{"n":2,"x":"\ud800"}`), version("b", 2, `{"n":2,"x":"a\u0000"}`), version("c", 2, `{"n":2,"x":NaN}`), version("d", 2, `{"n":2,"x":"mended"}`)),
	}
	sql := func(mode ontosql.Mode, since ontosql.CommitID) string {
		return b.sql(scan.Request{Type: of, Window: ontosql.Window{Mode: mode, Since: since, Upper: 2}, Files: files})
	}
	for _, test := range []struct {
		name, sql string
		columns   []string
		want      []string
	}{
		{
			"diff", "SELECT * FROM (" + sql(ontosql.Diff, 1) + ") ORDER BY id",
			[]string{"id", "changed_fields", "from_n", "to_n", "to_x"},
			[]string{`"a" ["n"] 1 2 null`, `"b" ["n"] 1 2 null`, `"c" ["n"] 1 2 "NaN"`, `"d" ["n","x"] 1 2 "mended"`},
		},
		{"changes", "SELECT id, changed_fields, n FROM (" + sql(ontosql.Changes, 0) + ") WHERE commit_id = 2 ORDER BY id", []string{"id", "changed_fields", "n"}, []string{`"a" ["n"] 2`, `"b" ["n"] 2`, `"c" ["n"] 2`, `"d" ["n","x"] 2`}},
		{
			"blame", "SELECT * FROM (" + sql(ontosql.Blame, 0) + ") ORDER BY id, column_name",
			[]string{"id", "column_name", "value", "commit_id"},
			[]string{`"a" "n" 2 2`, `"a" "x" null 1`, `"b" "n" 2 2`, `"b" "x" null 1`, `"c" "n" 2 2`, `"c" "x" "NaN" 1`, `"d" "n" 2 2`, `"d" "x" "mended" 2`},
		},
	} {
		if diff := gocmp.Diff(test.want, table(b.rows(test.sql), test.columns...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
