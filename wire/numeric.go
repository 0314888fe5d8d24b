package wire

import (
	"bytes"
	"encoding/binary"

	"github.com/ontosql/ontosql/column"
)

// unconstrained reports whether t is numeric without a declared scale. It is stored as DECIMAL(38,12)
// and printed without trailing zeros, except for those of the type modifier (decision A17).
func unconstrained(t column.Type) bool { return t.Width == 38 && t.Scale == 12 }

// computed reports whether t is a product with a stored number. Its scale includes that of the stored
// number; trailing zeros are not printed.
func computed(t column.Type) bool {
	return t.Width == 38 && t.Scale > 12 && !quotient(t)
}

// quotient reports whether t is a quotient. It has the digits to which PostgreSQL rounds, followed by
// zeros (package rewrite, numericMacros).
func quotient(t column.Type) bool {
	return t.Width == 38 && t.Scale >= quotientScale && t.Scale <= quotientScale+3
}

const quotientScale = 20

// appendQuotient appends a quotient with the number of digits after the point that select_div_scale in
// PostgreSQL's numeric.c computes: a multiple of four, at least 16 significant digits, and at least as
// many as the operands have.
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

// scale returns the minimum number of digits after the decimal point of a column's numerics.
func (c Column) scale() int { return max(c.Scale, declaredScale(c.Typmod)) }

// declaredScale returns the scale s of numeric(p,s), 0 without a modifier. The modifier has s in 11
// bits, as a signed number (PostgreSQL's numeric_typmod_scale).
func declaredScale(typmod int32) int {
	const header = 4 // VARHDRSZ
	if typmod < header {
		return 0
	}
	return max(int((typmod-header)&0x7FF^0x400)-0x400, 0)
}

// textWide returns the encoder of numerics that come as texts: in PostgreSQL's form or as keys
// (column.AppendWideKey).
func textWide(scale int) appendValue {
	return func(dst []byte, v *column.Vector, i int) []byte { return column.AppendWide(dst, v.Str[i], scale) }
}

const (
	numericPositive = 0x0000
	numericNegative = 0x4000
	numericNaN      = 0xC000
	numericPlusInf  = 0xD000
	numericMinusInf = 0xF000
)

// appendNumericBinary is numeric_send for the plain decimal text of a number ("-12.50", "Infinity").
// It sends digits of base 10,000.
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
			last = len(dst) // trailing zeros are not sent either
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
