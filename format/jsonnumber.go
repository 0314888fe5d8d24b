package format

import (
	"math"
	"strconv"
)

// number reads an integer, a float, NaN, Infinity or -Infinity.
func (s *scanner) number() Value {
	text, integer := s.numeral()
	if s.err != nil {
		return Value{}
	}
	if integer {
		return Value{kind: JSONInt, text: string(text)}
	}
	return Float(floatOf(text))
}

// numeral reads the text of a number.
func (s *scanner) numeral() (text []byte, integer bool) {
	start := s.at
	if s.peek() == '-' {
		s.at++
	}
	switch s.peek() {
	case 'N':
		if s.at > start {
			s.fail("expected a value")
		}
		s.word("NaN")
		s.maybeNotPlain = true
	case 'I':
		s.word("Infinity")
		s.maybeNotPlain = true
	case '0':
		s.at++
		integer = s.fraction()
	default:
		if s.digits() == 0 {
			s.fail("expected a value")
		}
		integer = s.fraction()
	}
	text = s.text[start:s.at]
	if integer && string(text) == "-0" { // Python's integers have no negative zero
		text = text[1:]
	}
	return text, integer
}

// decimal reads a number with few digits and no exponent, whose value is n / 10^places. ok is
// false for other numbers; then it reads nothing.
func (s *scanner) decimal() (n int64, places int, ok bool) {
	const most = 15 // a double represents every integer of 15 digits
	at := s.at
	negative := s.peek() == '-'
	if negative {
		at++
	}
	first, point := at, -1
	for ; at < len(s.text); at++ {
		c := s.text[at]
		if c == '.' && point < 0 {
			point = at
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int64(c-'0')
	}
	digits := at - first
	if point >= 0 {
		digits--
		places = at - point - 1
	}
	switch {
	case s.err != nil || digits == 0 || digits > most,
		point == first || point == at-1,
		negative && n == 0, // -0 is 0, and -0.0 is negative zero
		s.text[first] == '0' && digits > 1 && point != first+1,
		at < len(s.text) && (s.text[at]|' ' == 'e' || s.text[at] == '.'):
		return 0, 0, false
	}
	if negative {
		n = -n
	}
	s.at = at
	return n, places, true
}

// PlainFloat returns the value of a number with few digits and no exponent. ok is false for other
// texts.
func PlainFloat(text []byte) (f float64, ok bool) {
	s := scanner{text: text}
	n, places, ok := s.decimal()
	if !ok || s.at < len(text) {
		return 0, false
	}
	return float64(n) / powersOfTen[places], true
}

// powersOfTen are powers of ten that a double represents exactly.
var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// floatOf returns the value of a numeral. A numeral that is out of range is infinity or zero, as in
// Python.
func floatOf(text []byte) float64 {
	f, _ := strconv.ParseFloat(string(text), 64)
	return f
}

// fraction reads an optional fraction and an optional exponent. integer is true if there is
// neither.
func (s *scanner) fraction() (integer bool) {
	integer = true
	if s.peek() == '.' {
		integer = false
		s.at++
		if s.digits() == 0 {
			s.fail("expected digits after the point")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		integer = false
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if s.digits() == 0 {
			s.fail("expected digits in the exponent")
		}
	}
	return integer
}

func (s *scanner) digits() (n int) {
	if s.err != nil {
		return 0
	}
	start := s.at
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at - start
}

// Int64 returns the value of a JSONInt. ok is false for other kinds and for integers of more than
// 64 bits.
func (v Value) Int64() (n int64, ok bool) {
	if v.kind != JSONInt {
		return 0, false
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	return n, err == nil
}

// AppendFloat appends a float as Python's json writes it (COMPAT 2.1): the shortest digits that
// read back as f, always with a point or an exponent. The exponent is used from 1e16 on and below
// 1e-4, with a sign and at least two digits.
func AppendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	return appendRepr(dst, f)
}

// appendRepr is Python's repr of a finite float.
func appendRepr(dst []byte, f float64) []byte {
	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	if short, ok := appendThousandths(dst, f); ok {
		return short
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	for _, c := range dst[start:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, ".0"...)
}
