package rowexpr

import (
	"math/bits"
	"strings"

	"github.com/ontosql/ontosql/column"
)

// A numeric is computed with exactly: values are brought to the greatest scale before they are
// compared or added. What has more than 38 digits is ErrUndecided.

// anyNumeric is the type of parameters and texts: a numeric of no declared precision.
var anyNumeric = column.Type{Kind: column.Numeric, Width: mostDigits, Scale: mostBehind}

const (
	mostDigits = 38 // of a numeric
	mostBehind = 12 // digits behind the point up to which numerics are computed with
)

// typeOf is the type of a parameter or a text that is read as a kind.
func typeOf(k column.Kind) column.Type {
	if k == column.Numeric {
		return anyNumeric
	}
	return column.Type{Kind: k}
}

// Numeric is a whole number or a numeric as a numeric of a type, rounded as an assignment does. One
// that has too many digits before the point is ErrUndecided.
func Numeric(e *Expr, t column.Type) *Expr {
	if e == nil || t.Kind != column.Numeric || e.Type.Kind != column.Numeric && !isInteger(e.Type.Kind) {
		return nil
	}
	if e.Type.Kind == t.Kind && e.Type.Width == t.Width && e.Type.Scale == t.Scale {
		return e
	}
	t.Name = ""
	return &Expr{Type: t, op: opNumeric, operands: []*Expr{e}}
}

// oneScale are operands of one kind, numerics with the same digits behind the point. It returns nil
// where that cannot be, or if an operand is nil.
func oneScale(operands []*Expr) []*Expr {
	t := column.Type{Kind: column.Numeric, Width: mostDigits}
	for _, e := range operands {
		if e == nil || e.Type.Kind != operands[0].Type.Kind || e.Type.Kind == column.Numeric && e.Type.Scale > mostBehind {
			return nil
		}
		t.Scale = max(t.Scale, e.Type.Scale)
	}
	if operands[0].Type.Kind != column.Numeric {
		return operands
	}
	same := make([]*Expr, len(operands))
	for i, e := range operands {
		if same[i] = e; e.Type.Scale < t.Scale {
			same[i] = Numeric(e, t)
		}
	}
	return same
}

// rescale makes the function of Numeric of values of a type. Digits are lost only if it rounds.
func rescale(from, to column.Type, rounds bool) func(v Value) (Value, error) {
	limit, up, down := tenTo(int(to.Width)), tenTo(max(0, int(to.Scale)-int(from.Scale))), tenTo(max(0, int(from.Scale)-int(to.Scale)))
	return func(v Value) (Value, error) {
		n := v.Wide
		if isInteger(from.Kind) {
			n = column.Int128{Lo: uint64(v.Int), Hi: v.Int >> 63}
		}
		size, negative := magnitudeOf(n)
		size, fits := size.times(up.lo, 0)
		if down.lo > 1 {
			var rest uint64
			if size, rest = size.over(down.lo); rest != 0 && !rounds {
				return Value{}, ErrUndecided
			}
			if rest >= down.lo/2 {
				size, fits = size.times(1, 1)
			}
		}
		if !fits || !size.less(limit) {
			return Value{}, ErrUndecided
		}
		return Value{Wide: size.signed(negative)}, nil
	}
}

// numerics adds or subtracts two numerics of one scale.
func numerics(o op, a, b column.Int128) (Value, error) {
	if o == opSubtract {
		size, negative := magnitudeOf(b)
		b = size.signed(!negative)
	}
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	sum := column.Int128{Lo: lo, Hi: a.Hi + b.Hi + int64(carry)}
	overflows := (a.Hi < 0) == (b.Hi < 0) && (sum.Hi < 0) != (a.Hi < 0)
	if size, _ := magnitudeOf(sum); overflows || !size.less(tenTo(mostDigits)) {
		return Value{}, ErrUndecided
	}
	return Value{Wide: sum}, nil
}

// readNumeric is the numeric of type anyNumeric that a text is as input.Canonical writes it. One with
// more digits is ErrUndecided.
func readNumeric(text string) (Value, error) {
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if len(fraction) > mostBehind {
		return Value{}, ErrUndecided
	}
	var size magnitude
	most := tenTo(mostDigits)
	for _, c := range whole + fraction + strings.Repeat("0", mostBehind-len(fraction)) {
		if c < '0' || c > '9' {
			return Value{}, ErrUndecided
		}
		if size, _ = size.times(10, uint64(c-'0')); !size.less(most) { // before it has more than 128 bits
			return Value{}, ErrUndecided
		}
	}
	return Value{Wide: size.signed(negative)}, nil
}

// magnitude is the absolute value of a numeric.
type magnitude struct{ hi, lo uint64 }

func magnitudeOf(v column.Int128) (m magnitude, negative bool) {
	if v.Hi >= 0 {
		return magnitude{uint64(v.Hi), v.Lo}, false
	}
	lo, borrow := bits.Sub64(0, v.Lo, 0)
	hi, _ := bits.Sub64(0, uint64(v.Hi), borrow)
	return magnitude{hi, lo}, true
}

func (m magnitude) signed(negative bool) column.Int128 {
	v := column.Int128{Lo: m.lo, Hi: int64(m.hi)}
	if negative {
		var borrow uint64
		v.Lo, borrow = bits.Sub64(0, m.lo, 0)
		v.Hi = -int64(m.hi) - int64(borrow)
	}
	return v
}

// times is m * n + plus. It reports with fits whether that has at most 128 bits.
func (m magnitude) times(n, plus uint64) (product magnitude, fits bool) {
	carry, lo := bits.Mul64(m.lo, n)
	lo, more := bits.Add64(lo, plus, 0)
	over, hi := bits.Mul64(m.hi, n)
	hi, out := bits.Add64(hi, carry, more)
	return magnitude{hi, lo}, over == 0 && out == 0
}

// over is m / n without the rest.
func (m magnitude) over(n uint64) (quotient magnitude, rest uint64) {
	hi := m.hi / n
	lo, rest := bits.Div64(m.hi%n, m.lo, n)
	return magnitude{hi, lo}, rest
}

func (m magnitude) less(n magnitude) bool { return m.hi < n.hi || m.hi == n.hi && m.lo < n.lo }

// tenTo is a power of ten, up to 10^38.
func tenTo(n int) magnitude {
	power := magnitude{lo: 1}
	for range n {
		power, _ = power.times(10, 0)
	}
	return power
}
