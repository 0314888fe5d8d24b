package duckdb

import (
	"fmt"
	"sync"
	"unicode/utf8"
	"unsafe"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/column"
)

// write copies the values from..from+n of src to the start of vec, whose type is
// TypeName(src.Type). Texts inside the memory lent are referenced, not copied.
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
	case column.Text, column.JSON, column.Bytes, column.Wide:
		return writeTexts(vec, view[stringT](data, n), src, from, lent)
	default:
		return fmt.Errorf("no DuckDB column type for kind %s", src.Type.Kind)
	}
	return nil
}

// Texts of up to maxBatchedText bytes are copied to DuckDB in batches of about textBatchBytes.
const (
	maxBatchedText = 4 << 10
	textBatchBytes = 1 << 20
)

// textBatch collects texts that are copied to DuckDB in one call.
type textBatch struct {
	bytes []byte
	rows  []int // the rows of the texts, in order
}

var textBatches = sync.Pool{New: func() any { return new(textBatch) }}

// writeTexts writes inline texts directly. Longer ones are collected and copied in batches,
// because a call for each takes longer than a second copy. Texts that are not known to be
// UTF-8 are validated by DuckDB.
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

// address returns the address of a text.
func address(text []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(text))) }

// refer makes s refer to a text at its address, which is pinned while DuckDB reads it (cgo's
// rules). It is stored as an integer, so that the garbage collector does not see a pointer in
// C memory.
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

// flush copies the batch to DuckDB, makes the texts refer to the copy, and empties the batch.
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
		return // DuckDB is faster without a mask
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

// writeDecimals writes scaled integers in the physical width of the decimal type.
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
	// Spans may be in any order in the child: the range that covers them is copied as a whole.
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
