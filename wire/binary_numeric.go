package wire

import (
	"encoding/binary"
	"strconv"

	"github.com/ontosql/ontosql/pgerr"
)

// numeric is numeric_recv: digits of base 10,000, the weight of the first digit, a sign and the
// display scale.
func (r *binaryReader) numeric(dst []byte) []byte {
	count, weight := int(r.u16()), int(int16(r.u16()))
	sign, scale := r.u16(), int(r.u16())
	switch {
	case r.err != nil:
		return dst
	case sign != numericPositive && sign != numericNegative && sign != numericNaN && sign != numericPlusInf && sign != numericMinusInf:
		r.fail("invalid sign in external \"numeric\" value")
	case scale > maxDisplayScale:
		r.fail("invalid scale in external \"numeric\" value")
	}
	digits := r.take(2 * count)
	if r.err != nil {
		return dst
	}
	switch sign {
	case numericNaN:
		return append(dst, "NaN"...)
	case numericPlusInf:
		return append(dst, "Infinity"...)
	case numericMinusInf:
		return append(dst, "-Infinity"...)
	}
	if scale > maxNumericScale || weight > maxNumericGroups {
		r.err = pgerr.New(pgerr.NumericValueOutOfRange, "value overflows numeric format")
		return dst
	}
	group := func(i int) uint16 {
		if i < 0 || i >= count {
			return 0
		}
		return binary.BigEndian.Uint16(digits[2*i:])
	}
	zero := true
	for i := range count {
		if group(i) > 9999 {
			r.fail("invalid digit in external \"numeric\" value")
			return dst
		}
		zero = zero && group(i) == 0
	}
	if sign == numericNegative && !zero {
		dst = append(dst, '-')
	}
	start := len(dst)
	for i := 0; i < weight; i++ {
		if g := group(i); g != 0 || len(dst) > start {
			dst = appendGroup(dst, g, len(dst) > start)
		}
	}
	dst = appendGroup(dst, group(max(weight, -1)), len(dst) > start) // the ones, group(-1) is 0
	if scale == 0 {
		return dst
	}
	dst = append(dst, '.')
	point := len(dst)
	for i := weight + 1; len(dst) < point+scale; i++ {
		dst = appendGroup(dst, group(i), true)
	}
	return dst[:point+scale]
}

// Longer numbers are rejected before they are printed. A few bytes can encode 131,072 digits, and a
// column stores 38.
const (
	maxDisplayScale  = 0x3FFF // PostgreSQL's
	maxNumericGroups = 250
	maxNumericScale  = 1000
)

// appendGroup appends a digit of base 10,000 in decimal, padded to four digits if padded is true.
func appendGroup(dst []byte, g uint16, padded bool) []byte {
	if !padded {
		return strconv.AppendUint(dst, uint64(g), 10)
	}
	return append(dst, byte('0'+g/1000), byte('0'+g/100%10), byte('0'+g/10%10), byte('0'+g%10))
}
