package types

import (
	"strconv"

	"github.com/ontosql/ontosql/column"
)

// The digits that a numeric column has at most, before and behind the point.
const (
	MaxColumnWhole    = 26
	MaxColumnFraction = 12
)

// Digits is what is known of a numeric before it is computed. The zero value is
// nothing.
type Digits struct {
	Whole, Frac  int // of the engine's DECIMAL, before and behind the point; both 0 where that is not known
	DisplayScale int // behind the point, as PostgreSQL shows every value: zeros are added to those of the engine
}

// A quotient of the engine (numericMacros), what is computed in floating point, and
// what has as many digits as there are.
var (
	ColumnDigits    = Digits{Whole: MaxColumnWhole, Frac: MaxColumnFraction}
	QuotientDigits  = Digits{Whole: 18, Frac: 20}
	StatisticDigits = Digits{Whole: 22, Frac: 16, DisplayScale: 16}
	WholeDigits     = Digits{Whole: MaxDigits}
)

// MinSignificantDigits are the digits that PostgreSQL gives results that are not exact
// (NUMERIC_MIN_SIG_DIGITS).
const MinSignificantDigits = 16

// MaxDigits are the digits that the engine's widest decimal has.
const MaxDigits = 38

func (d Digits) Known() bool { return d.Whole+d.Frac > 0 }

// EngineDecimal is the engine's DECIMAL of a scale that has the most digits before the point.
func EngineDecimal(scale int) string { return "DECIMAL(38," + strconv.Itoa(scale) + ")" }

// How the digits of a numeric are shown that are not those of digits.shown.
const (
	DisplayByValue    = -1 - iota // those that it has, without zeros
	DisplayAsQuotient             // 16 that count
	DisplayUnknown
)

// Display is how many digits are shown, or one of the above.
func (d Digits) Display() int {
	switch {
	case !d.Known():
		return DisplayUnknown
	case d.Frac == QuotientDigits.Frac:
		return DisplayAsQuotient
	case d.Frac > 0 && d.DisplayScale == 0:
		return DisplayByValue
	}
	return d.DisplayScale
}

// SameDisplayScale reports whether there are numerics, and all show as many digits.
func SameDisplayScale(typs []Type) bool {
	for _, t := range typs {
		if d := t.Digits(); !d.Known() || d.DisplayScale != typs[0].Digits().DisplayScale {
			return false
		}
	}
	return len(typs) > 0
}

// CappedDigits is a decimal that computing makes, which has 38 digits and not more: its
// scale is kept.
func CappedDigits(whole, frac, shown int) Digits {
	return Digits{Whole: max(min(whole, MaxDigits-frac), 0), Frac: frac, DisplayScale: shown}
}

// StoredDigits are those of a column of the engine, which has 38 where it does not say.
func StoredDigits(c column.Type) Digits {
	if c.Width == 0 {
		return ColumnDigits
	}
	return Digits{Whole: int(c.Width) - int(c.Scale), Frac: int(c.Scale)}
}

// Digits is what is known of a numeric, of the elements of an array of them, and of an
// integer that stands beside one.
func (t Type) Digits() Digits {
	if elem, ok := t.Elem(); ok {
		t = elem
	}
	switch {
	case t.OID == Numeric && t.Typmod >= 4:
		return DeclaredDigits(t.Typmod)
	case t.OID == Numeric:
		return t.Numeric
	}
	return Digits{Whole: IntegerDigits[t.OID]}
}

// InputDigits is what is known of a value that is read as the type or cast to it.
func (t Type) InputDigits() Digits {
	if t.OID != Numeric {
		return Digits{}
	}
	if t.Typmod >= 4 {
		return DeclaredDigits(t.Typmod)
	}
	return ColumnDigits
}

// DeclaredDigits are those of numeric(p,s).
func DeclaredDigits(mod int32) Digits {
	precision, scale := NumericTypmod(mod)
	return Digits{Whole: int(precision - scale), Frac: int(scale), DisplayScale: int(scale)}
}

// CommonDigits is what numerics become where they are one column, array or branch. The engine
// takes digits behind the point off where there are more than 38 in all: then cut is
// the scale that each of them must be brought to, and where the digits before the
// point have no room in the rest, the engine raises an error.
func CommonDigits(typs []Type) (d Digits, cut bool) {
	known, counted := true, true
	for _, t := range typs {
		n := t.Digits()
		known = known && n.Known()
		counted = counted && (n.DisplayScale > 0 || n.Frac == 0)
		d.Whole, d.Frac, d.DisplayScale = max(d.Whole, n.Whole), max(d.Frac, n.Frac), max(d.DisplayScale, n.DisplayScale)
	}
	if !known || !counted {
		d.DisplayScale = 0 // each value of one of them has its own
	}
	switch {
	case !known:
		return Digits{}, false
	case d.Whole+d.Frac > MaxDigits:
		return CappedDigits(d.Whole, d.Frac, d.DisplayScale), true
	}
	return d, false
}

// IntegerDigits are the digits that integers have at most.
var IntegerDigits = map[uint32]int{Int2: 5, Int4: 10, Int8: 19}
