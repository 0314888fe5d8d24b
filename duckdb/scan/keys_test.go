package scan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// keyed returns an entity type with a key of a kind and a field n.
func keyed(kind column.Kind) *catalog.Type {
	of := typ(field("n", column.Int64))
	of.Columns[0].Type = column.Type{Kind: kind}
	return of
}

// mirror creates the two tables of a mirror from files.
func (b *bench) mirror(of *catalog.Type, through ontosql.CommitID, files ...scan.File) *scan.Mirror {
	b.t.Helper()
	stored, duplicates, err := scan.Stored(scan.Request{Type: of, Window: ontosql.Window{Upper: through}, Files: files})
	if err != nil {
		b.t.Fatal(err)
	}
	var defined, names []string
	for _, c := range scan.StoredColumns(of) {
		defined = append(defined, c.Name+" "+duckdb.TypeName(c.Type))
		names = append(names, c.Name)
	}
	b.exec("CREATE OR REPLACE TABLE cur (" + strings.Join(defined, ", ") + ")")
	b.exec("CREATE OR REPLACE TABLE hist (" + strings.Join(defined, ", ") + ", v BIGINT)")
	b.exec("CREATE OR REPLACE TEMP TABLE versions AS SELECT *, lead(r.c) OVER (PARTITION BY k0 ORDER BY r.c, r.o) AS v FROM (" + stored + ") AS r")
	list := strings.Join(names, ", ")
	b.exec("INSERT INTO cur SELECT " + list + " FROM versions WHERE v IS NULL")
	b.exec("INSERT INTO hist SELECT " + list + ", v FROM versions WHERE v IS NOT NULL")
	return &scan.Mirror{Cur: "cur", Hist: "hist", Through: through, Last: through, Duplicates: duplicates, Version: "1"}
}

// TestKeysOfEveryKind reads canonical and other key texts from files, from a mirror, from a
// mirror that lags, and from staged rows.
func TestKeysOfEveryKind(t *testing.T) {
	for kind, keys := range map[column.Kind]map[string]string{ // stored text to value
		column.Int64: {
			"7": "7", "-5": "-5", "0": "0", "9223372036854775807": "9223372036854775807", "-9223372036854775808": "-9223372036854775808",
			"007": "null", "1.0": "null", "x": "null", "": "null", "+7": "null", " 7": "null", "-0": "null", "1e3": "null", "9223372036854775808": "null",
		},
		column.UUID: {
			"00112233-4455-6677-8899-aabbccddeeff": `"00112233-4455-6677-8899-aabbccddeeff"`,
			"00112233-4455-6677-8899-AABBCCDDEEFF": "null", "00112233445566778899aabbccddeeff": "null", "x": "null",
		},
		column.Date: {"2024-02-29": `"2024-02-29"`, "2024-2-29": "null", "2023-02-29": "null", "2024-02-29 00:00:00": "null"},
		column.Text: {"007": `"007"`, "x": `"x"`, "": `""`},
	} {
		t.Run(kind.String(), func(t *testing.T) {
			b := newBench(t, t.TempDir())
			of := keyed(kind)
			b.exec("CREATE TABLE staged (entity_key VARCHAR, fields_json VARCHAR, seq BIGINT)")
			var files []scan.File
			var staged, want []string
			for id := ontosql.CommitID(1); id <= 3; id++ {
				var rows []format.Row
				for text := range keys {
					rows = append(rows, version(text, id, fmt.Sprintf(`{"n":%d}`, id)))
				}
				files = append(files, b.write(fmt.Sprintf("%d.parquet", id), entity, nil, rows...))
			}
			for text, shown := range keys {
				b.exec("INSERT INTO staged VALUES (" + duckdb.Literal(text) + `, '{"n":4}', 1)`)
				staged = append(staged, duckdb.Literal(text))
				want = append(want, fmt.Sprintf("%q %s", text, shown))
			}
			slices.Sort(want)
			m := b.mirror(of, 2, files[:2]...)
			for name, r := range map[string]scan.Request{
				"files":              {Files: files},
				"one file":           {Files: files[:1]},
				"staged rows":        {Staged: "staged"},
				"files, staged rows": {Files: files, Staged: "staged"},
				"mirror":             {Mirror: m, Window: ontosql.Window{Upper: 2}},
				"mirror, older pin":  {Mirror: m, Window: ontosql.Window{Upper: 1}},
				"mirror, file":       {Mirror: m, Files: files[2:]},
				"mirror, staged":     {Mirror: m, Staged: "staged", Window: ontosql.Window{Upper: 2}},
				"mirror, by text":    {Mirror: m, Files: files[2:], KeyEquals: []scan.KeyEqual{{Column: "entity_key", Texts: staged}}},
			} {
				for _, mode := range []ontosql.Mode{ontosql.Latest, ontosql.History, ontosql.Changes} {
					r.Type, r.Window.Mode = of, mode
					r.Hidden = nil
					if mode == ontosql.Latest {
						r.Hidden = []scan.Hidden{{Name: "entity_key", As: "entity_key"}}
					}
					if r.Window.Upper == 0 {
						r.Window.Upper = 3
					}
					rows := b.rows("SELECT DISTINCT id, entity_key FROM (" + b.sql(r) + ")")
					if diff := gocmp.Diff(want, table(rows, "entity_key", "id")); diff != "" {
						t.Errorf("%s, mode %d (-want +got):\n%s", name, mode, diff)
					}
				}
			}
		})
	}
}

