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

// TestModes reads a small history in every mode: an update, a commit with two rows of one
// identity, and an identity that never changed.
func TestModes(t *testing.T) {
	b := newBench(t, t.TempDir())
	fields := []format.SchemaField{format.NewField("N", format.FieldInt, true)}
	of := typ(field("N", column.Int64))
	files := []scan.File{
		b.write("1.parquet", entity, fields, version("a", 1, `{"N":1,"id":"a"}`), version("b", 1, `{"N":10,"id":"b"}`)),
		b.write("2=x,[y]'z.parquet", entity, fields, version("a", 2, `{"N":2,"id":"a"}`)),
		b.write("3.parquet", entity, fields, version("a", 3, `{"N":3,"id":"a"}`), version("c", 3, `{"id":"c"}`), version("a", 3, `{"N":4,"id":"a"}`)),
		b.write("5.parquet", entity, fields, version("c", 5, `{"N":null,"id":"c","x":[1]}`)),
	}
	request := func(mode ontosql.Mode, lower, upper ontosql.CommitID, files ...scan.File) []row {
		return b.rows(b.sql(scan.Request{
			Type: of, Window: ontosql.Window{Mode: mode, Lower: lower, Upper: upper}, Files: files,
			Hidden: map[ontosql.Mode][]scan.Hidden{ontosql.Latest: {{Name: "commit_id", As: "__r1_commit_id"}, {Name: "committed_at", As: "at"}, {Name: "entity_key", As: "key"}}}[mode],
		}))
	}
	for _, test := range []struct {
		name      string
		got, want []string
	}{
		{"latest", table(request(ontosql.Latest, 0, 5, files...), "id", "n", "__r1_commit_id", "at", "key"), []string{
			`"a" 4 3 "2024-01-01 03:00:00+00" "a"`, `"b" 10 1 "2024-01-01 01:00:00+00" "b"`, `"c" null 5 "2024-01-01 05:00:00+00" "c"`,
		}},
		{"latest without duplicates", table(request(ontosql.Latest, 0, 2, files[:2]...), "id", "n", "__r1_commit_id", "at"), []string{
			`"a" 2 2 "2024-01-01 02:00:00+00"`, `"b" 10 1 "2024-01-01 01:00:00+00"`,
		}},
		{"latest of one commit", table(request(ontosql.Latest, 0, 2, files[0]), "id", "n", "__r1_commit_id"), []string{`"a" 1 1`, `"b" 10 1`}},
		{"as of 1 from too many files", table(request(ontosql.Latest, 0, 1, files...), "id", "n"), []string{`"a" 1`, `"b" 10`}},
		{"history", table(request(ontosql.History, 0, 5, files...), "id", "commit_id", "n", "valid_from", "valid_to", "valid_to_commit", "is_current"), []string{
			`"a" 1 1 "2024-01-01 01:00:00+00" "2024-01-01 02:00:00+00" 2 false`,
			`"a" 2 2 "2024-01-01 02:00:00+00" "2024-01-01 03:00:00+00" 3 false`,
			`"a" 3 3 "2024-01-01 03:00:00+00" "2024-01-01 03:00:00+00" 3 false`,
			`"a" 3 4 "2024-01-01 03:00:00+00" null null true`,
			`"b" 1 10 "2024-01-01 01:00:00+00" null null true`,
			`"c" 3 null "2024-01-01 03:00:00+00" "2024-01-01 05:00:00+00" 5 false`,
			`"c" 5 null "2024-01-01 05:00:00+00" null null true`,
		}},
		{"history after 2, to 3", table(request(ontosql.History, 2, 3, files...), "id", "commit_id", "n", "valid_to_commit", "is_current"), []string{
			`"a" 3 3 3 false`, `"a" 3 4 null true`, `"c" 3 null null true`,
		}},
		{"changes", table(request(ontosql.Changes, 0, 5, files...), "id", "commit_id", "n", "change", "changed_fields", "before"), []string{
			`"a" 1 1 "insert" ["N"] null`,
			`"a" 2 2 "update" ["N"] {"N":1,"id":"a"}`,
			`"a" 3 3 "update" ["N"] {"N":2,"id":"a"}`,
			`"a" 3 4 "update" ["N"] {"N":3,"id":"a"}`,
			`"b" 1 10 "insert" ["N"] null`,
			`"c" 3 null "insert" [] null`,
			`"c" 5 null "update" [] {"id":"c"}`,
		}},
		{"changes after 2", table(request(ontosql.Changes, 2, 3, files...), "id", "n", "change"), []string{
			`"a" 3 "update"`, `"a" 4 "update"`, `"c" null "insert"`,
		}},
		{"blame", table(request(ontosql.Blame, 0, 5, files...), "id", "column_name", "value", "commit_id", "committed_at", "actor", "message"), []string{
			`"a" "n" 4 3 "2024-01-01 03:00:00+00" "actor 3" "message 3"`,
			`"b" "n" 10 1 "2024-01-01 01:00:00+00" "actor 1" "message 1"`,
			`"c" "n" null 3 "2024-01-01 03:00:00+00" "actor 3" "message 3"`,
		}},
	} {
		if diff := gocmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestColumns checks that a fragment and an empty one of the same columns have the same
// description.
func TestColumns(t *testing.T) {
	b := newBench(t, t.TempDir())
	var cols []catalog.Column
	for _, kind := range []column.Kind{column.Text, column.Int64, column.Float64, column.Bool, column.TimestampTZ, column.Date, column.Numeric, column.UUID, column.Bytes, column.JSON} {
		cols = append(cols, field("the "+kind.String(), kind))
	}
	of := typ(cols...)
	file := b.write("1.parquet", entity, nil, version("a", 1, `{"id":"a"}`))
	for _, mode := range []ontosql.Mode{ontosql.Latest, ontosql.History, ontosql.Changes, ontosql.Diff, ontosql.Blame} {
		want := show(catalog.VisibleColumns(of, mode))
		for _, files := range [][]scan.File{nil, {file}, {file, file}} {
			got := b.columns(b.sql(scan.Request{Type: of, Window: ontosql.Window{Mode: mode, Upper: 1}, Files: files}))
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("mode %d, %d files (-catalog +engine):\n%s", mode, len(files), diff)
			}
		}
	}
}

// TestMixedFiles scans files of different columns together, one of them of an old schema
// (A16).
func TestMixedFiles(t *testing.T) {
	b := newBench(t, t.TempDir())
	of := typ(field("a", column.Int64), field("b", column.Text))
	const head = "SELECT %d::bigint AS commit_id, 'T' AS entity_type, '%s' AS entity_key, %s AS schema_version_id, '%s' AS fields_json"
	files := []scan.File{
		b.copyTo("1.parquet", fmt.Sprintf(head, 1, "p", "NULL::integer", `{"old":true,"a":1}`)+`, true AS old, 1::bigint AS a`),
		b.copyTo("2.parquet", fmt.Sprintf(head, 2, "q", "2::bigint", `{"a":2,"b":"two"}`)+`, 'two' AS b, 2::bigint AS a`),
		b.copyTo("3.parquet", fmt.Sprintf(head, 3, "r", "2::bigint", `{"b":"three","a":3}`)+`, 3::bigint AS a, 'three' AS b`),
		b.copyTo("4.parquet", fmt.Sprintf(head, 4, "s", "2::bigint", `{"b":"four","a":4}`)),
		b.copyTo("5.parquet", fmt.Sprintf(head, 5, "t", "2::bigint", `{"a":"5","b":[5]}`)+`, '5' AS a, [5] AS b`),
		b.copyTo("6.parquet", fmt.Sprintf(head, 6, "u", "2::bigint", `{"a":6,"b":NaN,"c":Infinity}`)),
		b.copyTo("7.parquet", fmt.Sprintf(head, 7, "v", "2::bigint", `{"a":7,"b":"\ud800"}`)),
		b.copyTo("8.parquet", fmt.Sprintf(head, 8, "w", "2::bigint", `broken`)),
	}
	changes := b.sql(scan.Request{Type: of, Window: ontosql.Window{Mode: ontosql.Changes, Upper: 8}, Files: files})
	// Without fields_json: Go's JSON decoder rejects NaN.
	got := table(b.rows("SELECT id, schema_version_id, a, b, change FROM ("+changes+")"), "id", "schema_version_id", "a", "b", "change")
	want := []string{
		`"p" null 1 null "insert"`, `"q" 2 2 "two" "insert"`, `"r" 2 3 "three" "insert"`, `"s" 2 4 "four" "insert"`,
		`"t" 2 5 "[5]" "insert"`, `"u" 2 6 "NaN" "insert"`, `"v" 2 7 null "insert"`, `"w" 2 null null "insert"`,
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	latest := b.rows(b.sql(scan.Request{Type: of, Window: ontosql.Window{Upper: 8}, Files: files}))
	if len(latest) != 8 {
		t.Errorf("latest has %d rows, want 8", len(latest))
	}
}

// TestKeys reads integer endpoints, returns keys in their display type and restricts a scan to
// identities.
func TestKeys(t *testing.T) {
	b := newBench(t, t.TempDir())
	of := &catalog.Type{Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "R"}, InstanceKey: "seat", Columns: []catalog.Column{
		{Name: "left_key", Field: "left_key", Role: catalog.FromLeftKey, Type: column.Type{Kind: column.Int64}},
		{Name: "right_key", Field: "right_key", Role: catalog.FromRightKey, Type: column.Type{Kind: column.Text}},
		{Name: "seat", Field: "seat", Role: catalog.FromInstanceKey, Type: column.Type{Kind: column.Text}},
	}}
	const row = "SELECT %d::bigint AS commit_id, 'R' AS relation_type, %s AS left_key, 'x' AS right_key, %s AS instance_key, 1::bigint AS schema_version_id, '{}' AS fields_json"
	files := []scan.File{
		b.copyTo("1.parquet", fmt.Sprintf(row, 1, "7::bigint", "'s1'")+" UNION ALL "+fmt.Sprintf(row, 1, "8::bigint", "'s1'")),
		b.copyTo("2.parquet", fmt.Sprintf(row, 2, "'7'", "'s1'")+" UNION ALL "+fmt.Sprintf(row, 2, "'07'", "'s1'")+" UNION ALL "+fmt.Sprintf(row, 2, "'seven'", "'s2'")),
	}
	hidden := []scan.Hidden{{Name: "commit_id", As: "c"}, {Name: "instance_key", As: "i"}}
	request := scan.Request{Type: of, Window: ontosql.Window{Upper: 2}, Files: files, Hidden: hidden}
	got := table(b.rows(b.sql(request)), "left_key", "right_key", "seat", "c", "i")
	want := []string{`7 "x" "s1" 2 "s1"`, `8 "x" "s1" 1 "s1"`, `null "x" "s1" 2 "s1"`, `null "x" "s2" 2 "s2"`}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("identities (-want +got):\n%s", diff)
	}
	request.KeyEquals = []scan.KeyEqual{{Column: "left_key", Texts: []string{"'7'", "'8'"}}, {Column: "instance_key", Texts: []string{"'s1'"}}}
	if got := table(b.rows(b.sql(request)), "left_key", "c"); !slices.Equal(got, []string{"7 2", "8 1"}) {
		t.Errorf("left_key 7 or 8: %v", got)
	}
	request.KeyEquals = []scan.KeyEqual{{Column: "entity_key", Texts: []string{"'7'"}}}
	if _, err := scan.SQL(request); err == nil {
		t.Error("a relation was restricted by entity_key")
	}
}

