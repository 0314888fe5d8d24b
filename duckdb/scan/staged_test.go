package scan_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// TestStagedRows reads committed and staged versions of the same identities in every mode:
// staged ones are the newest and have no commit.
func TestStagedRows(t *testing.T) {
	b := newBench(t, t.TempDir())
	of := typ(field("n", column.Int64))
	fields := []format.SchemaField{format.NewField("id", format.FieldStr, false), format.NewField("n", format.FieldInt, true)}
	files := []scan.File{
		b.write("1.parquet", entity, fields, version("a", 1, `{"id":"a","n":1}`), version("b", 1, `{"id":"b","n":1}`)),
		b.write("2.parquet", entity, fields, version("a", 2, `{"id":"a","n":2}`)),
	}
	b.exec(`CREATE TABLE staged AS SELECT * FROM (VALUES ('a', '{"id":"a","n":3}', 1::BIGINT), ('c', '{"id":"c","n":9}', 2::BIGINT)) AS v(entity_key, fields_json, seq)`)
	twice := b.write("twice.parquet", entity, fields, version("a", 1, `{"id":"a","n":1}`), version("a", 1, `{"id":"a","n":5}`))
	hidden := []scan.Hidden{{Name: "commit_id", As: "h_commit"}, {Name: "committed_at", As: "h_at"}}
	for _, c := range []struct {
		name    string
		request scan.Request
		columns []string
		want    []string
	}{
		{
			"latest",
			scan.Request{Files: files, Hidden: hidden},
			[]string{"id", "n", "h_commit", "h_at"},
			[]string{`"a" 3 null null`, `"b" 1 1 "2024-01-01 01:00:00+00"`, `"c" 9 null null`},
		},
		{
			"latest over a file that has an identity twice",
			scan.Request{Files: []scan.File{twice}, Hidden: hidden[:1]},
			[]string{"id", "n", "h_commit"},
			[]string{`"a" 3 null`, `"c" 9 null`},
		},
		{"latest of nothing but staged rows", scan.Request{Hidden: hidden[:1]}, []string{"id", "n", "h_commit"}, []string{`"a" 3 null`, `"c" 9 null`}},
		{"latest of one key", scan.Request{Files: files, KeyEquals: []scan.KeyEqual{{Column: "entity_key", Texts: []string{"'c'"}}}}, []string{"id", "n"}, []string{`"c" 9`}},
		{
			"history",
			scan.Request{Files: files, Window: ontosql.Window{Mode: ontosql.History}},
			[]string{"id", "n", "commit_id", "valid_to_commit", "is_current"},
			[]string{`"a" 1 1 2 false`, `"a" 2 2 null false`, `"a" 3 null null true`, `"b" 1 1 null true`, `"c" 9 null null true`},
		},
		{
			"changes",
			scan.Request{Files: files, Window: ontosql.Window{Mode: ontosql.Changes}},
			[]string{"id", "n", "commit_id", "change", "before"},
			[]string{`"a" 1 1 "insert" null`, `"a" 2 2 "update" {"id":"a","n":1}`, `"a" 3 null "update" {"id":"a","n":2}`, `"b" 1 1 "insert" null`, `"c" 9 null "insert" null`},
		},
	} {
		r := c.request
		r.Type, r.Staged, r.Window.Upper = of, "staged", 2
		if diff := cmp.Diff(c.want, table(b.rows(b.sql(r)), c.columns...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestIdentities(t *testing.T) {
	b := newBench(t, t.TempDir())
	fields := []format.SchemaField{format.NewField("id", format.FieldStr, false)}
	r := scan.Request{Type: typ(), Window: ontosql.Window{Upper: 2}, Files: []scan.File{
		b.write("1.parquet", entity, fields, version("a", 1, `{"id":"a"}`), version("b", 1, `{"id":"b"}`)),
		b.write("2.parquet", entity, fields, version("a", 2, `{"id":"a"}`), version("c", 2, `{"id":"c"}`)),
	}, KeyEquals: []scan.KeyEqual{{Column: "entity_key", Texts: []string{"SELECT unnest(['a', 'c', 'd'])"}}}}
	sql, err := scan.Identities(r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{`"a"`, `"c"`}, table(b.rows(sql), "k0")); diff != "" {
		t.Errorf("identities (-want +got):\n%s", diff)
	}
}

// TestIdentitiesOverMirror reads, at every commit, identities that were created later, changed
// later, or are not in the mirror yet.
func TestIdentitiesOverMirror(t *testing.T) {
	b := newBench(t, t.TempDir())
	cols := "k0 VARCHAR, c BIGINT, s BIGINT, j VARCHAR, f0 VARCHAR, o BIGINT"
	b.exec("CREATE TABLE cur (" + cols + ")")
	b.exec("CREATE TABLE hist (" + cols + ", v BIGINT)")
	b.exec("CREATE INDEX cur_k0 ON cur (k0)")
	b.exec("INSERT INTO cur VALUES ('a', 4, 1, '{}', 'a', 0), ('b', 1, 1, '{}', 'b', 0), ('c', 3, 1, '{}', 'c', 0)")
	b.exec("INSERT INTO hist VALUES ('a', 2, 1, '{}', 'a', 0, 3), ('a', 3, 1, '{}', 'a', 0, 4)")
	fields := []format.SchemaField{format.NewField("id", format.FieldStr, false)}
	behind := b.write("5.parquet", entity, fields, version("b", 5, `{"id":"b"}`), version("d", 5, `{"id":"d"}`))
	m := &scan.Mirror{Cur: "cur", Hist: "hist", Through: 4, Last: 4, Version: "1"}
	for upper, want := range [][]string{1: {`"b"`}, 2: {`"a"`, `"b"`}, 3: {`"a"`, `"b"`, `"c"`}, 4: {`"a"`, `"b"`, `"c"`}, 5: {`"a"`, `"b"`, `"c"`, `"d"`}} {
		r := scan.Request{
			Type: typ(), Window: ontosql.Window{Upper: ontosql.CommitID(upper)}, Mirror: m,
			KeyEquals: []scan.KeyEqual{{Column: "entity_key", Texts: []string{"'a'", "'b'", "'c'", "'d'"}}},
		}
		if upper == 5 {
			r.Files = []scan.File{behind}
		}
		sql, err := scan.Identities(r)
		if err != nil {
			t.Fatal(err)
		}
		got := table(b.rows(sql), "k0")
		slices.Sort(got)
		if upper > 0 && !slices.Equal(got, want) {
			t.Errorf("identities at commit %d: %v, want %v", upper, got, want)
		}
	}
}
