package duckdb

import (
	"unsafe"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/column"
)

// vectorReader reads one result column, or the elements of one. DuckDB flattens chunks, so
// that every vector is a plain array. Arrays with column's layout are used in place; others
// are converted into slices that are reused for each batch.
type vectorReader struct {
	typ  column.Type
	id   raw.Type      // the physical type
	dict [][]byte      // values of an enum
	elem *vectorReader // elements of a list or array
	size int           // length of an array
	// fields of a struct
	fields []*vectorReader

	strs    [][]byte
	i16     []int16
	i32     []int32
	i64     []int64
	i128    []column.Int128
	span    []column.Span
	written []byte          // memory of the texts in strs
	vec     column.Vector   // child vector of dst
	vecs    []column.Vector // field vectors of dst
}

func newVectorReader(t raw.LogicalType) *vectorReader {
	id := raw.GetTypeId(t)
	s := &vectorReader{id: id}
	switch id {
	case raw.TypeList, raw.TypeArray:
		var child raw.LogicalType
		if id == raw.TypeList {
			child = raw.ListTypeChildType(t)
		} else {
			child, s.size = raw.ArrayTypeChildType(t), int(raw.ArrayTypeArraySize(t))
		}
		s.elem = newVectorReader(child)
		raw.DestroyLogicalType(&child)
		s.typ = column.Type{Kind: column.List, Elem: &s.elem.typ}
		return s
	case raw.TypeStruct:
		s.typ.Kind = column.Record
		for i := range raw.StructTypeChildCount(t) {
			child := raw.StructTypeChildType(t, i)
			s.fields = append(s.fields, newVectorReader(child))
			raw.DestroyLogicalType(&child)
			s.typ.Fields = append(s.typ.Fields, s.fields[i].typ)
		}
		s.vecs = make([]column.Vector, len(s.fields))
		return s
	case raw.TypeDecimal:
		s.id = raw.DecimalInternalType(t)
	case raw.TypeEnum:
		s.id = raw.EnumInternalType(t)
		s.dict = make([][]byte, raw.EnumDictionarySize(t))
		for i := range s.dict {
			s.dict[i] = []byte(raw.EnumDictionaryValue(t, raw.IdxT(i)))
		}
	}
	s.typ = columnType(t, id)
	return s
}

// unsupported returns DuckDB's name of a type, or element type, that column cannot hold; empty
// if there is none.
func (s *vectorReader) unsupported() string {
	if s.elem != nil {
		return s.elem.unsupported()
	}
	for _, f := range s.fields {
		if name := f.unsupported(); name != "" {
			return name
		}
	}
	if s.typ.Kind != column.Invalid {
		return ""
	}
	if s.typ.Name == "" {
		return "unknown"
	}
	return s.typ.Name
}

// read sets dst to the n values of vec.
func (s *vectorReader) read(vec raw.Vector, n int, dst *column.Vector) {
	*dst = column.Vector{Type: s.typ}
	if s.typ.Kind == column.Null {
		return
	}
	if mask := raw.VectorGetValidity(vec); mask != nil {
		dst.Valid = view[uint64](mask, (n+63)/64)
	}
	data := raw.VectorGetData(vec)
	switch s.typ.Kind {
	case column.Bool:
		dst.Bool = view[bool](data, n)
	case column.Int16:
		dst.I16 = s.int16s(data, n)
	case column.Int32:
		dst.I32 = s.int32s(data, n)
	case column.Date:
		dst.I32 = view[int32](data, n)
	case column.Uint32:
		dst.U32 = view[uint32](data, n)
	case column.Int64, column.TimestampTZ:
		dst.I64 = view[int64](data, n)
	case column.Timestamp, column.Time:
		dst.I64 = s.micros(data, n)
	case column.Float32:
		dst.F32 = view[float32](data, n)
	case column.Float64:
		dst.F64 = view[float64](data, n)
	case column.Numeric:
		dst.I128 = s.int128s(data, n)
	case column.UUID:
		dst.I128 = s.uuids(data, n)
	case column.Interval:
		dst.Interval = view[column.MonthsDaysMicros](data, n)
	case column.List:
		s.lists(vec, data, n, dst)
	case column.Record:
		for i, f := range s.fields {
			f.read(raw.StructVectorGetChild(vec, raw.IdxT(i)), n, &s.vecs[i])
		}
		dst.Fields = s.vecs
	default:
		dst.Str = s.texts(data, n, dst)
	}
}

