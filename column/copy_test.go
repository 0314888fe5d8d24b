package column_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/column"
)

func TestCopyKeepsItsOwnMemory(t *testing.T) {
	text := column.Type{Kind: column.Text}
	b := column.NewBuilder([]column.Named{
		{Name: "n", Type: column.Type{Kind: column.Int64}},
		{Name: "s", Type: text},
		{Name: "l", Type: column.Type{Kind: column.List, Elem: &text}},
	})
	b.Append(1, "one", []string{"a"})
	b.Append(2, nil, []string{"b", "c"})
	b.Append(nil, "three", nil)
	b.Append(4, "four", []string{})
	whole := b.Batch()
	kept := whole.Copy(1)

	// The engine goes on and uses its memory again.
	whole.Cols[0].I64[1] = -1
	copy(whole.Cols[1].Str[2], "xxxxx")
	copy(whole.Cols[2].Child.Str[1], "x")
	clear(whole.Cols[1].Valid)

	if kept.Len != 3 {
		t.Fatalf("three rows of four were kept, the copy has %d", kept.Len)
	}
	n, s, l := &kept.Cols[0], &kept.Cols[1], &kept.Cols[2]
	nulls := [][3]bool{{n.IsNull(0), n.IsNull(1), n.IsNull(2)}, {s.IsNull(0), s.IsNull(1), s.IsNull(2)}, {l.IsNull(0), l.IsNull(1), l.IsNull(2)}}
	if diff := cmp.Diff([][3]bool{{false, true, false}, {true, false, false}, {false, true, false}}, nulls); diff != "" {
		t.Errorf("nulls (-want +got):\n%s", diff)
	}
	if n.I64[0] != 2 || n.I64[2] != 4 || string(s.Str[1]) != "three" || string(s.Str[2]) != "four" {
		t.Errorf("values are %v and %q", n.I64, s.Str)
	}
	first := l.Lists[0]
	if first.Length != 2 || string(l.Child.Str[first.Offset]) != "b" || string(l.Child.Str[first.Offset+1]) != "c" {
		t.Errorf("the first list is %+v of %q, want b and c", first, l.Child.Str)
	}
}
