package duckdb_test

import (
	"testing"

	"github.com/ontosql/ontosql/duckdb"
)

// TestQueryOnSnapshot commits rows to an attached file when a statement reports that its
// snapshot is fixed: it must not see them, wherever its plan reads the table.
func TestQueryOnSnapshot(t *testing.T) {
	dir := t.TempDir()
	e, err := duckdb.Open(t.Context(), duckdb.Options{ReadDirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	connect := func() *duckdb.Conn {
		c, err := e.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	reader, writer := connect(), connect()
	write := func(sql string) {
		t.Helper()
		if err := writer.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	write("ATTACH " + duckdb.Literal(dir+"/rows.duckdb") + " AS store")
	write("CREATE TABLE store.t AS SELECT range AS k FROM range(10)")
	rows := int64(10)
	for _, sql := range []string{
		"SELECT count(*) FROM store.t",
		"SELECT count(*) FROM store.t WHERE k >= 0",
		"SELECT max(k) + 1 FROM store.t",
		"SELECT count(*) FROM range(1000000) AS r JOIN store.t ON t.k = r.range",
	} {
		for range 3 {
			st, err := reader.Prepare(t.Context(), sql)
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			result, err := st.QueryOnSnapshot(t.Context(), nil, func() { write("INSERT INTO store.t SELECT max(k) + 1 FROM store.t") })
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			b, err := result.Next(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			if got := b.Cols[0].I64[0]; got != rows {
				t.Errorf("%s sees %d rows, want the %d from before it was settled", sql, got, rows)
			}
			rows++
			result.Close()
			st.Close()
		}
	}
}
