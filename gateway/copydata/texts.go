package copydata

import (
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/wire"
)

// Texts reads rows as texts of types, which oids lists for the fields. Each text is valid for
// its type. It stops at a row with too few fields; the reader reports that row.
func Texts(rows *wire.CopyRows, oids []uint32, times datetime.TimeInput) (*column.Batch, error) {
	b := &column.Batch{Cols: make([]column.Vector, len(oids))}
	for n := range b.Cols {
		b.Cols[n] = column.Vector{Type: column.Type{Kind: column.Text}, Str: make([][]byte, rows.Len)}
	}
	for i := range rows.Len {
		row := rows.Row(i)
		for n, text := range row {
			if text == nil {
				b.Cols[n].SetNull(i, rows.Len)
				continue
			}
			valid, err := input.Argument(oids[n], text, times)
			if err != nil {
				return nil, rows.InValue(err, i, n)
			}
			b.Cols[n].Str[i] = append([]byte{}, valid...) // the reader reuses its buffer
		}
		if len(row) < len(oids) {
			break
		}
		b.Len++
	}
	return b, nil
}
