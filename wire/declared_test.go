package wire

import (
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// TestDeclaredScale shows a column of numeric(p,s) with as many digits behind the
// point as it was declared with; a negative s leaves none. What is computed shows
// Column.Scale digits.
func TestDeclaredScale(t *testing.T) {
	for _, c := range []struct {
		typmod      int32
		scale       int
		whole, half string // 1200 and 12.5, as DECIMAL(38,12)
	}{
		{-1, 0, "1200", "12.5"},
		{-1, 2, "1200.00", "12.50"}, // computed from numeric(p,2)
		{-1, 13, "1200.000000000000", "12.500000000000"},
		{5<<16 + 4, 0, "1200", "12.5"},
		{5<<16 | 1 + 4, 0, "1200.0", "12.5"},
		{10<<16 | 3 + 4, 2, "1200.000", "12.500"},
		{5<<16 | 0x7FE + 4, 0, "1200", "12.5"}, // numeric(5,-2)
	} {
		batch := &column.Batch{Len: 2, Cols: []column.Vector{{
			Type: column.Type{Kind: column.Numeric, Width: 38, Scale: 12},
			I128: []column.Int128{{Lo: 1_200_000_000_000_000}, {Lo: 12_500_000_000_000}},
		}}}
		for _, format := range []int16{pgproto3.TextFormat, pgproto3.BinaryFormat} {
			e, err := newRowEncoder([]Column{{OID: oidNumeric, Typmod: c.typmod, Scale: c.scale}}, batch, []int16{format}, &textout.Style{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []string{c.whole, c.half} {
				if format == pgproto3.BinaryFormat {
					want = string(appendNumericBinary(nil, []byte(want)))
				}
				if got := string(e.columns[0](nil, &batch.Cols[0], i)); got != want {
					t.Errorf("typmod %d, scale %d, format %d: got %q, want %q", c.typmod, c.scale, format, got, want)
				}
			}
		}
	}
}
