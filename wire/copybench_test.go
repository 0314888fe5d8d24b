package wire

import (
	"context"
	"io"
	"testing"

	"github.com/ontosql/ontosql/pgfunc/textout"
)

// BenchmarkCopyOut writes one million rows of five columns.
func BenchmarkCopyOut(b *testing.B) {
	const rows, perBatch = 1_000_000, 2048
	batch, columns := benchRows(perBatch)
	for _, c := range benchCopies(columns) {
		b.Run(c.name, func(b *testing.B) {
			w := benchWriter(b, c.Copy)
			out := output{w: io.Discard}
			b.ReportAllocs()
			for b.Loop() {
				for row := range rows {
					out.buf, _ = w.appendRow(out.buf, batch, row%perBatch)
					if err := out.flushIfFull(); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkCopyIn takes the same rows apart.
func BenchmarkCopyIn(b *testing.B) {
	const rows, perBatch = 1_000_000, 2048
	batch, columns := benchRows(perBatch)
	for _, c := range benchCopies(columns) {
		b.Run(c.name, func(b *testing.B) {
			w := benchWriter(b, c.Copy)
			var data []byte
			lead := len(w.binaryHeader)
			for row := range perBatch {
				message, _ := w.appendRow(nil, batch, row)
				if row == 0 {
					message = message[lead:]
				}
				data = append(data, message[5:]...)
			}
			b.SetBytes(int64(len(data)) * rows / perBatch)
			b.ReportAllocs()
			for b.Loop() {
				left := rows / perBatch
				started := c.Kind != CopyBinary
				r := NewCopyReader(c.Copy, func(context.Context) ([]byte, error) {
					if !started {
						started = true
						return append([]byte(copySignature), make([]byte, 8)...), nil
					}
					if left == 0 {
						return nil, io.EOF
					}
					left--
					return data, nil
				})
				count := 0
				for {
					got, err := r.Next(b.Context())
					count += got.Len
					if err == io.EOF {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				if count != rows/perBatch*perBatch {
					b.Fatalf("%d rows", count)
				}
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

type benchCopy struct {
	name string
	Copy
}

func benchCopies(columns []Column) []benchCopy {
	return []benchCopy{
		{"text", Copy{Columns: columns, Delimiter: '\t', Null: `\N`}},
		{"csv", Copy{Columns: columns, Kind: CopyCSV, Delimiter: ',', Quote: '"', Escape: '"'}},
		{"quoted", Copy{Columns: columns, Kind: CopyCSV, Delimiter: ',', Quote: '"', Escape: '"', ForceQuote: []bool{true, true, true, false, false}}},
		{"binary", Copy{Columns: columns, Kind: CopyBinary}},
	}
}

func benchWriter(b *testing.B, c Copy) *copyWriter {
	b.Helper()
	batch, columns := benchRows(1)
	w, err := newCopyWriter(c)
	if err != nil {
		b.Fatal(err)
	}
	_, codes := c.formats()
	if w.rows, err = newRowEncoder(columns, batch, []int16{int16(codes[0])}, &textout.Style{}, nil); err != nil {
		b.Fatal(err)
	}
	return w
}
