package wire

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/ontosql/ontosql/column"
)

// benchRows is a batch of the five columns that the wire benchmarks use: int8,
// float8, text, timestamptz, bool.
func benchRows(n int) (*column.Batch, []Column) {
	cols := make([]column.Vector, 5)
	for i, kind := range []column.Kind{column.Int64, column.Float64, column.Text, column.TimestampTZ, column.Bool} {
		cols[i].Type.Kind = kind
	}
	for i := range n {
		cols[0].I64 = append(cols[0].I64, int64(i)*1000)
		cols[1].F64 = append(cols[1].F64, float64(i)/8)
		cols[2].Str = append(cols[2].Str, []byte(fmt.Sprintf("customer-%011d", i)))
		cols[3].I64 = append(cols[3].I64, 1_700_000_000_000_000+int64(i)*1_234_567)
		cols[4].Bool = append(cols[4].Bool, i%3 == 0)
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
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		b.Fatal(err)
	}
	batch, columns := benchRows(perBatch)
	for _, c := range []struct {
		name   string
		format int16
		zone   *time.Location
	}{{"text", 0, time.UTC}, {"text-new-york", 0, newYork}, {"binary", 1, time.UTC}} {
		b.Run(c.name, func(b *testing.B) {
			e, err := newRowEncoder(columns, batch, []int16{c.format}, c.zone)
			if err != nil {
				b.Fatal(err)
			}
			out := output{w: io.Discard}
			b.ReportAllocs()
			for b.Loop() {
				for row := range rows {
					out.buf = e.appendRow(out.buf, batch, row%perBatch)
					if err := out.flushIfFull(); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// TestRowsAllocateNothing holds for every kind of column.
func TestRowsAllocateNothing(t *testing.T) {
	batch, columns := benchRows(1)
	add := func(v column.Vector) {
		oid, size := OIDOf(v.Type)
		batch.Cols, columns = append(batch.Cols, v), append(columns, Column{OID: oid, Size: size})
	}
	add(column.Vector{Type: column.Type{Kind: column.JSON}, Str: [][]byte{[]byte(`{"bb":[1.5e3,{"x":"\n"}],"a":null,"c\u0041":-0.0}`)}})
	add(column.Vector{Type: column.Type{Kind: column.Numeric, Width: 38, Scale: 12}, I128: []column.Int128{{Lo: 12_500_000_000_000}}})
	add(column.Vector{Type: column.Type{Kind: column.UUID}, I128: []column.Int128{{Lo: 1}}})
	add(column.Vector{Type: column.Type{Kind: column.Date}, I32: []int32{20_000}})
	add(column.Vector{Type: column.Type{Kind: column.Interval}, Interval: []column.MonthsDaysMicros{{Months: 13, Days: -1, Micros: 1}}})
	add(column.Vector{Type: column.Type{Kind: column.Bytes}, Str: [][]byte{{0, 255}}})
	texts := column.Vector{Type: column.Type{Kind: column.Text}, Str: [][]byte{[]byte(`a"b`), []byte("c")}}
	add(column.Vector{Type: column.Type{Kind: column.List, Elem: &texts.Type}, Child: &texts, Lists: []column.Span{{Length: 2}}})
	for _, format := range []int16{0, 1} {
		e, err := newRowEncoder(columns, batch, []int16{format}, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		buf := e.appendRow(nil, batch, 0)
		if n := testing.AllocsPerRun(100, func() { buf = e.appendRow(buf[:0], batch, 0) }); n != 0 {
			t.Errorf("format %d: %v allocations a row, want none", format, n)
		}
	}
}
