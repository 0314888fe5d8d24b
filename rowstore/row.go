package rowstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// shape is how the rows of a type are stored. A row begins with a bit for each column that is
// NULL; the other values follow in order, numbers little-endian and in full, texts behind their
// length.
type shape struct {
	keys int            // number of key columns, which come first
	cols []column.Named // scan.StoredColumns without the order
}

// shapeOf is the shape of a type, nil if it has columns of kinds that are not stored.
func shapeOf(t *catalog.Type) *shape {
	cols := scan.StoredColumns(t)
	s := &shape{keys: len(scan.KeyColumns(t.Ref.Kind)), cols: cols[:len(cols)-1]}
	for _, c := range s.cols {
		if size(c.Type.Kind) < 0 {
			return nil
		}
	}
	return s
}

// size is the number of bytes of a value, 0 for a text, -1 for a kind that is not stored.
func size(k column.Kind) int {
	switch k {
	case column.Bool:
		return 1
	case column.Int16:
		return 2
	case column.Int32, column.Uint32, column.Float32, column.Date:
		return 4
	case column.Int64, column.Float64, column.Time, column.Timestamp, column.TimestampTZ:
		return 8
	case column.Numeric, column.UUID:
		return 16
	case column.Text, column.JSON, column.Bytes, column.Wide:
		return 0
	}
	return -1
}

// appendKey appends the rest of the key of row i of a batch with the columns of the shape and the
// order.
func (s *shape) appendKey(to []byte, b *column.Batch, i int) []byte {
	for c := range s.keys {
		to = appendText(to, b.Cols[c].Str[i])
	}
	return appendTail(to, ontosql.CommitID(b.Cols[s.keys].I64[i]), b.Cols[len(s.cols)].I64[i])
}

// appendRow appends row i of a batch with the columns of the shape.
func (s *shape) appendRow(to []byte, b *column.Batch, i int) []byte {
	nulls := len(to)
	to = append(to, make([]byte, (len(s.cols)+7)/8)...)
	for c := range s.cols {
		v := &b.Cols[c]
		if v.IsNull(i) {
			to[nulls+c/8] |= 1 << (c % 8)
			continue
		}
		switch s.cols[c].Type.Kind {
		case column.Bool:
			bit := byte(0)
			if v.Bool[i] {
				bit = 1
			}
			to = append(to, bit)
		case column.Int16:
			to = binary.LittleEndian.AppendUint16(to, uint16(v.I16[i]))
		case column.Int32, column.Date:
			to = binary.LittleEndian.AppendUint32(to, uint32(v.I32[i]))
		case column.Uint32:
			to = binary.LittleEndian.AppendUint32(to, v.U32[i])
		case column.Float32:
			to = binary.LittleEndian.AppendUint32(to, math.Float32bits(v.F32[i]))
		case column.Int64, column.Time, column.Timestamp, column.TimestampTZ:
			to = binary.LittleEndian.AppendUint64(to, uint64(v.I64[i]))
		case column.Float64:
			to = binary.LittleEndian.AppendUint64(to, math.Float64bits(v.F64[i]))
		case column.Numeric, column.UUID:
			to = binary.LittleEndian.AppendUint64(to, v.I128[i].Lo)
			to = binary.LittleEndian.AppendUint64(to, uint64(v.I128[i].Hi))
		default:
			to = append(binary.AppendUvarint(to, uint64(len(v.Str[i]))), v.Str[i]...)
		}
	}
	return to
}

var errRow = errors.New("a stored row ends too early")

// texts copies the texts of rows into memory that they share.
type texts struct {
	free  []byte
	first [][]byte // room for the first text of each column
}

// copy is a copy of a text.
func (t *texts) copy(text []byte) []byte {
	const least, most = 128, 16 << 10
	if len(text) > cap(t.free)-len(t.free) {
		if len(text) >= most {
			return bytes.Clone(text)
		}
		t.free = make([]byte, 0, max(len(text), min(max(2*cap(t.free), least), most)))
	}
	if len(text) == 0 {
		return []byte{}
	}
	at := len(t.free)
	t.free = append(t.free, text...)
	return t.free[at:len(t.free):len(t.free)]
}

