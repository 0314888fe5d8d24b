package column

import (
	"bytes"
	"strconv"
)

// A wide number is a numeric that may have more digits than an Int128 holds. Its value is a key: a
// text that sorts as the number does and is equal to that of an equal number. An engine has
// keys as texts, so that they come back as a vector of the kind Text. A key is
//
//	o                for zero,
//	p 100003 1235    for  123.5: the exponent of 0.1235 plus wideExponent, and the digits,
//	n 899996 8764~   for -123.5: the same in complements to 9, and a byte above all digits.
//
// without the blanks. It does not tell how many zeros are printed at the end.

const (
	wideExponent       = 100_000
	wideExponentDigits = 6
	// MostWholeDigits and MostFractionDigits are the digits that PostgreSQL's numeric may have
	// before and behind the point (NUMERIC_WEIGHT_MAX and NUMERIC_DSCALE_MAX of numeric.c).
	MostWholeDigits    = 131072
	MostFractionDigits = 16383
)

// AppendWideKey appends the key of a number that is written as -12.50 or +1.25e1. ok is false for
// any other text, and for a number with more digits than PostgreSQL's numeric has.
func AppendWideKey(dst, text []byte) (key []byte, ok bool) {
	negative := len(text) > 0 && text[0] == '-'
	if negative || len(text) > 0 && text[0] == '+' {
		text = text[1:]
	}
	exponent := 0
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		n, err := strconv.Atoi(string(text[i+1:]))
		if err != nil || n > MostWholeDigits || n < -MostWholeDigits {
			return dst, false
		}
		text, exponent = text[:i], n
	}
	whole, fraction, _ := bytes.Cut(text, []byte("."))
	if len(whole)+len(fraction) == 0 || !allDigits(whole) || !allDigits(fraction) {
		return dst, false
	}
	digits := bytes.TrimRight(append(append(make([]byte, 0, len(text)), whole...), fraction...), "0")
	significant := bytes.TrimLeft(digits, "0")
	if len(significant) == 0 {
		return append(dst, 'o'), len(fraction)-exponent <= MostFractionDigits
	}
	exponent += len(whole) - (len(digits) - len(significant))
	if exponent > MostWholeDigits || len(significant)-exponent > MostFractionDigits {
		return dst, false
	}
	if !negative {
		dst = strconv.AppendInt(append(dst, 'p'), int64(wideExponent+exponent), 10)
		if exponent < 0 { // 99,999 and less
			dst = append(dst[:len(dst)-wideExponentDigits+1], append([]byte{'0'}, dst[len(dst)-wideExponentDigits+1:]...)...)
		}
		return append(dst, significant...), true
	}
	dst = strconv.AppendInt(append(dst, 'n'), int64(999_999-wideExponent-exponent), 10)
	for _, c := range significant {
		dst = append(dst, '9'-c+'0')
	}
	return append(dst, '~'), true
}

func allDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// IsWideKey reports whether a text is a key and not a number as it is printed, or anything else.
func IsWideKey(text []byte) bool {
	if len(text) < 1+wideExponentDigits+1 {
		return len(text) == 1 && text[0] == 'o'
	}
	last := len(text) - 1
	return text[0] == 'p' && allDigits(text[1:]) || text[0] == 'n' && text[last] == '~' && last > 1+wideExponentDigits && allDigits(text[1:last])
}

// WideDigits are the digits of the number of a key, without zeros at either end: 0.digits * 10^exponent.
// There are none for zero.
func WideDigits(key []byte) (digits []byte, exponent int, negative bool) {
	if key[0] == 'o' {
		return nil, 0, false
	}
	for _, c := range key[1 : 1+wideExponentDigits] {
		exponent = exponent*10 + int(c-'0')
	}
	digits = key[1+wideExponentDigits:]
	if key[0] == 'p' {
		return digits, exponent - wideExponent, false
	}
	digits = bytes.Clone(digits[:len(digits)-1])
	for i, c := range digits {
		digits[i] = '9' - c + '0'
	}
	return digits, 999_999 - wideExponent - exponent, true
}

// AppendWide appends the number of a key as PostgreSQL prints it, with at least so many digits behind
// the point. A text that is no key is appended as it is.
func AppendWide(dst, key []byte, least int) []byte {
	if !IsWideKey(key) {
		return append(dst, key...)
	}
	least = min(least, MostFractionDigits)
	digits, exponent, negative := WideDigits(key)
	if negative {
		dst = append(dst, '-')
	}
	switch {
	case exponent <= 0:
		dst = append(dst, '0')
	case exponent >= len(digits):
		dst = append(append(dst, digits...), bytes.Repeat([]byte{'0'}, exponent-len(digits))...)
	default:
		dst = append(dst, digits[:exponent]...)
	}
	behind := max(len(digits)-exponent, 0)
	if len(digits) == 0 {
		behind = 0
	}
	if max(behind, least) <= 0 {
		return dst
	}
	dst = append(dst, '.')
	if behind > 0 {
		dst = append(dst, bytes.Repeat([]byte{'0'}, max(-exponent, 0))...)
		dst = append(dst, digits[max(exponent, 0):]...)
	}
	return append(dst, bytes.Repeat([]byte{'0'}, max(least-behind, 0))...)
}
