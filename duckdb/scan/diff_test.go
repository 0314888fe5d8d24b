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