// TestMirrorHasTheValuesOfKeys changes the key values in a mirror and checks that every mode
// returns them: they are not computed again. The identity remains the text.
func TestMirrorHasTheValuesOfKeys(t *testing.T) {
	b := newBench(t, t.TempDir())
	of := keyed(column.Int64)
	m := b.mirror(of, 2,
		b.write("1.parquet", entity, nil, version("7", 1, `{"n":1}`), version("x", 1, `{"n":1}`)),
		b.write("2.parquet", entity, nil, version("7", 2, `{"n":2}`)))
	b.exec("UPDATE cur SET f0 = f0 + 1000")
	b.exec("UPDATE hist SET f0 = f0 + 2000")
	seven := []scan.KeyEqual{{Column: "entity_key", Texts: []string{"'7'"}}}
	for _, test := range []struct {
		mode  ontosql.Mode
		upper ontosql.CommitID
		keys  []scan.KeyEqual
		want  []string
	}{
		{ontosql.Latest, 2, nil, []string{"1007 2", "null 1"}},
		{ontosql.Latest, 2, seven, []string{"1007 2"}},
		{ontosql.Latest, 1, nil, []string{"2007 1", "null 1"}},
		{ontosql.Latest, 1, seven, []string{"2007 1"}},
		{ontosql.History, 2, nil, []string{"1007 2", "2007 1", "null 1"}},
		{ontosql.Changes, 2, nil, []string{"1007 2", "2007 1", "null 1"}},
	} {
		r := scan.Request{Type: of, Window: ontosql.Window{Mode: test.mode, Upper: test.upper}, Mirror: m, KeyEquals: test.keys}
		if diff := gocmp.Diff(test.want, table(b.rows(b.sql(r)), "id", "n")); diff != "" {
			t.Errorf("mode %d at commit %d, keys %v (-want +got):\n%s", test.mode, test.upper, test.keys, diff)
		}
	}
}

// TestSignatureOfKeys checks that types whose keys have different types have different
// signatures.
func TestSignatureOfKeys(t *testing.T) {
	seen := map[string]column.Kind{}
	for _, kind := range []column.Kind{column.Text, column.Int64, column.UUID, column.Date} {
		s := scan.Signature(keyed(kind))
		if other, ok := seen[s]; ok {
			t.Errorf("keys of %s and of %s have the same signature", kind, other)
		}
		seen[s] = kind
	}
}
