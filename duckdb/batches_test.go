package duckdb

import (
	"fmt"
	"io"
	"testing"
)

// TestBatchesAllocateByBatch reads every column type and counts the allocations of one more
// batch: they must not grow with its rows.
func TestBatchesAllocateByBatch(t *testing.T) {
	c := connect(t, openEngine(t, Options{Threads: 1}))
	for _, test := range matrix {
		t.Run(test.name, func(t *testing.T) {
			exec(t, c, fmt.Sprintf("CREATE OR REPLACE TABLE t AS SELECT %s AS v FROM (SELECT range AS i FROM range(60000))", test.sql))
			rows := stream(t, c, "SELECT CASE WHEN hash(v) % 3 > 0 THEN v END AS n, v FROM t")
			defer rows.Close()
			next := func() {
				if _, err := rows.Next(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for range 5 { // let the buffers grow
				next()
			}
			if n := testing.AllocsPerRun(15, next); n > 100 {
				t.Errorf("%v allocations for a batch of 2048 rows", n)
			}
		})
	}
}

// TestShortenedBatch removes columns from a batch, as a reader does that shows fewer columns
// than it queried. The next batch must have all of them.
func TestShortenedBatch(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	rows := stream(t, c, "SELECT range, 1 FROM range(5000)")
	defer rows.Close()
	for n := 0; ; {
		b, err := rows.Next(t.Context())
		if err == io.EOF {
			if n != 5000 {
				t.Errorf("%d rows, want 5000", n)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Cols) != 2 {
			t.Fatalf("%d columns after %d rows, want 2", len(b.Cols), n)
		}
		n += b.Len
		b.Cols = b.Cols[:0]
	}
}

// stream starts a query. Its statement is closed at once: an open Rows does not need it.
func stream(t *testing.T, c *Conn, sql string) *Rows {
	t.Helper()
	s, err := c.Prepare(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.Query(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
