package duckdb

import (
	"fmt"
	"unsafe"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/column"
)

// stringT is duckdb_string_t: up to 12 bytes lie in it, a longer value has its
// first 4 bytes there and then a pointer. It has no field of pointer type,
// because the garbage collector would take short texts for pointers.
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

// texts are the values that column holds as bytes. The memory of a NULL is not
// initialised, so validity is asked first.
func (s *source) texts(data unsafe.Pointer, n int, dst *column.Vector) [][]byte {
	stale := s.strs
	s.strs = sized(s.strs, n)
	if len(stale) > n {
		// Rows.release says why no pointer may outlive its chunk.
		clear(stale[n:])
	}
	switch {
	case s.dict != nil:
		s.enums(data, n, dst)
	case s.id == raw.TypeTimeTZ:
		for i, bits := range view[uint64](data, n) {
			s.strs[i] = nil
			if !dst.IsNull(i) {
				s.strs[i] = formatTimeTZ(bits)
			}
		}
	default:
		in := view[stringT](data, n)
		for i := range in {
			s.strs[i] = nil
			switch {
			case dst.IsNull(i):
			case s.id == raw.TypeBit:
				s.strs[i] = formatBits(in[i].value())
			default:
				s.strs[i] = in[i].value()
			}
		}
	}
	return s.strs
}

func (s *source) enums(data unsafe.Pointer, n int, dst *column.Vector) {
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

// formatBits writes a BIT value as zeros and ones. Its first byte says how many
// bits of the second are padding.
func formatBits(b []byte) []byte {
	skip := int(b[0])
	out := make([]byte, 0, len(b)*8)
	for i := skip; i < (len(b)-1)*8; i++ {
		out = append(out, '0'+b[1+i/8]>>(7-i%8)&1)
	}
	return out
}

// formatTimeTZ writes a TIME WITH TIME ZONE as PostgreSQL does. DuckDB packs 40
// bits of microseconds above 24 bits of offset, which count down from the
// greatest one so that the numbers sort by moment.
func formatTimeTZ(bits uint64) []byte {
	const greatest = 16*60*60 - 1
	micros := int64(bits >> 24)
	offset := greatest - int64(bits&(1<<24-1))
	out := fmt.Appendf(nil, "%02d:%02d:%02d", micros/3_600_000_000, micros/60_000_000%60, micros/1_000_000%60)
	if fraction := micros % 1_000_000; fraction != 0 {
		out = fmt.Appendf(out, ".%06d", fraction)
		for out[len(out)-1] == '0' {
			out = out[:len(out)-1]
		}
	}
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	out = fmt.Appendf(append(out, sign), "%02d", offset/3600)
	if offset%3600 != 0 {
		out = fmt.Appendf(out, ":%02d", offset/60%60)
	}
	if offset%60 != 0 {
		out = fmt.Appendf(out, ":%02d", offset%60)
	}
	return out
}
