package ingest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/mirror"
)

// fieldTypes are the types that a field of a row can have.
var fieldTypes = []column.Type{
	{Kind: column.Text},
	{Kind: column.Int64},
	{Kind: column.Float64},
	{Kind: column.Bool},
	{Kind: column.TimestampTZ},
	{Kind: column.Date},
	{Kind: column.Numeric, Width: 38, Scale: 12},
	{Kind: column.JSON},
	{Kind: column.UUID},
	{Kind: column.Bytes},
}

// rowTypes have keys and fields of every kind.
func rowTypes() []*catalog.Type {
	fields := []catalog.Column{}
	for i, t := range append(slices.Clone(fieldTypes), fieldTypes[:2]...) {
		name := fmt.Sprint("f", i)
		if i >= len(fieldTypes) {
			name = []string{"a/b~c", "A B"}[i-len(fieldTypes)] // as JSON pointers and SQL have to quote them
		}
		fields = append(fields, catalog.Column{Name: name, Field: name, Type: t})
	}
	key := func(name string, role catalog.Role, kind column.Kind) catalog.Column {
		return catalog.Column{Name: name, Field: name, Role: role, Type: column.Type{Kind: kind}, NotNull: true}
	}
	return []*catalog.Type{
		{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}, SchemaID: 3, Key: []int{0}, Columns: append([]catalog.Column{key("id", catalog.FromEntityKey, column.Int64)}, fields...)},
		{Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "Link"}, SchemaID: 4, Key: []int{0, 1, 2}, Columns: append([]catalog.Column{
			key("left_key", catalog.FromLeftKey, column.Text), key("right_key", catalog.FromRightKey, column.Int64), key("at", catalog.FromInstanceKey, column.Date),
		}, fields...)},
	}
}

