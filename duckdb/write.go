package duckdb

import (
	"fmt"
	"sync"
	"unicode/utf8"
	"unsafe"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/column"
)

// write copies values from..from+n of src to the beginning of vec, whose type
// is TypeName(src.Type). Texts that lie in lent stay where they are.
func write(vec raw.Vector, src *column.Vector, from, n int, lent []byte) error {
	writeNulls(vec, src, from, n)
	data := raw.VectorGetData(vec)
	switch src.Type.Kind {
	case column.Null:
	case column.Bool:
		copy(view[bool](data, n), src.Bool[from:])
	case column.Int16:
		copy(view[int16](data, n), src.I16[from:])
	case column.Int32, column.Date:
		copy(view[int32](data, n), src.I32[from:])
	case column.Uint32:
		copy(view[uint32](data, n), src.U32[from:])
	case column.Int64, column.Time, column.Timestamp, column.TimestampTZ:
		copy(view[int64](data, n), src.I64[from:])
	case column.Float32:
		copy(view[float32](data, n), src.F32[from:])
	case column.Float64:
		copy(view[float64](data, n), src.F64[from:])
	case column.Interval:
		copy(view[column.MonthsDaysMicros](data, n), src.Interval[from:])
	case column.Numeric:
		writeDecimals(vec, data, src.I128[from:from+n])
	case column.UUID:
		out := view[column.Int128](data, n)
		for i, v := range src.I128[from : from+n] {
			out[i] = column.Int128{Lo: v.Lo, Hi: v.Hi ^ -1<<63}
		}
	case column.List:
		return writeLists(vec, data, src, from, n, lent)
	case column.Record:
		for i := range src.Fields {
			if err := write(raw.StructVectorGetChild(vec, raw.IdxT(i)), &src.Fields[i], from, n, lent); err != nil {
				return err
			}
		}
	case column.Text, column.JSON, column.Bytes:
		return writeTexts(vec, view[stringT](data, n), src, from, lent)
	default:
		return fmt.Errorf("no table column holds kind %s", src.Type.Kind)
	}
	return nil
}

// Texts of so many bytes at most are handed over together, in pieces of about so many.
const (
	maxBatchedText = 4 << 10
	textBatchBytes = 1 << 20
)

// textBatch is texts that are handed over together.
type textBatch struct {
	bytes []byte
	rows  []int // whose they are, in their order
}

var textBatches = sync.Pool{New: func() any { return new(textBatch) }}

// writeTexts writes short texts where they are going to lie. Longer ones are handed to
// the engine in one piece, since a call for each takes longer than another copy. It is
// the engine that sees whether a text is UTF-8 where that has not been seen here.
func writeTexts(vec raw.Vector, out []stringT, src *column.Vector, from int, lent []byte) error {
	p := textBatches.Get().(*textBatch)
	defer textBatches.Put(p)
	first, size := address(lent), uintptr(len(lent))
	for i := range out {
		if src.IsNull(from + i) {
			continue
		}
		text := src.Str[from+i]
		if at := address(text); at-first < size {
			out[i].refer(text, at)
			continue
		}
		if len(text) > maxBatchedText || src.Type.Kind != column.Bytes && !utf8.Valid(text) {
			if err := assign(vec, i, text, false); err != nil {
				return err
			}
			continue
		}
		out[i] = stringT{length: uint32(len(text))}
		if copy(out[i].bytes[:], text) < len(text) {
			p.bytes, p.rows = append(p.bytes, text...), append(p.rows, i)
		}
		if len(p.bytes) >= textBatchBytes {
			if err := p.flush(vec, out); err != nil {
				return err
			}
		}
	}
	return p.flush(vec, out)
}

// address is where a text lies.
func address(text []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(text))) }

