package workspace_test

import (
	"slices"
	"testing"

	"github.com/ontosql/ontosql/workspace"
)

// TestKeys checks what is unique in a table with constraints and indexes.
func TestKeys(t *testing.T) {
	table := &workspace.Table{
		Columns: []workspace.Column{{Number: 1, Name: "a"}, {Number: 2, Name: "b"}},
		Key:     &workspace.Unique{Number: 1, Name: "pkey", Columns: []int{1}},
		Uniques: []workspace.Unique{{Number: 4, Name: "ab", Columns: []int{1, 2}}},
		Indexes: []workspace.Index{
			{Number: 5, Name: "plain", Unique: true, Keys: []workspace.IndexKey{{Column: 2, Columns: []int{2}}}},
			{Number: 3, Name: "part", Unique: true, Keys: []workspace.IndexKey{{Column: 1, Columns: []int{1}}}, Where: "b > 0", WhereColumns: []int{2}},
			{Number: 2, Name: "lower", Unique: true, Keys: []workspace.IndexKey{{Text: "lower(b)", Columns: []int{2}}}},
			{Number: 6, Name: "other", Keys: []workspace.IndexKey{{Column: 2, Columns: []int{2}}}},
		},
	}
	want := []struct {
		name    string
		columns []int // of Columns
		a, b    bool  // of Uses
	}{
		{"pkey", []int{1}, true, false}, {"lower", nil, false, true}, {"part", nil, true, true}, {"ab", []int{1, 2}, true, true}, {"plain", []int{2}, false, true},
	}
	keys := table.Keys()
	if len(keys) != len(want) {
		t.Fatalf("the table has %d keys, want %d", len(keys), len(want))
	}
	for i, k := range keys {
		w := want[i]
		if k.Name != w.name || !slices.Equal(k.Columns(), w.columns) || k.Uses(1) != w.a || k.Uses(2) != w.b {
			t.Errorf("key %d is %s of the columns %v, which uses a: %v, b: %v, want %v", i, k.Name, k.Columns(), k.Uses(1), k.Uses(2), w)
		}
	}
	if got := table.NextUnique(); got != 7 {
		t.Errorf("the next key has number %d, want 7", got)
	}
}
