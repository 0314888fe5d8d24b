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

// Digits is what is known of the digits of a numeric before the value is computed. The
// zero value knows nothing.
type Digits struct {
	Whole, Frac  int // of the engine's DECIMAL, before and behind the point; both 0 where that is not known
	DisplayScale int // digits behind the point that PostgreSQL prints (dscale); the engine's are padded with zeros
}

// ColumnDigits are those of a column that declares none, QuotientDigits those of a
// quotient, StatisticDigits those of a result computed in floating point, and WholeDigits
// those of a whole number.
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

// Known reports whether the engine's decimal type is known.
func (d Digits) Known() bool { return d.Whole+d.Frac > 0 }

// EngineDecimal is the engine's widest DECIMAL of a scale.
func EngineDecimal(scale int) string { return "DECIMAL(38," + strconv.Itoa(scale) + ")" }

// Display returns these where the display scale depends on the value.
const (
	DisplayByValue    = -1 - iota // the digits of the value, without trailing zeros
	DisplayAsQuotient             // 16 significant digits
	DisplayUnknown
)

// Display is the display scale, or one of the constants above.
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

// SameDisplayScale reports whether all types are numerics of one display scale. It is false
// for no types.
func SameDisplayScale(typs []Type) bool {
	for _, t := range typs {
		if d := t.Digits(); !d.Known() || d.DisplayScale != typs[0].Digits().DisplayScale {
			return false
		}
	}
	return len(typs) > 0
}

// CappedDigits are the digits of a computed decimal. The engine has 38 digits at most, and
// keeps the scale where there are more.
func CappedDigits(whole, frac, shown int) Digits {
	return Digits{Whole: max(min(whole, MaxDigits-frac), 0), Frac: frac, DisplayScale: shown}
}

// StoredDigits are the digits of a stored column.
func StoredDigits(c column.Type) Digits {
	if c.Width == 0 {
		return ColumnDigits
	}
	return Digits{Whole: int(c.Width) - int(c.Scale), Frac: int(c.Scale)}
}

// Digits are the digits of a numeric, of the elements of an array of numerics, and of an
// integer that is combined with a numeric.
func (t Type) Digits() Digits {
	if elem, ok := t.Elem(); ok {
		t = elem
	}
	switch {
	case (t.OID == Numeric || t.OID == WideNumeric) && t.Typmod >= 4:
		return DeclaredDigits(t.Typmod)
	case t.OID == Numeric || t.OID == WideNumeric:
		return t.Numeric
	}
	return Digits{Whole: IntegerDigits[t.OID]}
}

// InputDigits are the digits of a value that is read as the type or cast to it.
func (t Type) InputDigits() Digits {
	if t.OID != Numeric {
		return Digits{}
	}
	if t.Typmod >= 4 {
		return DeclaredDigits(t.Typmod)
	}
	return ColumnDigits
}

// DeclaredDigits are the digits of numeric(p,s), whose type modifier is given.
func DeclaredDigits(mod int32) Digits {
	precision, scale := NumericTypmod(mod)
	return Digits{Whole: max(int(precision-scale), 0), Frac: max(int(scale), 0), DisplayScale: max(int(scale), 0)}
}

// CommonDigits are the digits of a column, array or CASE made of numerics of several types.
// cut says that they need more than 38 digits in all: then each value must be cast to the
// scale of d, or the engine would cut off digits behind the point. The engine raises an
// error for a value whose digits before the point do not fit.
func CommonDigits(typs []Type) (d Digits, cut bool) {
	known, counted, wide := true, true, false
	for _, t := range typs {
		wide = wide || t.IsWide()
		n := t.Digits()
		known = known && n.Known()
		counted = counted && (n.DisplayScale > 0 || n.Frac == 0)
		d.Whole, d.Frac, d.DisplayScale = max(d.Whole, n.Whole), max(d.Frac, n.Frac), max(d.DisplayScale, n.DisplayScale)
	}
	if !known || !counted {
		d.DisplayScale = 0 // each value of one of them has its own
	}
	switch {
	case wide:
		return d, false
	case !known:
		return Digits{}, false
	case d.Whole+d.Frac > MaxDigits:
		return CappedDigits(d.Whole, d.Frac, d.DisplayScale), true
	}
	return d, false
}

// IntegerDigits are the most digits of a value, by the OID of the integer type.
var IntegerDigits = map[uint32]int{Int2: 5, Int4: 10, Int8: 19}