// refer makes s a text that stays at its address, which is pinned as long as the engine
// reads it (cgo's rules). A pointer would be none to the collector here.
func (s *stringT) refer(text []byte, at uintptr) {
	if len(text) <= len(s.bytes) {
		*s = stringT{length: uint32(len(text))}
		copy(s.bytes[:], text)
		return
	}
	s.length = uint32(len(text))
	copy(s.bytes[:4], text)
	*(*uintptr)(unsafe.Pointer(&s.bytes[4])) = at
}

// flush makes the engine keep the piece, and the texts lie in that. The next one begins.
func (p *textBatch) flush(vec raw.Vector, out []stringT) error {
	if len(p.rows) == 0 {
		return nil
	}
	defer func() { p.bytes, p.rows = p.bytes[:0], p.rows[:0] }()
	first := &out[p.rows[0]]
	length := first.length
	if err := assign(vec, p.rows[0], p.bytes, true); err != nil {
		return err
	}
	rest := first.value()
	first.length = length
	for _, i := range p.rows {
		*(*unsafe.Pointer)(unsafe.Pointer(&out[i].bytes[4])) = unsafe.Pointer(unsafe.SliceData(rest))
		rest = rest[out[i].length:]
	}
	return nil
}

func writeNulls(vec raw.Vector, src *column.Vector, from, n int) {
	if src.Valid == nil && src.Type.Kind != column.Null || n == 0 {
		return
	}
	aligned := src.Type.Kind != column.Null && from%64 == 0
	if aligned && allValid(src.Valid[from/64:], n) {
		return // the engine is quicker where there is no mask
	}
	raw.VectorEnsureValidityWritable(vec)
	mask := view[uint64](raw.VectorGetValidity(vec), (n+63)/64)
	if aligned {
		copy(mask, src.Valid[from/64:])
		return
	}
	for i := range n {
		if src.IsNull(from + i) {
			mask[i>>6] &^= 1 << (i & 63)
		} else {
			mask[i>>6] |= 1 << (i & 63)
		}
	}
}

// allValid reports whether the first n bits are set.
func allValid(valid []uint64, n int) bool {
	for _, word := range valid[:n/64] {
		if ^word != 0 {
			return false
		}
	}
	return n%64 == 0 || ^valid[n/64]<<(64-n%64) == 0
}

// writeDecimals writes scaled integers in the width that DuckDB keeps a decimal
// of the column's size in.
func writeDecimals(vec raw.Vector, data unsafe.Pointer, in []column.Int128) {
	t := raw.VectorGetColumnType(vec)
	defer raw.DestroyLogicalType(&t)
	switch raw.DecimalInternalType(t) {
	case raw.TypeSmallInt:
		narrow(view[int16](data, len(in)), in)
	case raw.TypeInteger:
		narrow(view[int32](data, len(in)), in)
	case raw.TypeBigInt:
		narrow(view[int64](data, len(in)), in)
	default:
		copy(view[column.Int128](data, len(in)), in)
	}
}

func narrow[To int16 | int32 | int64](out []To, in []column.Int128) {
	for i, v := range in {
		out[i] = To(v.Lo)
	}
}

func writeLists(vec raw.Vector, data unsafe.Pointer, src *column.Vector, from, n int, lent []byte) error {
	// Spans may lie anywhere in the child: one of the window is copied as a whole.
	first, last := ^uint64(0), uint64(0)
	for i, s := range src.Lists[from : from+n] {
		if !src.IsNull(from+i) && s.Length > 0 {
			first, last = min(first, s.Offset), max(last, s.Offset+s.Length)
		}
	}
	if first > last {
		first = last
	}
	size := int(last - first)
	if err := resize(vec, size); err != nil {
		return err
	}
	out := view[column.Span](data, n)
	for i, s := range src.Lists[from : from+n] {
		out[i] = column.Span{}
		if !src.IsNull(from+i) && s.Length > 0 {
			out[i] = column.Span{Offset: s.Offset - first, Length: s.Length}
		}
	}
	return write(raw.ListVectorGetChild(vec), src.Child, int(first), size, lent)
}
