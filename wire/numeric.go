package wire

import (
	"bytes"
	"encoding/binary"

	"github.com/ontosql/ontosql/column"
)

// unconstrained tells numeric without a declared scale, which is held as
// DECIMAL(38,12) and shown without the zeros that this adds (decision A17), save
// those that the type modifier asks for.
func unconstrained(t column.Type) bool { return t.Width == 38 && t.Scale == 12 }

// computed tells a number that a stored one was multiplied into: zeros come with
// the scale of the stored one, and are not shown either.
func computed(t column.Type) bool {
	return t.Width == 38 && t.Scale > 12 && !quotient(t)
}

// quotient tells a number that was divided. It has the digits that PostgreSQL
// rounds it to, and zeros behind them (package rewrite, numericMacros).
func quotient(t column.Type) bool {
	return t.Width == 38 && t.Scale >= quotientScale && t.Scale <= quotientScale+3
}

const quotientScale = 20

// appendQuotient appends a quotient: a multiple of four digits behind the point,
// so that 16 or more count, and as many as its operands have (select_div_scale in
// PostgreSQL's numeric.c).
func appendQuotient(dst []byte, v column.Int128, scale, shown int) []byte {
	start := len(dst)
	dst = v.AppendDecimal(dst, scale, scale)
	number := bytes.TrimPrefix(dst[start:], []byte("-"))
	whole := number[:len(number)-scale-1]
	least := max(16-(len(whole)-1)/4*4, 0)
	power := whole[0] == '1' && len(whole)%4 == 1 && len(bytes.TrimRight(number, "0.")) == 1 // 1, 10000, ...
	if whole[0] == '0' || power {
		least += 4
	}
	least = min(max(least, shown), scale)
	end := len(dst)
	for end > len(dst)-scale+least && dst[end-1] == '0' {
		end--
	}
	return bytes.TrimSuffix(dst[:end], []byte("."))
}

// scale is how many digits behind the point the numerics of a column show at least.
func (c Column) scale() int { return max(c.Scale, declaredScale(c.Typmod)) }

// declaredScale is how many digits behind the point a column of numeric(p,s) was
// declared with, 0 for one without a modifier. A modifier has s in 11 bits, with a
// sign (PostgreSQL's numeric_typmod_scale).
func declaredScale(typmod int32) int {
	const header = 4 // VARHDRSZ
	if typmod < header {
		return 0
	}
	return max(int((typmod-header)&0x7FF^0x400)-0x400, 0)
}

const (
	numericPositive = 0x0000
	numericNegative = 0x4000
	numericNaN      = 0xC000
	numericPlusInf  = 0xD000
	numericMinusInf = 0xF000
)

// appendNumericBinary turns the plain decimal text of a number ("-12.50", "Infinity") into
// the digits of base 10,000 that numeric_send sends.
func appendNumericBinary(dst, text []byte) []byte {
	sign, infinite := uint16(numericPositive), uint16(numericPlusInf)
	if text[0] == '-' {
		sign, infinite, text = numericNegative, numericMinusInf, text[1:]
	}
	if text[0] == 'I' {
		return append(dst, 0, 0, 0, 0, byte(infinite>>8), byte(infinite), 0, 0)
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
