package duckdb_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// TestProfile joins a table with a file: the steps have the rows that they returned, and the
// scans what they read.
func TestProfile(t *testing.T) {
	dir := t.TempDir()
	e, err := duckdb.Open(t.Context(), duckdb.Options{ReadDirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	c, err := e.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	for _, sql := range []string{
		"CREATE TABLE numbers AS SELECT range AS k FROM range(1000)",
		"COPY (SELECT range * 5 AS k FROM range(100)) TO " + duckdb.Literal(dir+"/fives.parquet"),
	} {
		if err := c.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	query := "SELECT count(*), max(f.k) FROM numbers AS n JOIN read_parquet(" + duckdb.Literal(dir+"/fives.parquet") + ") AS f ON n.k = f.k"
	last, err := c.Profile(t.Context(), func() error {
		return c.Each(t.Context(), query, nil, func(*column.Batch, int) {})
	})
	if err != nil || last == nil {
		t.Fatalf("no profile: %v, %v", last, err)
	}
	found := map[string]int64{}
	var visit func(o duckdb.Operator)
	visit = func(o duckdb.Operator) {
		switch o.Type {
		case "TABLE_SCAN":
			found[o.Scan+" of "+o.Source] = o.Rows
		case "HASH_JOIN", "UNGROUPED_AGGREGATE":
			found[o.Type] = o.Rows
		}
		if o.Time < 0 {
			t.Errorf("%s took %s", o.Type, o.Time)
		}
		for _, in := range o.Inputs {
			visit(in)
		}
	}
	visit(*last)
	delete(found, "SEQ_SCAN of numbers") // the join's filter may or may not reach it
	want := map[string]int64{"UNGROUPED_AGGREGATE": 1, "HASH_JOIN": 100, "READ_PARQUET of fives.parquet": 100}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("rows by step (-want +got):\n%s\n%s", diff, fmt.Sprint(last))
	}
	if _, err := c.Profile(t.Context(), func() error { return io.ErrUnexpectedEOF }); err != io.ErrUnexpectedEOF {
		t.Errorf("a failed run: %v", err)
	}
}
