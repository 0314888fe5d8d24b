package wire

import (
	"encoding/binary"
	"math/bits"

	"github.com/ontosql/ontosql/column"
)

// unconstrained tells numeric without a declared scale, which is held as
// DECIMAL(38,12) and shown without the zeros that this adds (decision A17).
func unconstrained(t column.Type) bool { return t.Width == 38 && t.Scale == 12 }

// appendDecimal prints v / 10^scale with all digits of the scale, or without
// trailing zeros.
func appendDecimal(dst []byte, v column.Int128, scale int, trim bool) []byte {
	if v.Hi < 0 {
		dst = append(dst, '-')
	}
	var buf [40]byte
	digits := magnitude(&buf, v)
	for len(digits) <= scale { // room for "0." before the fraction
		start := len(buf) - len(digits) - 1
		buf[start] = '0'
		digits = buf[start:]
	}
	whole, fraction := digits[:len(digits)-scale], digits[len(digits)-scale:]
	if trim {
		for len(fraction) > 0 && fraction[len(fraction)-1] == '0' {
			fraction = fraction[:len(fraction)-1]
		}
	}
	dst = append(dst, whole...)
	if len(fraction) > 0 {
		dst = append(append(dst, '.'), fraction...)
	}
	return dst
}

// magnitude writes the decimal digits of |v| at the end of buf.
func magnitude(buf *[40]byte, v column.Int128) []byte {
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

const (
	numericPositive = 0x0000
	numericNegative = 0x4000
	numericNaN      = 0xC000
	numericPlusInf  = 0xD000
	numericMinusInf = 0xF000
)

// appendNumericBinary turns the plain decimal text of a number ("-12.50") into
// the digits of base 10,000 that numeric_send sends.
func appendNumericBinary(dst, text []byte) []byte {
	sign := uint16(numericPositive)
	if text[0] == '-' {
		sign, text = numericNegative, text[1:]
	}
	whole, fraction := text, []byte(nil)
	for i, c := range text {
		if c == '.' {
			whole, fraction = text[:i], text[i+1:]
			break
		}
	}
	groups := (len(whole) + 3) / 4
	header := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0)
	first, count := len(dst), 0
	digit := func(i int) uint16 { // digit i counted from the first of the padded whole
		i -= groups*4 - len(whole)
		switch {
		case i < 0 || i >= len(whole)+len(fraction):
			return 0
		case i < len(whole):
			return uint16(whole[i] - '0')
		}
		return uint16(fraction[i-len(whole)] - '0')
	}
	weight := groups - 1
	last := first
	for g := range groups + (len(fraction)+3)/4 {
		value := digit(4*g)*1000 + digit(4*g+1)*100 + digit(4*g+2)*10 + digit(4*g+3)
		if value == 0 && count == 0 {
			weight-- // leading zeros are not sent
			continue
		}
		dst = binary.BigEndian.AppendUint16(dst, value)
		count++
		if value != 0 {
			last = len(dst) // nor are trailing ones
		}
	}
	dst = dst[:last]
	count = (last - first) / 2
	if count == 0 {
		weight, sign = 0, numericPositive
	}
	binary.BigEndian.PutUint16(dst[header:], uint16(count))
	binary.BigEndian.PutUint16(dst[header+2:], uint16(int16(weight)))
	binary.BigEndian.PutUint16(dst[header+4:], sign)
	binary.BigEndian.PutUint16(dst[header+6:], uint16(len(fraction)))
	return dst
}
