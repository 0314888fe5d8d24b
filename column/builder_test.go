package column_test

import (
	"testing"
	"time"

	"github.com/ontosql/ontosql/column"
)

func TestBuilderKeepsRowsAndNulls(t *testing.T) {
	text := column.Type{Kind: column.Text}
	b := column.NewBuilder([]column.Named{
		{Name: "id", Type: column.Type{Kind: column.Int64}},
		{Name: "at", Type: column.Type{Kind: column.TimestampTZ}},
		{Name: "tags", Type: column.Type{Kind: column.List, Elem: &text}},
	})
	at := time.Date(2025, 1, 2, 3, 4, 5, 6000, time.UTC)
	b.Append(1, at, []string{"a", "b"})
	b.Append(2, nil, nil)
	b.Append(nil, at, []string{"c"})
	got := b.Batch()

	if got.Len != 3 {
		t.Fatalf("three rows appended, batch has %d", got.Len)
	}
	nulls := [3][3]bool{{false, false, false}, {false, true, true}, {true, false, false}}
	for row, want := range nulls {
		for col := range got.Cols {
			if is := got.Cols[col].IsNull(row); is != want[col] {
				t.Errorf("row %d column %d: null is %v, want %v", row, col, is, want[col])
			}
		}
	}
	if us := got.Cols[1].I64[0]; us != at.UnixMicro() {
		t.Errorf("timestamp is %d µs, want %d", us, at.UnixMicro())
	}
	last := got.Cols[2].Lists[2]
	if last.Length != 1 || string(got.Cols[2].Child.Str[last.Offset]) != "c" {
		t.Errorf("the list of row 2 spans %+v of %q, want the one element c", last, got.Cols[2].Child.Str)
	}
}

func TestBuilderRefusesAWrongType(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a string went into a bigint column without a panic")
		}
	}()
	column.NewBuilder([]column.Named{{Name: "id", Type: column.Type{Kind: column.Int64}}}).Append("x")
}
