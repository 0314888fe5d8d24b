package duckdb

import (
	"unsafe"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/column"
)

// stringT is duckdb_string_t: up to 12 bytes are stored inline; a longer value has its first 4
// bytes inline, followed by a pointer. The struct has no pointer field, because the garbage
// collector would interpret short texts as pointers.
type stringT struct {
	length uint32
	bytes  [12]byte
}

func (s *stringT) value() []byte {
	if s.length <= 12 {
		return s.bytes[:s.length:s.length]
	}
	p := *(*unsafe.Pointer)(unsafe.Pointer(&s.bytes[4]))
	return unsafe.Slice((*byte)(p), s.length)
}

// texts reads values that column holds as bytes. The memory of a NULL is not initialised, so
// validity is checked first.
func (s *vectorReader) texts(data unsafe.Pointer, n int, dst *column.Vector) [][]byte {
	stale := s.strs
	s.strs = sized(s.strs, n)
	if len(stale) > n {
		// See Rows.release: no pointer may outlive its chunk.
		clear(stale[n:])
	}
	switch {
	case s.dict != nil:
		s.enums(data, n, dst)
	case s.id == raw.TypeTimeTZ:
		in := view[uint64](data, n)
		s.write(n, dst, func(out []byte, i int) []byte { return appendTimeTZ(out, in[i]) })
	case s.id == raw.TypeBit:
		in := view[stringT](data, n)
		s.write(n, dst, func(out []byte, i int) []byte { return appendBits(out, in[i].value()) })
	case dst.Valid == nil:
		in := view[stringT](data, n)
		for i := range in {
			s.strs[i] = in[i].value()
		}
	default:
		in := view[stringT](data, n)
		for i := range in {
			s.strs[i] = nil
			if !dst.IsNull(i) {
				s.strs[i] = in[i].value()
			}
		}
	}
	return s.strs
}

// write formats values that DuckDB does not store as text, in memory that is reused for each
// batch.
func (s *vectorReader) write(n int, dst *column.Vector, value func(out []byte, i int) []byte) {
	s.written = s.written[:0]
	for i := range n {
		s.strs[i] = nil
		if dst.IsNull(i) {
			continue
		}
		start := len(s.written)
		s.written = value(s.written, i)
		s.strs[i] = s.written[start:len(s.written):len(s.written)]
	}
}

func (s *vectorReader) enums(data unsafe.Pointer, n int, dst *column.Vector) {
	for i := range n {
		s.strs[i] = nil
		if dst.IsNull(i) {
			continue
		}
		switch s.id {
		case raw.TypeUTinyInt:
			s.strs[i] = s.dict[view[uint8](data, n)[i]]
		case raw.TypeUSmallInt:
			s.strs[i] = s.dict[view[uint16](data, n)[i]]
		default:
			s.strs[i] = s.dict[view[uint32](data, n)[i]]
		}
	}
}

// appendBits formats a BIT value as zeros and ones. The first byte is the number of padding
// bits in the second.
func appendBits(out, b []byte) []byte {
	for i := int(b[0]); i < (len(b)-1)*8; i++ {
		out = append(out, '0'+b[1+i/8]>>(7-i%8)&1)
	}
	return out
}

// appendTimeTZ formats a TIME WITH TIME ZONE as PostgreSQL does. DuckDB packs 40 bits of
// microseconds above 24 bits of offset, stored as the distance from the greatest offset so
// that the integers sort in time order.
func appendTimeTZ(out []byte, bits uint64) []byte {
	const greatest = 16*60*60 - 1
	micros := int64(bits >> 24)
	seconds, fraction := micros/1_000_000, micros%1_000_000
	out = appendClock(out, seconds/3600, seconds/60%60, seconds%60)
	if fraction != 0 {
		out = append(out, '.')
		for unit := int64(100_000); fraction != 0; unit /= 10 {
			out = append(out, byte('0'+fraction/unit))
			fraction %= unit
		}
	}
	offset := greatest - int64(bits&(1<<24-1))
	if offset < 0 {
		out, offset = append(out, '-'), -offset
	} else {
		out = append(out, '+')
	}
	switch hours, minutes, seconds := offset/3600, offset/60%60, offset%60; {
	case seconds != 0:
		return appendClock(out, hours, minutes, seconds)
	case minutes != 0:
		return appendClock(out, hours, minutes)
	default:
		return appendClock(out, hours)
	}
}

// appendClock formats two-digit parts separated by colons.
func appendClock(out []byte, parts ...int64) []byte {
	for i, n := range parts {
		if i > 0 {
			out = append(out, ':')
		}
		out = append(out, byte('0'+n/10), byte('0'+n%10))
	}
	return out
}
