package rewrite

import (
	"strconv"

	"github.com/ontosql/ontosql/column"
)

// The digits that a numeric column has at most, before and behind the point.
const (
	maxWhole    = 26
	maxFraction = 12
)

// digits is what is known of a numeric before it is computed. The zero value is
// nothing.
type digits struct {
	whole, frac int // of the engine's DECIMAL, before and behind the point; both 0 where that is not known
	shown       int // behind the point, as PostgreSQL shows every value: zeros are added to those of the engine
}

// A quotient of the engine (numericMacros), what is computed in floating point, and
// what has as many digits as there are.
var (
	columnDigits    = digits{whole: maxWhole, frac: maxFraction}
	quotientDigits  = digits{whole: 18, frac: 20}
	statisticDigits = digits{whole: 22, frac: 16, shown: 16}
	wholeDigits     = digits{whole: maxDigits}
)

// significant are the digits that PostgreSQL gives results that are not exact
// (NUMERIC_MIN_SIG_DIGITS).
const significant = 16

// maxDigits are the digits that the engine's widest decimal has.
const maxDigits = 38

func (d digits) known() bool { return d.whole+d.frac > 0 }

// decimal is the engine's DECIMAL of a scale that has the most digits before the point.
func decimal(scale int) string { return "DECIMAL(38," + strconv.Itoa(scale) + ")" }

// How the digits of a numeric are shown that are not those of digits.shown.
const (
	shownByValue    = -1 - iota // those that it has, without zeros
	shownAsQuotient             // 16 that count
	shownUnknown
)

// look is how many digits are shown, or one of the above.
func (d digits) look() int {
	switch {
	case !d.known():
		return shownUnknown
	case d.frac == quotientDigits.frac:
		return shownAsQuotient
	case d.frac > 0 && d.shown == 0:
		return shownByValue
	}
	return d.shown
}

// sameScale reports whether there are numerics, and all show as many digits.
func sameScale(typs []typ) bool {
	for _, t := range typs {
		if d := t.digits(); !d.known() || d.shown != typs[0].digits().shown {
			return false
		}
	}
	return len(typs) > 0
}

// capped is a decimal that computing makes, which has 38 digits and not more: its
// scale is kept.
func capped(whole, frac, shown int) digits {
	return digits{whole: max(min(whole, maxDigits-frac), 0), frac: frac, shown: shown}
}

// storedDigits are those of a column of the engine, which has 38 where it does not say.
func storedDigits(c column.Type) digits {
	if c.Width == 0 {
		return columnDigits
	}
	return digits{whole: int(c.Width) - int(c.Scale), frac: int(c.Scale)}
}

// digits is what is known of a numeric, of the elements of an array of them, and of an
// integer that stands beside one.
func (t typ) digits() digits {
	if elem, ok := t.elem(); ok {
		t = elem
	}
	switch {
	case t.oid == numericOID && t.mod >= 4:
		return declaredDigits(t.mod)
	case t.oid == numericOID:
		return t.num
	}
	return digits{whole: integerDigits[t.oid]}
}

// read is what is known of a value that is read as the type or cast to it.
func (t typ) read() digits {
	if t.oid != numericOID {
		return digits{}
	}
	if t.mod >= 4 {
		return declaredDigits(t.mod)
	}
	return columnDigits
}

// declaredDigits are those of numeric(p,s).
func declaredDigits(mod int32) digits {
	precision, scale := numericMod(mod)
	return digits{whole: int(precision - scale), frac: int(scale), shown: int(scale)}
}

// meet is what numerics become where they are one column, array or branch. The engine
// takes digits behind the point off where there are more than 38 in all: then cut is
// the scale that each of them must be brought to, and where the digits before the
// point have no room in the rest, the engine raises an error.
func meet(typs []typ) (d digits, cut bool) {
	known, counted := true, true
	for _, t := range typs {
		n := t.digits()
		known = known && n.known()
		counted = counted && (n.shown > 0 || n.frac == 0)
		d.whole, d.frac, d.shown = max(d.whole, n.whole), max(d.frac, n.frac), max(d.shown, n.shown)
	}
	if !known || !counted {
		d.shown = 0 // each value of one of them has its own
	}
	switch {
	case !known:
		return digits{}, false
	case d.whole+d.frac > maxDigits:
		return capped(d.whole, d.frac, d.shown), true
	}
	return d, false
}

// integerDigits are the digits that integers have at most.
var integerDigits = map[uint32]int{int2OID: 5, int4OID: 10, int8OID: 19}
