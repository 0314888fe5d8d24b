package wire

import (
	"fmt"
	"io"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// benchRows are customers: three texts, a float8 and an int8.
func benchRows(n int) (*column.Batch, []Column) {
	cols := make([]column.Vector, 5)
	for i, kind := range []column.Kind{column.Text, column.Text, column.Text, column.Float64, column.Int64} {
		cols[i].Type.Kind = kind
	}
	for i := range n {
		cols[0].Str = append(cols[0].Str, fmt.Appendf(nil, "c%07d", i))
		cols[1].Str = append(cols[1].Str, fmt.Appendf(nil, "Customer number %d", i))
		cols[2].Str = append(cols[2].Str, []byte([]string{"Standard", "Silver", "Gold"}[i%3]))
		cols[3].F64 = append(cols[3].F64, float64(i*7919%1_000_000)/100)
		cols[4].I64 = append(cols[4].I64, int64(i*31%1000))
	}
	columns := make([]Column, len(cols))
	for i := range cols {
		columns[i].OID, columns[i].Size = OIDOf(cols[i].Type)
	}
	return &column.Batch{Len: n, Cols: cols}, columns
}

// BenchmarkRows encodes one million rows of five columns into a connection that
// discards them.
func BenchmarkRows(b *testing.B) {
	const rows, perBatch = 1_000_000, 2048
	batch, columns := benchRows(perBatch)
	for _, c := range []struct {
		name   string
		format int16
	}{{"text", 0}, {"binary", 1}} {
		b.Run(c.name, func(b *testing.B) {
			e, err := newRowEncoder(columns, batch, []int16{c.format}, &textout.Style{}, nil)
			if err != nil {
				b.Fatal(err)
			}
			out := output{w: io.Discard}
			b.ReportAllocs()
			for b.Loop() {
				for row := range rows {
					out.buf, _ = e.appendRow(out.buf, batch, row%perBatch)
					if err := out.flushIfFull(); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