func (s *vectorReader) lists(vec raw.Vector, data unsafe.Pointer, n int, dst *column.Vector) {
	var child raw.Vector
	var reach int
	if s.id == raw.TypeArray {
		child, reach = raw.ArrayVectorGetChild(vec), n*s.size
		s.span = sized(s.span, n)
		for i := range s.span {
			s.span[i] = column.Span{Offset: uint64(i * s.size), Length: uint64(s.size)}
		}
		dst.Lists = s.span
	} else {
		child, reach = raw.ListVectorGetChild(vec), int(raw.ListVectorGetSize(vec))
		dst.Lists = view[column.Span](data, n)
	}
	s.elem.read(child, reach, &s.vec)
	dst.Child = &s.vec
}

func (s *vectorReader) int16s(data unsafe.Pointer, n int) []int16 {
	switch s.id {
	case raw.TypeTinyInt:
		return widen[int8](&s.i16, data, n)
	case raw.TypeUTinyInt:
		return widen[uint8](&s.i16, data, n)
	}
	return view[int16](data, n)
}

func (s *vectorReader) int32s(data unsafe.Pointer, n int) []int32 {
	if s.id == raw.TypeUSmallInt {
		return widen[uint16](&s.i32, data, n)
	}
	return view[int32](data, n)
}

// micros converts DuckDB's times to microseconds. Infinity has the same value in all units.
func (s *vectorReader) micros(data unsafe.Pointer, n int) []int64 {
	in := view[int64](data, n)
	if s.id == raw.TypeTimestamp || s.id == raw.TypeTime {
		return in
	}
	s.i64 = sized(s.i64, n)
	for i, v := range in {
		switch {
		case v == column.TimestampInfinity || v == column.TimestampNegInfinity:
		case s.id == raw.TypeTimestampS:
			v *= 1_000_000
		case s.id == raw.TypeTimestampMS:
			v *= 1000
		default:
			v = floorDiv(v, 1000)
		}
		s.i64[i] = v
	}
	return s.i64
}

func floorDiv(v, by int64) int64 {
	q := v / by
	if v%by < 0 {
		q--
	}
	return q
}

func (s *vectorReader) int128s(data unsafe.Pointer, n int) []column.Int128 {
	switch s.id {
	case raw.TypeSmallInt:
		return extend[int16](&s.i128, data, n)
	case raw.TypeInteger:
		return extend[int32](&s.i128, data, n)
	case raw.TypeBigInt:
		return extend[int64](&s.i128, data, n)
	case raw.TypeUBigInt:
		s.i128 = sized(s.i128, n)
		for i, v := range view[uint64](data, n) {
			s.i128[i] = column.Int128{Lo: v}
		}
		return s.i128
	}
	return view[column.Int128](data, n)
}

// uuids flips the top bit, which DuckDB stores inverted so that UUIDs sort as 128-bit
// integers.
func (s *vectorReader) uuids(data unsafe.Pointer, n int) []column.Int128 {
	s.i128 = sized(s.i128, n)
	for i, v := range view[column.Int128](data, n) {
		s.i128[i] = column.Int128{Lo: v.Lo, Hi: v.Hi ^ -1<<63}
	}
	return s.i128
}

// view returns the C array at p as a slice.
func view[T any](p unsafe.Pointer, n int) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(p), n)
}

// sized returns a slice of n values, reusing the memory of s if possible.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func widen[From int8 | uint8 | uint16, To int16 | int32](out *[]To, p unsafe.Pointer, n int) []To {
	*out = sized(*out, n)
	for i, v := range view[From](p, n) {
		(*out)[i] = To(v)
	}
	return *out
}

func extend[From int16 | int32 | int64](out *[]column.Int128, p unsafe.Pointer, n int) []column.Int128 {
	*out = sized(*out, n)
	for i, v := range view[From](p, n) {
		(*out)[i] = column.Int128{Lo: uint64(int64(v)), Hi: int64(v) >> 63}
	}
	return *out
}
