package duckdb

import (
	"testing"

	"github.com/ontosql/ontosql/column"
)

// TestRecords reads structs with and without names, nested and in lists, over several batches.
func TestRecords(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	seen := 0
	err := c.Each(t.Context(), "SELECT CASE WHEN i % 3 > 0 THEN row(i, {'a': CASE WHEN i % 2 > 0 THEN 's' || i END}) END, [row(i)] FROM range(5000) t(i)", nil, func(b *column.Batch, i int) {
		v, list := &b.Cols[0], &b.Cols[1]
		n := int64(seen)
		seen++
		if v.Type.Kind != column.Record || list.Type.Elem.Kind != column.Record {
			t.Fatalf("the types are %v and %v", v.Type, list.Type)
		}
		if v.IsNull(i) != (n%3 == 0) || !v.IsNull(i) && (v.Fields[0].I64[i] != n || v.Fields[1].Fields[0].IsNull(i) != (n%2 == 0)) {
			t.Fatalf("row %d is wrong: %+v", n, v.Fields[0].I64[i])
		}
		if at := list.Lists[i].Offset; list.Child.Fields[0].I64[at] != n {
			t.Fatalf("the list of row %d has %d", n, list.Child.Fields[0].I64[at])
		}
	})
	if err != nil || seen != 5000 {
		t.Fatal(seen, err)
	}
}
