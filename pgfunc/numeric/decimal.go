package numeric

import (
	"bytes"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// A number comes as a text and as the digits behind its point that PostgreSQL shows:
// zeros behind those are the engine's and do not count. All do where that is -1.
var (
	oneNumber  = []fmgr.Kind{fmgr.Text, fmgr.Int}
	twoNumbers = []fmgr.Kind{fmgr.Text, fmgr.Int, fmgr.Text, fmgr.Int}
)

// decimalFunctions compute with numerics, which come and go as texts: the engine divides
// in floating point only, and does all else in it where the digits of both operands are
// more than 38.
var decimalFunctions = []fmgr.Function{
	{Name: "ontosql_numeric_div", Args: twoNumbers, Result: fmgr.Text, New: fmgr.Stateless(onNumbers(quotient))},
	{Name: "ontosql_numeric_whole_div", Args: twoNumbers, Result: fmgr.Text, New: fmgr.Stateless(onNumbers(wholeQuotient))},
	{Name: "ontosql_numeric_gcd", Args: twoNumbers, Result: fmgr.Text, New: fmgr.Stateless(onNumbers(commonDivisor))},
	{Name: "ontosql_numeric_lcm", Args: twoNumbers, Result: fmgr.Text, New: fmgr.Stateless(onNumbers(commonMultiple))},
	{Name: "ontosql_numeric_trim", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(string(TrimZeros([]byte(a[0].Text)))), nil
	})},
	{Name: "ontosql_numeric_as_written", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(NumericText(strings.TrimSpace(a[0].Text))), nil
	})},
	{Name: "ontosql_numeric_trunc", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(parseDecimal(a[0].Text).atScale(a[1].Int, false).String()), nil
	})},
	{Name: "ontosql_numeric_round", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(parseDecimal(a[0].Text).atScale(a[1].Int, true).String()), nil
	})},
	// As round, but with zeros up to the scale.
	{Name: "ontosql_numeric_at_scale", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		d := parseDecimal(a[0].Text).atScale(a[1].Int, true)
		if scale := int(min(a[1].Int, maxScale)); scale > d.scale {
			d = decimal{d.scaled(scale), scale}
		}
		return fmgr.TextValue(d.String()), nil
	})},
	// The divisor is not zero.
	{Name: "ontosql_numeric_mod", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		x, y := parseDecimal(a[0].Text), parseDecimal(a[1].Text)
		scale := max(x.scale, y.scale)
		return fmgr.TextValue(decimal{new(big.Int).Rem(x.scaled(scale), y.scaled(scale)), scale}.String()), nil
	})},
}

// maxScale is NUMERIC_MAX_DISPLAY_SCALE of PostgreSQL's numeric.h.
const maxScale = 1000

func onNumbers(compute func([]decimal) (decimal, error)) fmgr.Call {
	return func(args []fmgr.Value) (fmgr.Value, error) {
		numbers := make([]decimal, 0, 2)
		for i := 0; i < len(args); i += 2 {
			numbers = append(numbers, parseDecimal(displayedDigits(args[i].Text, int(args[i+1].Int))))
		}
		d, err := compute(numbers)
		if err != nil {
			return fmgr.Value{}, err
		}
		return fmgr.TextValue(d.String()), nil
	}
}

// displayedDigits removes trailing zeros beyond the display scale.
func displayedDigits(s string, shown int) string {
	point := strings.IndexByte(s, '.')
	if shown < 0 || point < 0 || strings.ContainsAny(s, "eE") {
		return s
	}
	for len(s) > point+1+shown && s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	return s
}

// Limits of numeric.c.
const (
	significantDigits = 16   // NUMERIC_MIN_SIG_DIGITS
	mostScale         = 1000 // NUMERIC_MAX_DISPLAY_SCALE
)

// displayScale is scale, or the greatest scale of the arguments where that is more.
func displayScale(scale int, args ...decimal) int {
	for _, a := range args {
		scale = max(scale, a.scale)
	}
	return min(max(scale, 0), mostScale)
}

var errDivisionByZero = pgerr.New(pgerr.DivisionByZero, "division by zero")

// quotient has 16 digits that count or more, by steps of four (select_div_scale).
func quotient(args []decimal) (decimal, error) {
	x, y := args[0], args[1]
	if y.units.Sign() == 0 {
		return y, errDivisionByZero
	}
	weight, first := x.leading()
	below, firstBelow := y.leading()
	weight -= below
	if first <= firstBelow {
		weight--
	}
	scale := displayScale(significantDigits-4*weight, x, y)
	num, den := new(big.Int).Mul(x.units, tenTo(scale+y.scale)), new(big.Int).Mul(y.units, tenTo(x.scale))
	q, rest := num.QuoRem(num, den, new(big.Int))
	if rest.Lsh(rest, 1).CmpAbs(den) >= 0 {
		q.Add(q, big.NewInt(int64(x.units.Sign()*y.units.Sign())))
	}
	return decimal{q, scale}, nil
}

