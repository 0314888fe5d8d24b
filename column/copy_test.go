package column_test

import (
	"runtime"
	"strings"
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
	// The engine does not initialise the values of NULL rows.
	whole.Cols[2].Lists[2] = column.Span{Offset: 1 << 40, Length: 1 << 50}
	kept := whole.Copy(1)

	// The engine continues and reuses its memory.
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

// TestCopySizeIsTheCopys allocates copies and holds the memory that they took
// against what was said of them. The allocator rounds up, by an eighth at most
// for what is not tiny.
func TestCopySizeIsTheCopys(t *testing.T) {
	text := column.Type{Kind: column.Text}
	b := column.NewBuilder([]column.Named{
		{Name: "n", Type: column.Type{Kind: column.Int64}},
		{Name: "b", Type: column.Type{Kind: column.Bool}},
		{Name: "f", Type: column.Type{Kind: column.Float64}},
		{Name: "s", Type: text},
		{Name: "l", Type: column.Type{Kind: column.List, Elem: &text}},
	})
	for i := range 5000 {
		var list any
		if i%3 > 0 {
			list = []string{"a", strings.Repeat("b", i%50)}
		}
		b.Append(i, i%2 == 0, float64(i), strings.Repeat("x", i%100), list)
	}
	whole := b.Batch()
	const copies = 50
	kept := make([]*column.Batch, copies)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range kept {
		kept[i] = whole.Copy(0)
	}
	runtime.ReadMemStats(&after)
	got, want := int64(after.TotalAlloc-before.TotalAlloc)/copies, whole.CopySize()
	if got < want || got > want*9/8 {
		t.Errorf("a copy of %d rows took %d bytes, %d were said", kept[0].Len, got, want)
	}
}

// TestCopyOfRecords: copies and picks of records have their fields, each with its NULLs.
func TestCopyOfRecords(t *testing.T) {
	numbers := column.Vector{Type: column.Type{Kind: column.Int64}, I64: []int64{1, 2, 3}}
	texts := column.Vector{Type: column.Type{Kind: column.Text}, Str: [][]byte{[]byte("a"), nil, []byte("c")}}
	texts.SetNull(1, 3)
	record := column.Vector{Type: column.Type{Kind: column.Record, Fields: []column.Type{numbers.Type, texts.Type}}, Fields: []column.Vector{numbers, texts}}
	record.SetNull(2, 3)
	batch := &column.Batch{Len: 3, Cols: []column.Vector{record}}
	if with, without := batch.CopySize(), (&column.Batch{Len: 3, Cols: []column.Vector{{Type: record.Type}}}).CopySize(); with <= without {
		t.Errorf("a copy takes %d bytes, without its fields %d", with, without)
	}
	for name, got := range map[string]*column.Batch{"copy": batch.Copy(1), "pick": batch.Pick(0, []int{1, 2})} {
		v := &got.Cols[0]
		if got.Len != 2 || v.IsNull(0) || !v.IsNull(1) || len(v.Fields) != 2 || v.Fields[0].I64[0] != 2 || !v.Fields[1].IsNull(0) || string(v.Fields[1].Str[1]) != "c" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
