package column

import (
	"encoding/binary"
	"math/bits"
)

// Int128 is a two's complement 128-bit integer.
type Int128 struct {
	Lo uint64
	Hi int64
}

// AppendDecimal appends v / 10^scale in plain digits. Of those behind the point
// trailing zeros are left out beyond the first least.
func (v Int128) AppendDecimal(dst []byte, scale, least int) []byte {
	if v.Hi < 0 {
		dst = append(dst, '-')
	}
	var buf [40]byte
	digits := v.magnitude(&buf)
	for len(digits) <= scale { // room for "0." before the fraction
		start := len(buf) - len(digits) - 1
		buf[start] = '0'
		digits = buf[start:]
	}
	whole, fraction := digits[:len(digits)-scale], digits[len(digits)-scale:]
	for len(fraction) > least && fraction[len(fraction)-1] == '0' {
		fraction = fraction[:len(fraction)-1]
	}
	dst = append(dst, whole...)
	if len(fraction) > 0 {
		dst = append(append(dst, '.'), fraction...)
	}
	return dst
}

// magnitude writes the decimal digits of |v| at the end of buf.
func (v Int128) magnitude(buf *[40]byte) []byte {
	hi, lo := uint64(v.Hi), v.Lo
	if v.Hi < 0 {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	at := len(buf)
	for hi != 0 {
		// Nineteen digits at a time: 10^19 is the largest power that fits.
		const step = 10_000_000_000_000_000_000
		var rest uint64
		high := hi / step
		lo, rest = bits.Div64(hi%step, lo, step)
		hi = high
		for range 19 {
			at--
			buf[at] = byte('0' + rest%10)
			rest /= 10
		}
	}
	for lo != 0 || at == len(buf) {
		at--
		buf[at] = byte('0' + lo%10)
		lo /= 10
	}
	return buf[at:]
}

// UUIDOf is the value with some Bytes.
func UUIDOf(b [16]byte) Int128 {
	return Int128{Hi: int64(binary.BigEndian.Uint64(b[:8])), Lo: binary.BigEndian.Uint64(b[8:])}
}

// Bytes are those of a UUID: the greatest first.
func (v Int128) Bytes() (b [16]byte) {
	binary.BigEndian.PutUint64(b[:8], uint64(v.Hi))
	binary.BigEndian.PutUint64(b[8:], v.Lo)
	return b
}