// wholeQuotient is the quotient without its fraction.
func wholeQuotient(args []decimal) (decimal, error) {
	x, y := args[0], args[1]
	if y.units.Sign() == 0 {
		return y, errDivisionByZero
	}
	num, den := new(big.Int).Mul(x.units, tenTo(y.scale)), new(big.Int).Mul(y.units, tenTo(x.scale))
	return decimal{num.Quo(num, den), 0}, nil
}

// commonDivisor is gcd, in units of the finer of two numbers.
func commonDivisor(args []decimal) (decimal, error) {
	scale := max(args[0].scale, args[1].scale)
	x, y := args[0].scaled(scale), args[1].scaled(scale)
	return decimal{new(big.Int).GCD(nil, nil, x.Abs(x), y.Abs(y)), scale}, nil
}

// commonMultiple is lcm, 0 where one of the numbers is.
func commonMultiple(args []decimal) (decimal, error) {
	d, err := commonDivisor(args)
	if err != nil || d.units.Sign() == 0 {
		return d, err
	}
	x, y := args[0].scaled(d.scale), args[1].scaled(d.scale)
	x.Mul(x.Quo(x, d.units), y)
	return decimal{x.Abs(x), d.scale}, nil
}

// decimal is a whole number of units, each one of 10^-scale.
type decimal struct {
	units *big.Int
	scale int
}

// parseDecimal reads what the engine prints of a number that is finite.
func parseDecimal(s string) decimal {
	if f, err := strconv.ParseFloat(s, 64); err == nil && strings.ContainsAny(s, "eE") {
		s = strconv.FormatFloat(f, 'f', -1, 64)
	}
	whole, frac, _ := strings.Cut(s, ".")
	units, ok := new(big.Int).SetString(whole+frac, 10)
	if !ok {
		units = new(big.Int)
	}
	return decimal{units, len(frac)}
}

// NumericText is what PostgreSQL prints of a number that is written in any way that it
// reads, with an exponent or without.
func NumericText(s string) string {
	digits, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	d := parseDecimal(digits)
	if n, err := strconv.Atoi(exponent); err == nil {
		d.scale -= n
	}
	if d.scale < 0 {
		d = decimal{new(big.Int).Mul(d.units, tenTo(-d.scale)), 0}
	}
	return d.String()
}

// places are the first digits of base 10,000 that numeric.c has of a number: the
// exponent of the first one, and two of them in one with the exponent of that.
func (d decimal) places() (weight, leading, exponent int) {
	if d.units.Sign() == 0 {
		return 0, 0, 0
	}
	s := strings.TrimPrefix(d.units.String(), "-")
	tens := len(s) - 1 - d.scale // of the first decimal digit
	weight = int(FloorDiv(int64(tens), 4))
	for i := range tens - 4*weight + 1 + 4 {
		leading *= 10
		if i < len(s) {
			leading += int(s[i] - '0')
		}
	}
	return weight, leading, 4 * (weight - 1)
}

// leading is the first digit of base 10,000 and its exponent.
func (d decimal) leading() (weight, first int) {
	weight, two, _ := d.places()
	return weight, two / 10000
}

// tens are the powers of 10 that are often asked for.
var tens = func() (all [64]*big.Int) {
	for n := range all {
		all[n] = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
	}
	return all
}()

// tenTo is a power of 10, not to be changed.
func tenTo(n int) *big.Int {
	if n < len(tens) {
		return tens[n]
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// scaled are the units of a scale that is not below its own.
func (d decimal) scaled(scale int) *big.Int {
	return new(big.Int).Mul(d.units, tenTo(scale-d.scale))
}

// atScale truncates or rounds the number to digit n, which counts from the point to
// the right, and of halves the one farther from zero where it is rounded.
func (d decimal) atScale(n int64, round bool) decimal {
	if n >= int64(d.scale) {
		return d
	}
	const most = 400 // more than a number has digits before its point
	digits := int(max(n, -most))
	unit := tenTo(d.scale - digits)
	kept, rest := new(big.Int).QuoRem(d.units, unit, new(big.Int))
	if round && rest.Lsh(rest, 1).CmpAbs(unit) >= 0 {
		kept.Add(kept, big.NewInt(int64(d.units.Sign())))
	}
	if digits < 0 {
		return decimal{kept.Mul(kept, tenTo(-digits)), 0}
	}
	return decimal{kept, digits}
}

func (d decimal) String() string {
	s := d.units.Append(make([]byte, 0, 48), 10)
	first := 0 // of the digits
	if d.units.Sign() < 0 {
		first = 1
	}
	if missing := d.scale + 1 - (len(s) - first); missing > 0 {
		s = slices.Insert(s, first, bytes.Repeat([]byte{'0'}, missing)...)
	}
	if d.scale > 0 {
		s = slices.Insert(s, len(s)-d.scale, '.')
	}
	return string(s)
}

// TrimZeros takes the zeros from the end of a fraction.
func TrimZeros(digits []byte) []byte {
	if bytes.IndexByte(digits, '.') < 0 {
		return digits
	}
	return bytes.TrimSuffix(bytes.TrimRight(digits, "0"), []byte{'.'})
}