// randomRow is a row whose fields are mostly what their columns want, and now and
// then missing, null, extreme or of another type.
func randomRow(r *rand.Rand, t *catalog.Type, commit ontosql.CommitID) format.Row {
	pick := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	var parts []string
	for _, c := range t.Columns {
		if c.Role != catalog.FromField || r.IntN(8) == 0 {
			continue
		}
		text := map[column.Kind]string{
			column.Text:        pick(`"plain"`, `""`, `"\u00e9\u4e2d"`, `"it's \"quoted\"\n\\"`, `"\ud83d\ude00"`, `"\ud800"`, `"a\u0000b"`, `"?$1 %s"`),
			column.Int64:       pick("0", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808", "92233720368547758079", "1.0", fmt.Sprint(r.Int64())),
			column.Float64:     pick("0", "-0.0", "1e22", "5e-324", "1.7976931348623157e308", "NaN", "-Infinity", "9007199254740993", fmt.Sprint(r.NormFloat64())),
			column.Bool:        pick("true", "false", `"true"`, "1"),
			column.TimestampTZ: pick(`"2024-02-03T04:05:06.000007+00:00"`, `"2024-02-03 04:05:06"`, `"2024-02-03T04:05:06+05:30"`, `"never"`),
			column.Date:        pick(`"2024-02-29"`, `"0001-01-01"`, `"2023-02-29"`),
			column.Numeric:     pick(`"12.5"`, "12.5", `"1e3"`, `"123456789012345678901234567890"`, "7"),
			column.JSON:        pick(`{"a": [1, null, {"b": 1.50}]}`, "[]", `"text"`, "null", "17"),
			column.UUID:        pick(`"00000000-0000-0000-0000-00000000000a"`, `"0"`),
			column.Bytes:       pick(`"AAEC"`, `"?"`),
		}[c.Type.Kind]
		switch r.IntN(12) {
		case 0:
			text = "null"
		case 1:
			text = pick(`"odd"`, "3", "[1]", "true")
		}
		parts = append(parts, fmt.Sprintf("%q:%s", c.Field, text))
	}
	image, err := format.Canonicalize([]byte("{" + strings.Join(parts, ",") + "}"))
	if err != nil {
		panic(err)
	}
	row := format.Row{Commit: commit, SchemaVersionID: t.SchemaID * int64(r.IntN(2)), Fields: image}
	number := func() string { return pick(fmt.Sprint(r.IntN(1000)), "007", "-5", "it's") }
	if t.Ref.Kind == ontosql.Entity {
		row.Key = number()
	} else {
		row.Left, row.Right, row.Instance = pick("l", "é", ""), number(), pick("", "2024-01-01", "then")
	}
	return row
}

// schemaOf has a typed column in the files for each kind that has one.
func schemaOf(t *catalog.Type) (fields []format.SchemaField) {
	for _, c := range t.Columns {
		if of, ok := map[column.Kind]format.FieldType{
			column.Int64: format.FieldInt, column.Text: format.FieldStr, column.Float64: format.FieldFloat, column.Bool: format.FieldBool,
		}[c.Type.Kind]; ok && c.Role == catalog.FromField {
			fields = append(fields, format.NewField(c.Field, of, true))
		}
	}
	return fields
}

// TestValuesAreReadAsFilesAre reads random rows as the mirror takes them from
// memory, and from the files that hold them: they are the same in every column,
// and so are the counts of what cannot be read.
func TestValuesAreReadAsFilesAre(t *testing.T) {
	const seed = 17
	r := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	conn := openEngine(t, dir)
	text := func(sql string) (lines []string) {
		t.Helper()
		err := conn.Each(t.Context(), "SELECT CAST(x AS VARCHAR) FROM ("+sql+") AS x", nil, func(b *column.Batch, i int) { lines = append(lines, string(b.Cols[0].Str[i])) })
		if err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
		slices.Sort(lines)
		return lines
	}
	compared := 0
	for round := range 60 {
		typ := rowTypes()[round%2]
		var rows []format.Row
		var files []scan.File
		for commit := ontosql.CommitID(5); commit < 5+ontosql.CommitID(1+r.IntN(4)); commit++ {
			seen := map[string]bool{} // an identity comes once in a commit
			var own []format.Row
			for range 1 + r.IntN(20) {
				row := randomRow(r, typ, commit)
				if id := fmt.Sprint(row.Key, row.Left, row.Right, row.Instance); Plain(&row) && !seen[id] {
					seen[id] = true
					own = append(own, row)
				}
			}
			if len(own) > 0 {
				files = append(files, writeRows(t, filepath.Join(dir, fmt.Sprintf("%d-%d.parquet", round, commit)), typ, own))
				rows = append(rows, own...)
			}
		}
		if len(rows) == 0 {
			continue
		}
		compared += len(rows)
		ofRows, _, err := scan.Stored(scan.Request{
			Type: typ, Window: ontosql.Window{Lower: 4, Upper: 20},
			Files: []scan.File{{Rows: Values(typ, rows), Facts: RowFacts(typ), Min: 5, Max: 20}},
		})
		if err != nil {
			t.Fatal(err)
		}
		ofFiles, duplicates, err := scan.Stored(scan.Request{Type: typ, Files: files, Window: ontosql.Window{Lower: 4, Upper: 20}})
		if err != nil || duplicates {
			t.Fatalf("%v, duplicates %t", err, duplicates)
		}
		if diff := cmp.Diff(text(ofFiles), text(ofRows)); diff != "" {
			t.Fatalf("seed %d, round %d (-files +rows):\n%s", seed, round, diff)
		}
		count := func(sql string, files []scan.File) []string {
			t.Helper()
			if err := conn.Exec(t.Context(), "CREATE OR REPLACE TEMP TABLE "+mirror.Versions+" AS "+sql); err != nil {
				t.Fatal(err)
			}
			bad, err := scan.UnreadableByCommit(typ, files, 4, mirror.Versions)
			if err != nil {
				t.Fatal(err)
			}
			return text("SELECT * FROM (" + bad + ") AS b (col, c, n)")
		}
		if diff := cmp.Diff(count(ofFiles, files), count(ofRows, []scan.File{{Facts: RowFacts(typ)}})); diff != "" {
			t.Errorf("seed %d, round %d: values that cannot be read (-files +rows):\n%s", seed, round, diff)
		}
	}
	if compared < 200 {
		t.Errorf("only %d rows were compared", compared)
	}
}

func writeRows(t *testing.T, path string, typ *catalog.Type, rows []format.Row) scan.File {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = format.WriteRows(f, typ.Ref, format.DataFields(schemaOf(typ)), func(yield func(format.Row, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	facts, err := format.Inspect(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return scan.File{Path: path, Facts: facts, Min: facts.MinCommit, Max: facts.MaxCommit}
}
