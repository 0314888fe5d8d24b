package textvalue

import (
	"bytes"
	"math/bits"

	"github.com/ontosql/ontosql/column"
)

// ReadDecimal reads a decimal number, with or without an exponent, as a number of at most
// width digits, scale of them after the point. It rounds half away from zero. ok is false
// for a number with more digits and for any other text.
func ReadDecimal(text []byte, width, scale int) (v column.Int128, ok bool) {
	negative := len(text) > 0 && text[0] == '-'
	if negative || len(text) > 0 && text[0] == '+' {
		text = text[1:]
	}
	mantissa, exponent, ok := cutExponent(text)
	whole := bytes.IndexByte(mantissa, '.')
	if whole < 0 {
		whole = len(mantissa)
	}
	if !ok || len(mantissa) == 0 || whole == 0 && len(mantissa) == 1 {
		return v, false
	}
	last := whole + exponent + scale // how many digits of the text count
	var hi, lo uint64
	up, n := false, 0
	for i, c := range mantissa {
		switch {
		case i == whole:
			continue
		case c < '0' || c > '9':
			return v, false
		case n < last && tooWide(hi, lo, width-1):
			return v, false
		case n < last:
			hi, lo = timesTen(hi, lo, c-'0')
		case n == last:
			up = c >= '5'
		}
		n++
	}
	for ; n < last && hi|lo != 0; n++ {
		if tooWide(hi, lo, width-1) {
			return v, false
		}
		hi, lo = timesTen(hi, lo, 0)
	}
	if up {
		var carry uint64
		lo, carry = bits.Add64(lo, 1, 0)
		hi += carry
	}
	if tooWide(hi, lo, width) {
		return v, false
	}
	if negative {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	return column.Int128{Hi: int64(hi), Lo: lo}, true
}

// cutExponent splits a number such as 1e-3 into mantissa and exponent. ok is false for an
// exponent beyond what numbers that can be stored need.
func cutExponent(digits []byte) (mantissa []byte, exponent int, ok bool) {
	for i, c := range digits {
		if c != 'e' && c != 'E' {
			continue
		}
		n, ok := readInt(trimPlus(digits[i+1:]))
		return digits[:i], int(n), ok && n > -10_000 && n < 10_000
	}
	return digits, 0, true
}

func trimPlus(text []byte) []byte {
	if len(text) > 1 && text[0] == '+' {
		return text[1:]
	}
	return text
}

// timesTen is (hi, lo) * 10 + d.
func timesTen(hi, lo uint64, d byte) (uint64, uint64) {
	over, low := bits.Mul64(lo, 10)
	low, carry := bits.Add64(low, uint64(d), 0)
	return hi*10 + over + carry, low
}

// tooWide reports whether a number has more digits than width, 38 at most.
func tooWide(hi, lo uint64, width int) bool {
	limit := powersOfTen[width]
	return hi > limit[0] || hi == limit[0] && lo >= limit[1]
}

// powersOfTen are 10^n as high and low half.
var powersOfTen = func() (powers [39][2]uint64) {
	powers[0][1] = 1
	for n := 1; n < len(powers); n++ {
		powers[n][0], powers[n][1] = timesTen(powers[n-1][0], powers[n-1][1], 0)
	}
	return powers
}()

// Scaled is v with n more digits after the point: v * 10^n.
func Scaled(v column.Int128, n int) column.Int128 {
	power := powersOfTen[n]
	over, low := bits.Mul64(v.Lo, power[1])
	return column.Int128{Hi: int64(uint64(v.Hi)*power[1] + v.Lo*power[0] + over), Lo: low}
}
