package jsonb

import (
	"strconv"
	"strings"
)

// Offsets are the places of a document's containers in PostgreSQL's binary form of a jsonb, in
// bytes from the first container, which is the document (jsonb_util.c, convertToJsonb). The
// members must be sorted (SortMembers).
func Offsets(document *Value) map[*Value]int64 {
	l := layout{offsets: map[*Value]int64{}}
	l.value(document)
	return l.offsets
}

// layout counts the bytes that a document takes.
type layout struct {
	offsets map[*Value]int64
	at      int64
}

// entry is the size in bytes of a container's header, and of the entry of each key, value and
// element in it.
const entry = 4

func (l *layout) align() { l.at = (l.at + 3) &^ 3 }

func (l *layout) value(v *Value) {
	switch v.Kind {
	case "string":
		l.at += int64(len(v.Text))
	case "number":
		l.align()
		l.at += numericSize(v.Text)
	case "array", "object":
		l.align()
		l.offsets[v] = l.at
		l.at += entry * int64(1+len(v.Keys)+len(v.Items))
		for _, k := range v.Keys {
			l.at += int64(len(k))
		}
		for _, item := range v.Items {
			l.value(item)
		}
	}
}

// The parts of a stored numeric, in bytes, and the bounds of its short form
// (PostgreSQL's numeric.c).
const (
	varlenaHeader  = 4
	shortHeader    = 2
	longHeader     = 4
	numericDigit   = 2 // of four decimal digits
	maxShortScale  = 63
	maxShortWeight = 63
	minShortWeight = -64
)

// numericSize is the size of a numeric of some digits.
func numericSize(text string) int64 {
	mantissa, e, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(text, "-")), "e")
	exponent, _ := strconv.Atoi(e)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, point := whole+fraction, len(whole)+exponent // the place of the decimal point in digits
	scale := max(len(fraction)-exponent, 0)
	first := strings.IndexFunc(digits, func(r rune) bool { return r != '0' })
	if first < 0 {
		return size(0, 0, scale)
	}
	last := strings.LastIndexFunc(digits, func(r rune) bool { return r != '0' })
	group := func(digit int) int { // the weight of the group of four digits that a digit is in
		d := point - 1 - digit // its power of ten
		if d < 0 {
			return (d - 3) / 4
		}
		return d / 4
	}
	return size(group(first)-group(last)+1, group(first), scale)
}

func size(groups, weight, scale int) int64 {
	header := longHeader
	if scale <= maxShortScale && weight <= maxShortWeight && weight >= minShortWeight {
		header = shortHeader
	}
	return int64(varlenaHeader + header + numericDigit*groups)
}
