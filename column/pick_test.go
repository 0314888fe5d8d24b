package column_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/column"
)

func TestPickTakesRowsInTheirOwnMemory(t *testing.T) {
	text := column.Type{Kind: column.Text}
	b := column.NewBuilder([]column.Named{
		{Name: "left out", Type: column.Type{Kind: column.Bool}},
		{Name: "n", Type: column.Type{Kind: column.Int64}},
		{Name: "s", Type: text},
		{Name: "l", Type: column.Type{Kind: column.List, Elem: &text}},
	})
	b.Append(true, 1, "one", []string{"a"})
	b.Append(true, 2, nil, []string{"b", "c"})
	b.Append(true, nil, "three", nil)
	whole := b.Batch()
	picked := whole.Pick(1, []int{2, 1})

	// The engine continues and reuses its memory.
	whole.Cols[1].I64[1] = -1
	copy(whole.Cols[2].Str[2], "xxxxx")
	copy(whole.Cols[3].Child.Str[1], "x")
	clear(whole.Cols[2].Valid)

	if picked.Len != 2 || len(picked.Cols) != 3 {
		t.Fatalf("two rows of three columns were picked, there are %d of %d", picked.Len, len(picked.Cols))
	}
	n, s, l := &picked.Cols[0], &picked.Cols[1], &picked.Cols[2]
	nulls := [][2]bool{{n.IsNull(0), n.IsNull(1)}, {s.IsNull(0), s.IsNull(1)}, {l.IsNull(0), l.IsNull(1)}}
	if diff := cmp.Diff([][2]bool{{true, false}, {false, true}, {true, false}}, nulls); diff != "" {
		t.Errorf("nulls (-want +got):\n%s", diff)
	}
	if n.I64[1] != 2 || string(s.Str[0]) != "three" {
		t.Errorf("values are %v and %q", n.I64, s.Str)
	}
	if list := l.Lists[1]; list.Length != 2 || string(l.Child.Str[list.Offset]) != "b" || string(l.Child.Str[list.Offset+1]) != "c" {
		t.Errorf("the list is %+v of %q, want b and c", list, l.Child.Str)
	}
	if whole.Pick(1, nil).Len != 0 {
		t.Error("picking no rows gave some")
	}
}
