package scan_test

import (
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// TestRenamedFields reads a type whose field a became b in version 2, while c took the name a
// in version 3, and v was dropped and added again as a number. The rows are in files with
// typed columns, one of which has all versions, and in a mirror.
func TestRenamedFields(t *testing.T) {
	b := newBench(t, t.TempDir())
	past := func(name string, kind column.Kind, past ...catalog.Past) catalog.Column {
		c := field(name, kind)
		c.Past = past
		return c
	}
	of := typ(
		past("a", column.Text, catalog.Past{Versions: []int64{1, 2}, Field: "c"}),
		past("b", column.Text, catalog.Past{Versions: []int64{1}, Field: "a"}),
		past("v", column.Int64, catalog.Past{Versions: []int64{1, 2}}),
		past("w", column.Text))
	of.Renamings = []catalog.Renaming{
		{Versions: []int64{1}, Names: [][2]string{{"a", "b"}, {"b", ""}, {"c", "a"}, {"v", ""}}},
		{Versions: []int64{2}, Names: [][2]string{{"a", ""}, {"c", "a"}, {"v", ""}}},
	}
	of.SchemaID = 3
	at := func(key string, commit ontosql.CommitID, schema int64, fields string) format.Row {
		r := version(key, commit, fields)
		r.SchemaVersionID = schema
		return r
	}
	rows := []format.Row{
		at("k", 1, 1, `{"a":"one","c":"three","id":"k","v":7,"w":"x"}`),
		at("k", 2, 2, `{"b":"one","c":"three","id":"k","v":7,"w":"x"}`),
		at("k", 3, 3, `{"a":"three","b":"one","id":"k","v":5,"w":"x"}`),
		at("l", 3, 0, `{"a":"no version","id":"l"}`),
	}
	text := func(names ...string) (fields []format.SchemaField) {
		for _, name := range names {
			fields = append(fields, format.NewField(name, format.FieldStr, true))
		}
		return append(fields, format.NewField("v", format.FieldInt, true))
	}
	files := map[string][]scan.File{
		"one file": {b.write("all.parquet", entity, text("a", "b", "c", "w"), rows...)},
		"files": {
			b.write("1.parquet", entity, text("a", "c", "w"), rows[0]),
			b.write("2.parquet", entity, text("b", "c"), rows[1]),
			b.write("3.parquet", entity, text("a", "b", "w"), rows[2:]...),
		},
		"files without typed columns": {b.write("json.parquet", entity, nil, rows...)},
	}
	for name, files := range files {
		for _, mirrored := range []bool{false, true} {
			ask := func(mode ontosql.Mode, upper ontosql.CommitID) []row {
				r := scan.Request{Type: of, Window: ontosql.Window{Mode: mode, Upper: upper}, Files: files}
				if mirrored {
					r.Mirror, r.Files = b.mirror(of, 3, files...), nil
				}
				return b.rows(b.sql(r))
			}
			for _, test := range []struct {
				name      string
				got, want []string
			}{
				{"latest", table(ask(ontosql.Latest, 3), "id", "a", "b", "v", "w"), []string{`"k" "three" "one" 5 "x"`, `"l" "no version" null null null`}},
				{"as of 1", table(ask(ontosql.Latest, 1), "id", "a", "b", "v", "w"), []string{`"k" "three" "one" null "x"`}},
				{"history", table(ask(ontosql.History, 3), "commit_id", "a", "b", "v", "fields_json"), []string{
					`1 "three" "one" null {"a":"one","c":"three","id":"k","v":7,"w":"x"}`, `2 "three" "one" null {"b":"one","c":"three","id":"k","v":7,"w":"x"}`,
					`3 "no version" null null {"a":"no version","id":"l"}`, `3 "three" "one" 5 {"a":"three","b":"one","id":"k","v":5,"w":"x"}`,
				}},
				{"changes", table(ask(ontosql.Changes, 3), "commit_id", "id", "a", "b", "v", "changed_fields", "before"), []string{
					`1 "k" "three" "one" null ["a","b","w"] null`,
					`2 "k" "three" "one" null [] {"a":"three","b":"one","id":"k","w":"x"}`,
					`3 "k" "three" "one" 5 ["v"] {"a":"three","b":"one","id":"k","w":"x"}`,
					`3 "l" "no version" null null ["a"] null`,
				}},
			} {
				slices.Sort(test.got)
				if diff := gocmp.Diff(test.want, test.got); diff != "" {
					t.Errorf("%s, mirror %t: %s (-want +got):\n%s", name, mirrored, test.name, diff)
				}
			}
		}
	}
}

// TestUnreadableOfRenamedFields counts values without the column's type in versions where the
// field had another name, in files and in a mirror.
func TestUnreadableOfRenamedFields(t *testing.T) {
	b := newBench(t, t.TempDir())
	n := field("n", column.Int64)
	n.Past = []catalog.Past{{Versions: []int64{1}, Field: "m"}, {Versions: []int64{2}}}
	of := typ(n)
	of.Renamings = []catalog.Renaming{{Versions: []int64{1}, Names: [][2]string{{"m", "n"}, {"n", ""}}}, {Versions: []int64{2}, Names: [][2]string{{"n", ""}}}}
	var rows []format.Row
	for i, fields := range []string{`{"m":"x","n":"other"}`, `{"m":7}`, `{"n":"gone"}`, `{"n":"y"}`, `{"m":"stray","n":8}`} {
		r := version("k", ontosql.CommitID(i+1), fields)
		r.SchemaVersionID = []int64{1, 1, 2, 3, 3}[i]
		rows = append(rows, r)
	}
	file := b.write("1.parquet", entity, nil, rows...)
	sql, err := scan.Unreadable(of, of.Columns[1:], []scan.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := table(b.rows("SELECT col1 AS n FROM ("+sql+") AS u(path, col0, col1)"), "n"); !slices.Equal(got, []string{"2"}) {
		t.Errorf("%v values are unreadable, want 2", got)
	}
	stored, _, err := scan.Stored(scan.Request{Type: of, Window: ontosql.Window{Upper: 5}, Files: []scan.File{file}})
	if err != nil {
		t.Fatal(err)
	}
	b.exec("CREATE TABLE stored AS " + stored)
	if sql, err = scan.UnreadableByCommit(of, []scan.File{file}, 0, "stored"); err != nil {
		t.Fatal(err)
	}
	if got := table(b.rows("SELECT c FROM ("+sql+") AS u(col, c, n)"), "c"); !slices.Equal(got, []string{"1", "4"}) {
		t.Errorf("the commits %v have unreadable values, want 1 and 4", got)
	}
}

// TestSignatureOfRenamedFields checks that renaming a field changes the signature.
func TestSignatureOfRenamedFields(t *testing.T) {
	plain, moved := field("a", column.Text), field("a", column.Text)
	moved.Past = []catalog.Past{{Versions: []int64{1}, Field: "b"}}
	if scan.Signature(typ(plain)) == scan.Signature(typ(moved)) {
		t.Error("the signatures are the same")
	}
}