// TestFloor hides rows that a dropped type of the same name left in a snapshot (A14).
func TestFloor(t *testing.T) {
	b := newBench(t, t.TempDir())
	of := typ()
	of.Floor = 3
	file := b.write("1-5.parquet", entity, nil, version("gone", 1, `{}`), version("gone", 2, `{}`), version("same", 3, `{}`), version("kept", 5, `{}`))
	got := table(b.rows(b.sql(scan.Request{Type: of, Window: ontosql.Window{Mode: ontosql.History, Upper: 5}, Files: []scan.File{file}})), "id", "commit_id")
	if diff := gocmp.Diff([]string{`"kept" 5`, `"same" 3`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSharedCommit reads two files of one commit: the later file wins (A15).
func TestSharedCommit(t *testing.T) {
	b := newBench(t, t.TempDir())
	fields := []format.SchemaField{format.NewField("n", format.FieldInt, true)}
	files := []scan.File{
		b.write("1a.parquet", entity, fields, version("a", 1, `{"n":1}`)),
		b.write("1b.parquet", entity, fields, version("a", 1, `{"n":2}`)),
	}
	got := table(b.rows(b.sql(scan.Request{Type: typ(field("n", column.Int64)), Window: ontosql.Window{Upper: 1}, Files: files})), "n")
	if !slices.Equal(got, []string{"2"}) {
		t.Errorf("n = %v, want [2]", got)
	}
}

func TestChangedFields(t *testing.T) {
	b := newBench(t, t.TempDir())
	of, wide := typ(field("A", column.JSON)), wideType(100)
	for _, test := range []struct {
		before, after string
		want          string
	}{
		{`{"A":1}`, `{"A":1}`, `[]`},
		{`{"A":1}`, `{"A":1.0}`, `[]`},
		{`{"A":1}`, `{"A":2}`, `["A"]`},
		{`{"A":1}`, `{"A":"1"}`, `["A"]`},
		{`{}`, `{"A":null}`, `[]`},
		{`{"A":null}`, `{}`, `[]`},
		{`{}`, `{"A":0}`, `["A"]`},
		{`{"A":0}`, `{}`, `["A"]`},
		{`{"A":9007199254740993}`, `{"A":9007199254740992}`, `["A"]`},
		{`{"A":1e+300}`, `{"A":2e+300}`, `["A"]`},
		{`{"A":0.1}`, `{"A":0.2}`, `["A"]`},
		{`{"A":-0.0}`, `{"A":0.0}`, `[]`},
		{`{"A":[1,2]}`, `{"A":[1,2]}`, `[]`},
		{`{"A":[1,2]}`, `{"A":[2,1]}`, `["A"]`},
		{`{"A":{"x":1}}`, `{"A":{"x":2}}`, `["A"]`},
		{`{"A":"null"}`, `{"A":null}`, `["A"]`},
		{`{"A":true}`, `{"A":false}`, `["A"]`},
		{`{"A":"x","B":1}`, `{"A":"x","B":2}`, `[]`},
	} {
		files := []scan.File{b.write("1.parquet", entity, nil, version("k", 1, test.before)), b.write("2.parquet", entity, nil, version("k", 2, test.after))}
		for _, of := range []*catalog.Type{of, wide} {
			rows := b.rows(b.sql(scan.Request{Type: of, Window: ontosql.Window{Mode: ontosql.Changes, Lower: 1, Upper: 2}, Files: files}))
			if len(rows) != 1 || string(rows[0]["changed_fields"]) != test.want {
				t.Errorf("%s -> %s of %d fields: %v, want changed_fields %s", test.before, test.after, len(of.Columns)-1, table(rows, "changed_fields"), test.want)
			}
		}
	}
}

// wideType has a field A and many others.
func wideType(fields int) *catalog.Type {
	columns := []catalog.Column{field("A", column.JSON)}
	for i := 1; i < fields; i++ {
		columns = append(columns, field(fmt.Sprintf("f%04d", i), column.Text))
	}
	return typ(columns...)
}

// TestChangedFieldsOfWideTypes checks that the result and its order do not depend on the
// number of fields.
func TestChangedFieldsOfWideTypes(t *testing.T) {
	b := newBench(t, t.TempDir())
	files := []scan.File{
		b.write("1.parquet", entity, nil, version("k", 1, `{"A":1,"f0001":"a","f0031":"b"}`), version("n", 1, `{}`)),
		b.write("2.parquet", entity, nil, version("k", 2, `{"A":2,"f0001":"a","f0030":"c","f0031":"d"}`)),
	}
	for _, fields := range []int{32, 33, 1590} {
		got := table(b.rows(b.sql(scan.Request{Type: wideType(fields), Window: ontosql.Window{Mode: ontosql.Changes, Upper: 2}, Files: files})), "id", "change", "changed_fields")
		want := []string{`"k" "insert" ["A","f0001","f0031"]`, `"k" "update" ["A","f0030","f0031"]`, `"n" "insert" []`}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%d fields (-want +got):\n%s", fields, diff)
		}
	}
}
