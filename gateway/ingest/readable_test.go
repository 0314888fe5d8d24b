package ingest

import (
	"fmt"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// TestReadable compares what is decided about readable rows and parameters without the engine
// with what the engine finds in their JSON.
func TestReadable(t *testing.T) {
	conn := openEngine(t)
	texts := []string{
		"null", "true", "false", "0", "-0", "-1", "12", "123456789012345", "1234567890123456", "9007199254740993", "9223372036854775807", "9223372036854775808",
		"1.0", "-0.0", "1.5", "3.7", "0.1", "1e2", "1e-07", "1.25e+20", "1e99", "1e100", "1.7976931348623157e+308", "5e-324", "123456789012345678901234567890123",
		`""`, `"x"`, `"12"`, `"1.5"`, `"true"`, `"null"`, `"\u00e9\"\\\n"`, `"\ud83d\ude00"`, `[]`, `[1,{"a":null}]`, `{}`, `{"a":"b"}`,
		`"2026-02-28"`, `"2026-02-29"`, `"0000-01-01"`, `"0001-01-01"`, `"9999-12-31"`, `"02026-02-28"`, `"2026-2-8"`, `"infinity"`,
		`"2026-02-28T12:34:56.000001+00:00"`, `"2026-02-28T24:00:00.000000+00:00"`, `"2026-02-28T12:34:56+00:00"`, `"2026-02-28 12:34:56"`, `"0001-01-01T00:00:00.000000+00:00"`,
		`"00112233-4455-6677-8899-aabbccddeeff"`, `"00112233-4455-6677-8899-AABBCCDDEEFF"`, `"00112233445566778899aabbccddeeff"`, `"0011223g-4455-6677-8899-aabbccddeeff"`,
		`"AAEC"`, `"AAE="`, `"AAE"`, `"AA=="`, `"AB=="`, `"?"`,
	}
	for _, kind := range fieldTypes {
		typ := &catalog.Type{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "T"}, Columns: []catalog.Column{
			{Name: "id", Role: catalog.FromEntityKey, Type: column.Type{Kind: column.Text}},
			{Name: "v", Field: "v", Role: catalog.FromField, Type: kind},
		}, Key: []int{0}}
		surely := 0
		for _, v := range texts {
			row := format.Row{Key: "k", Commit: 1, SchemaVersionID: 1, Fields: fmt.Appendf(nil, `{"v":%s}`, v)}
			if !readable(typ, &row) {
				continue
			}
			surely++
			files := []scan.File{{Rows: Values(typ, []format.Row{row}), Facts: RowFacts(typ), Min: 1, Max: 1}}
			sql, err := scan.Unreadable(typ, typ.Columns, files, nil)
			if err != nil {
				t.Fatal(err)
			}
			if sql != "" {
				err = conn.Each(t.Context(), sql, nil, func(b *column.Batch, i int) {
					if b.Cols[2].I64[i] > 0 {
						t.Errorf("%s is readable as %s, and the engine reads NULL", v, kind)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			byJSON := stored(t, conn, typ, files[0], nil)
			relation, args := parameters(typ, []format.Row{row}, 1, files[0].Facts)
			files[0].Rows = relation
			if byParameter := stored(t, conn, typ, files[0], args); byParameter != byJSON {
				t.Errorf("%s as %s is %q as a parameter, and %q in JSON", v, kind, byParameter, byJSON)
			}
		}
		if least := map[column.Kind]int{column.Numeric: 1, column.Date: 3, column.UUID: 2, column.Bytes: 3, column.TimestampTZ: 3, column.Bool: 3}[kind.Kind]; surely < max(least, 1) {
			t.Errorf("%d values are readable as %s", surely, kind)
		}
	}
}

// stored is the value v of a file of one row, as text.
func stored(t *testing.T, conn *duckdb.Conn, typ *catalog.Type, file scan.File, args []any) (text string) {
	t.Helper()
	sql, err := scan.SQL(scan.Request{Type: typ, Window: ontosql.Window{Upper: 1}, Files: []scan.File{file}})
	if err != nil {
		t.Fatal(err)
	}
	err = conn.Each(t.Context(), "SELECT coalesce(CAST(v AS VARCHAR), 'NULL') FROM ("+sql+")", args, func(b *column.Batch, i int) {
		text = string(b.Cols[0].Str[i])
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// openEngine opens an engine for the time of the test, which may read files of some directories,
// and a connection to it.
func openEngine(t *testing.T, readDirs ...string) *duckdb.Conn {
	t.Helper()
	engine, err := duckdb.Open(t.Context(), duckdb.Options{ReadDirs: readDirs, TempDir: t.TempDir(), MemoryLimit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	conn, err := engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}