// column is an empty column of texts with room for one. columns is the number of columns of the batch.
func (t *texts) column(columns int) [][]byte {
	if len(t.first) == 0 {
		t.first = make([][]byte, columns)
	}
	room := t.first[:0:1]
	t.first = t.first[1:]
	return room
}

// appendTo appends one row to a batch: column i of the batch is column columns[i] of the row. The
// batch does not refer to the row.
func (s *shape) appendTo(b *column.Batch, row []byte, columns []int, copies *texts) error {
	nulls := (len(s.cols) + 7) / 8
	if len(row) < nulls {
		return errRow
	}
	rest, last := row[nulls:], -1
	for _, c := range columns {
		last = max(last, c)
	}
	for c := range last + 1 {
		t := s.cols[c].Type
		null := row[c/8]&(1<<(c%8)) != 0
		value := zeros[:max(size(t.Kind), 0)]
		if !null {
			width := len(value)
			if width == 0 {
				length, m := binary.Uvarint(rest)
				if m <= 0 || length > uint64(len(rest)-m) {
					return errRow
				}
				rest, width = rest[m:], int(length)
			}
			if width > len(rest) {
				return errRow
			}
			value, rest = rest[:width:width], rest[width:]
		}
		for i, wanted := range columns {
			if wanted == c {
				v := &b.Cols[i]
				if v.Str == nil && size(t.Kind) == 0 {
					v.Str = copies.column(len(columns))
				}
				appendValue(v, t, b.Len, null, value, copies)
			}
		}
	}
	b.Len++
	return nil
}

// appendValue appends value i of a vector, from its stored bytes.
func appendValue(v *column.Vector, t column.Type, i int, null bool, value []byte, copies *texts) {
	v.Type = t
	if null && v.Valid == nil {
		v.Valid = make([]uint64, i>>6, i>>6+1)
		for w := range v.Valid {
			v.Valid[w] = ^uint64(0)
		}
	}
	if v.Valid != nil && len(v.Valid) == i>>6 {
		v.Valid = append(v.Valid, ^uint64(0))
	}
	if null {
		v.Valid[i>>6] &^= 1 << (i & 63)
	}
	switch t.Kind {
	case column.Bool:
		v.Bool = append(v.Bool, value[0] != 0)
	case column.Int16:
		v.I16 = append(v.I16, int16(binary.LittleEndian.Uint16(value)))
	case column.Int32, column.Date:
		v.I32 = append(v.I32, int32(binary.LittleEndian.Uint32(value)))
	case column.Uint32:
		v.U32 = append(v.U32, binary.LittleEndian.Uint32(value))
	case column.Float32:
		v.F32 = append(v.F32, math.Float32frombits(binary.LittleEndian.Uint32(value)))
	case column.Int64, column.Time, column.Timestamp, column.TimestampTZ:
		v.I64 = append(v.I64, int64(binary.LittleEndian.Uint64(value)))
	case column.Float64:
		v.F64 = append(v.F64, math.Float64frombits(binary.LittleEndian.Uint64(value)))
	case column.Numeric, column.UUID:
		v.I128 = append(v.I128, column.Int128{Lo: binary.LittleEndian.Uint64(value), Hi: int64(binary.LittleEndian.Uint64(value[8:]))})
	default:
		v.Str = append(v.Str, copies.copy(value))
	}
}

// zeros are the bytes of a value that is NULL.
var zeros [16]byte

// columnOf is the number of a visible column of a type among the stored columns, -1 if it is not
// stored as it is shown.
func columnOf(t *catalog.Type, cols []column.Named, name string) int {
	i := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.Name == name })
	if i < 0 {
		return -1
	}
	stored := fmt.Sprintf("f%d", i)
	if at := slices.IndexFunc(cols, func(c column.Named) bool { return c.Name == stored }); at >= 0 {
		return at
	}
	return slices.Index(scan.KeyColumns(t.Ref.Kind), scan.KeyColumn(t.Columns[i].Role)) // a key of text
}
