package numeric

import (
	"math"
	"math/big"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// powerFunctions are the roots, powers and logarithms of numerics, which come as
// oneNumber says and go as texts. The results have PostgreSQL's digits (numeric.c of
// version 15): 16 or more that count, and no fewer behind the point than the arguments.
var powerFunctions = []fmgr.Function{
	{Name: "ontosql_numeric_sqrt", Args: oneNumber, Result: fmgr.Text, New: withLogarithms((*logarithms).sqrt)},
	{Name: "ontosql_numeric_exp", Args: oneNumber, Result: fmgr.Text, New: withLogarithms((*logarithms).exp)},
	{Name: "ontosql_numeric_ln", Args: oneNumber, Result: fmgr.Text, New: withLogarithms((*logarithms).ln)},
	{Name: "ontosql_numeric_log", Args: twoNumbers, Result: fmgr.Text, New: withLogarithms((*logarithms).log)},
	{Name: "ontosql_numeric_power", Args: twoNumbers, Result: fmgr.Text, New: withLogarithms((*logarithms).power)},
}

func withLogarithms(compute func(*logarithms, []decimal) (decimal, error)) func() fmgr.Call {
	return func() fmgr.Call {
		logs := &logarithms{}
		return onNumbers(func(args []decimal) (decimal, error) { return compute(logs, args) })
	}
}

// Limits of numeric.c.
const (
	mostLogarithm = 6000   // NUMERIC_MAX_RESULT_SCALE * 3: of what exp computes
	mostWhole     = 131072 // digits before the point
	log10e        = 0.434294481903252
)

var errNumericOverflow = pgerr.New(pgerr.NumericValueOutOfRange, "value overflows numeric format")

// float is the number with a precision in bits.
func (d decimal) float(bits uint) *big.Float {
	x := new(big.Float).SetPrec(bits).SetInt(d.units)
	return x.Quo(x, new(big.Float).SetPrec(bits).SetInt(tenTo(d.scale)))
}

// decimalOf rounds to a scale, halves away from zero.
func decimalOf(x *big.Float, scale int) decimal {
	units := new(big.Float).SetPrec(x.Prec()).SetInt(tenTo(scale))
	units.Mul(units, x)
	half := big.NewFloat(0.5)
	if x.Sign() < 0 {
		half.Neg(half)
	}
	n, _ := units.Add(units, half).Int(nil)
	return decimal{n, scale}
}

// bitsFor is the precision for so many decimal digits, and some to guard them.
func bitsFor(digits int) uint { return uint(float64(max(digits, 1))*math.Log2(10)) + 96 }

// logarithms keeps the logarithm of 2 with the bits that it was asked for last.
type logarithms struct{ two *big.Float }

// of is the natural logarithm of a number above 0.
func (l *logarithms) of(d decimal, bits uint) *big.Float {
	// d = m * 2^k with m near 1, of which (m-1) / (m+1) is taken from whole numbers:
	// nothing is lost where m is 1.00000000000000000001.
	num, den := new(big.Int).Set(d.units), new(big.Int).Set(tenTo(d.scale))
	k := num.BitLen() - den.BitLen()
	if v, _ := d.float(64).Float64(); v > 0.7 && v < 1.45 {
		k = 0
	}
	if k > 0 {
		den.Lsh(den, uint(k))
	} else {
		num.Lsh(num, uint(-k))
	}
	out := atanh(new(big.Int).Sub(num, den), new(big.Int).Add(num, den), bits)
	out.Mul(out, big.NewFloat(2))
	if k == 0 {
		return out
	}
	two := new(big.Float).SetPrec(bits).SetInt64(int64(k))
	return out.Add(out, two.Mul(two, l.ofTwo(bits)))
}

// ofTwo is the logarithm of 2.
func (l *logarithms) ofTwo(bits uint) *big.Float {
	if l.two == nil || l.two.Prec() != bits {
		out := atanh(big.NewInt(1), big.NewInt(3), bits)
		l.two = out.Mul(out, big.NewFloat(2))
	}
	return l.two
}

// atanh is artanh of a fraction: z + z^3/3 + z^5/5 ...
func atanh(num, den *big.Int, bits uint) *big.Float {
	float := func() *big.Float { return new(big.Float).SetPrec(bits) }
	z := float().Quo(float().SetInt(num), float().SetInt(den))
	sum, power, square := float().Set(z), float().Set(z), float().Mul(z, z)
	if z.Sign() == 0 {
		return sum
	}
	for n := int64(3); ; n += 2 {
		power.Mul(power, square)
		term := float().Quo(power, float().SetInt64(n))
		if term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-int(bits) {
			return sum
		}
		sum.Add(sum, term)
	}
}

// exponential is e to the power of x.
func (l *logarithms) exponential(x *big.Float, bits uint) *big.Float {
	float := func() *big.Float { return new(big.Float).SetPrec(bits) }
	two := l.ofTwo(bits)
	ratio, _ := float().Quo(x, two).Float64()
	k := int(math.Round(ratio))
	rest := float().Sub(x, float().Mul(two, float().SetInt64(int64(k))))
	const halvings = 12
	rest.SetMantExp(rest, -halvings)
	sum, term := float().SetInt64(1), float().SetInt64(1)
	for n := int64(1); ; n++ {
		term.Quo(term.Mul(term, rest), float().SetInt64(n))
		if term.Sign() == 0 || term.MantExp(nil) < -int(bits) {
			break
		}
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, k)
}

// weight estimates the decimal digits of the natural logarithm before the point
// (estimate_ln_dweight).
func (l *logarithms) weight(d decimal) int {
	if v, _ := d.float(64).Float64(); v >= 0.9 && v <= 1.1 {
		rest := decimal{new(big.Int).Sub(d.units, tenTo(d.scale)), d.scale}
		weight, leading, _ := rest.places()
		if leading == 0 {
			return 0
		}
		return 4*weight + int(math.Log10(float64(leading/10000)))
	}
	_, leading, exponent := d.places()
	return int(math.Log10(math.Abs(math.Log(float64(leading)) + float64(exponent)*math.Ln10)))
}

func (l *logarithms) sqrt(args []decimal) (decimal, error) {
	x := args[0]
	if x.units.Sign() < 0 {
		return x, pgerr.New("2201F", "cannot take square root of a negative number")
	}
	weight, _, _ := x.places()
	scale := displayScale(significantDigits-((weight+1)*2-1), x)
	return x.root(scale), nil
}

func (l *logarithms) exp(args []decimal) (decimal, error) {
	x := args[0]
	value, _ := x.float(64).Float64()
	scale := displayScale(significantDigits-resultWeight(value), x)
	return l.exponentialOf(x, value, scale)
}

// resultWeight are the decimal digits before the point of e to the power of x, about:
// those of which the scale is chosen.
func resultWeight(x float64) int { return int(min(max(x*log10e, -2000), 2000)) }

// exponentialOf is e to the power of x, which is about value, with a scale.
func (l *logarithms) exponentialOf(x decimal, value float64, scale int) (decimal, error) {
	if math.Abs(value) >= mostLogarithm {
		if value > 0 {
			return x, errNumericOverflow
		}
		return decimal{new(big.Int), scale}, nil
	}
	bits := bitsFor(int(value*log10e) + scale)
	return decimalOf(l.exponential(x.float(bits), bits), scale), nil
}

// logarithmOf refuses what has no logarithm.
func logarithmOf(x decimal) error {
	switch x.units.Sign() {
	case 0:
		return pgerr.New("2201E", "cannot take logarithm of zero")
	case -1:
		return pgerr.New("2201E", "cannot take logarithm of a negative number")
	}
	return nil
}

func (l *logarithms) ln(args []decimal) (decimal, error) {
	x := args[0]
	if err := logarithmOf(x); err != nil {
		return x, err
	}
	weight := l.weight(x)
	scale := displayScale(significantDigits-weight, x)
	return decimalOf(l.of(x, bitsFor(weight+scale)), scale), nil
}

// log is the logarithm of the second argument to the base that is the first.
func (l *logarithms) log(args []decimal) (decimal, error) {
	base, x := args[0], args[1]
	for _, d := range args {
		if err := logarithmOf(d); err != nil {
			return d, err
		}
	}
	weight := l.weight(x) - l.weight(base)
	scale := displayScale(significantDigits-weight, base, x)
	bits := bitsFor(max(weight, 0) + scale)
	below := l.of(base, bits)
	if below.Sign() == 0 {
		return x, errDivisionByZero
	}
	out := l.of(x, bits)
	return decimalOf(out.Quo(out, below), scale), nil
}

func (l *logarithms) power(args []decimal) (decimal, error) {
	base, exponent := args[0], args[1]
	whole := exponent.atScale(0, false)
	isWhole := whole.scaled(exponent.scale).Cmp(exponent.units) == 0
	switch {
	case base.units.Sign() == 0 && exponent.units.Sign() < 0:
		return base, pgerr.New("2201F", "zero raised to a negative power is undefined")
	case base.units.Sign() < 0 && !isWhole:
		return base, pgerr.New("2201F", "a negative number raised to a non-integer power yields a complex result")
	case isWhole && whole.units.IsInt64() && whole.units.Int64() >= math.MinInt32 && whole.units.Int64() <= math.MaxInt32:
		return wholePower(base, whole.units.Int64())
	case base.units.Sign() == 0:
		return decimal{new(big.Int), significantDigits}, nil
	}
	negative := base.units.Sign() < 0 && whole.units.Bit(0) == 1
	base.units = new(big.Int).Abs(base.units)
	value, err := l.roughPower(base, exponent)
	if err != nil {
		return base, err
	}
	if value < -1.003*mostLogarithm {
		return decimal{new(big.Int), mostScale}, nil
	}
	scale := displayScale(significantDigits-resultWeight(value), base, exponent)
	if value <= -mostLogarithm {
		return decimal{new(big.Int), scale}, nil
	}
	bits := bitsFor(int(value*log10e) + scale)
	ln := l.of(base, bits)
	out := decimalOf(l.exponential(ln.Mul(ln, exponent.float(bits)), bits), scale)
	if negative {
		out.units.Neg(out.units)
	}
	return out, nil
}

// roughPower is the logarithm of a power with the eight digits of which power_var
// chooses the scale.
func (l *logarithms) roughPower(base, exponent decimal) (float64, error) {
	scale := max(8-l.weight(base), 0)
	ln := decimalOf(l.of(base, bitsFor(scale+8)), scale)
	product := decimal{new(big.Int).Mul(ln.units, exponent.units), ln.scale + exponent.scale}.atScale(int64(scale), true)
	value, _ := product.float(64).Float64()
	if value >= mostLogarithm {
		return 0, errNumericOverflow
	}
	return value, nil
}

// wholePower multiplies (power_var_int).
func wholePower(base decimal, n int64) (decimal, error) {
	scale := displayScale(significantDigits, base)
	value, _ := base.float(64).Float64()
	weight := float64(n) * math.Log10(math.Abs(value))
	switch {
	case n == 0:
		return decimal{tenTo(scale), scale}, nil
	case base.units.Sign() == 0, weight < -float64(scale)-1:
		return decimal{new(big.Int), scale}, nil
	case weight > mostWhole+1:
		return base, errNumericOverflow
	}
	bits := bitsFor(int(weight) + scale)
	out, factor := new(big.Float).SetPrec(bits).SetInt64(1), base.float(bits)
	for left := uint64(max(n, -n)); left > 0; left >>= 1 {
		if left&1 == 1 {
			out.Mul(out, factor)
		}
		factor.Mul(factor, factor)
	}
	if n < 0 {
		out.Quo(new(big.Float).SetPrec(bits).SetInt64(1), out)
	}
	d := decimalOf(out, scale)
	if len(d.units.String())-scale > mostWhole {
		return d, errNumericOverflow
	}
	return d, nil
}
