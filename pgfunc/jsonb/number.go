package jsonb

import (
	"bytes"

	"github.com/ontosql/ontosql/pgfunc/chars"
)

// maxJSONExponent is the largest power of ten that is written out. Floats stay
// below it; a number beyond is passed on as it was written.
const maxJSONExponent = 400

// number prints a JSON number as numeric_out does: without an exponent, with as
// many digits after the point as it was written with, and no negative zero.
func (j *Printer) number(dst []byte) []byte {
	start := j.at
	negative := j.src[j.at] == '-'
	if negative {
		j.at++
	}
	whole := j.digits()
	if len(whole) == 0 || len(whole) > 1 && whole[0] == '0' {
		return j.fail(dst)
	}
	var fraction []byte
	if j.at < len(j.src) && j.src[j.at] == '.' {
		j.at++
		if fraction = j.digits(); len(fraction) == 0 {
			return j.fail(dst)
		}
	}
	exponent, ok := j.exponent()
	if !ok {
		return j.fail(dst)
	}
	if j.spelled || exponent > maxJSONExponent || exponent < -maxJSONExponent {
		return append(dst, j.src[start:j.at]...)
	}
	if negative && !(allZeros(whole) && allZeros(fraction)) {
		dst = append(dst, '-')
	}
	return appendShifted(dst, whole, fraction, exponent)
}

// appendShifted prints whole.fraction with its point moved by exponent places.
func appendShifted(dst, whole, fraction []byte, exponent int) []byte {
	at := len(dst)
	point := len(whole) + exponent // of the digits whole+fraction
	if point <= 0 {
		dst = append(dst, '0')
	}
	digit := func(i int) byte {
		switch {
		case i < 0 || i >= len(whole)+len(fraction):
			return '0'
		case i < len(whole):
			return whole[i]
		}
		return fraction[i-len(whole)]
	}
	for i := range max(point, 0) {
		if c := digit(i); c != '0' || len(dst) > at || i == point-1 {
			dst = append(dst, c)
		}
	}
	if scale := len(fraction) - exponent; scale > 0 {
		dst = append(dst, '.')
		for i := point; i < point+scale; i++ {
			dst = append(dst, digit(i))
		}
	}
	return dst
}

func (j *Printer) digits() []byte {
	start := j.at
	for j.at < len(j.src) && chars.IsDigit(j.src[j.at]) {
		j.at++
	}
	return j.src[start:j.at]
}

func (j *Printer) exponent() (n int, ok bool) {
	if j.at == len(j.src) || j.src[j.at]|0x20 != 'e' {
		return 0, true
	}
	j.at++
	negative := j.at < len(j.src) && j.src[j.at] == '-'
	if negative || j.at < len(j.src) && j.src[j.at] == '+' {
		j.at++
	}
	digits := j.digits()
	for _, c := range digits {
		n = min(n*10+int(c-'0'), 2*maxJSONExponent)
	}
	if negative {
		n = -n
	}
	return n, len(digits) > 0
}

func allZeros(digits []byte) bool { return len(bytes.Trim(digits, "0")) == 0 }
