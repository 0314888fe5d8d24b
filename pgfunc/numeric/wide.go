package numeric

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// wideFunctions read, print and compute wide numerics, which come and go as the keys of package
// column.
var wideFunctions = []fmgr.Function{
	{Name: "ontosql_wide_in", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return wideResult(ReadWide(a[0].Text))
	})},
	// As the above, but NULL for a text that is no number.
	{Name: "ontosql_wide_stored", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		key, ok := column.AppendWideKey(nil, []byte(a[0].Text))
		return fmgr.Value{Text: string(key), Null: !ok}, nil
	})},
	// The text that is printed of a number, with the zeros that it is written with.
	{Name: "ontosql_wide_as_written", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if _, err := ReadWide(a[0].Text); err != nil {
			return fmgr.Value{}, err
		}
		return fmgr.TextValue(NumericText(strings.Trim(a[0].Text, " \t\n\v\f\r"))), nil
	})},
	{Name: "ontosql_wide_factorial", Args: []fmgr.Kind{fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return wideResult(factorial(a[0].Int))
	})},
	{Name: "ontosql_wide_steps", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Text}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		n, err := steps(parseWide(a[0].Text), parseWide(a[1].Text), parseWide(a[2].Text))
		if err != nil {
			return fmgr.Value{}, err
		}
		return fmgr.IntValue(int(n)), nil
	})},
	{Name: "ontosql_wide_out", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(string(column.AppendWide(nil, []byte(a[0].Text), int(a[1].Int)))), nil
	})},
	{Name: "ontosql_wide_fit", Args: []fmgr.Kind{fmgr.Text, fmgr.Int, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return wideResult(FitWide(a[0].Text, int(a[1].Int), int(a[2].Int)))
	})},
	ofWide("add", 2, func(a []decimal) (decimal, error) {
		scale := max(a[0].scale, a[1].scale)
		return decimal{new(big.Int).Add(a[0].scaled(scale), a[1].scaled(scale)), scale}, nil
	}),
	ofWide("sub", 2, func(a []decimal) (decimal, error) {
		scale := max(a[0].scale, a[1].scale)
		return decimal{new(big.Int).Sub(a[0].scaled(scale), a[1].scaled(scale)), scale}, nil
	}),
	ofWide("mul", 2, func(a []decimal) (decimal, error) {
		d := decimal{new(big.Int).Mul(a[0].units, a[1].units), a[0].scale + a[1].scale}
		return d.atScale(column.MostFractionDigits, true), nil
	}),
	ofWide("mod", 2, func(a []decimal) (decimal, error) {
		scale := max(a[0].scale, a[1].scale)
		if a[1].units.Sign() == 0 {
			return decimal{}, errDivisionByZero
		}
		return decimal{new(big.Int).Rem(a[0].scaled(scale), a[1].scaled(scale)), scale}, nil
	}),
	ofWide("neg", 1, func(a []decimal) (decimal, error) { return decimal{new(big.Int).Neg(a[0].units), a[0].scale}, nil }),
	ofWide("abs", 1, func(a []decimal) (decimal, error) { return decimal{new(big.Int).Abs(a[0].units), a[0].scale}, nil }),
	ofWide("sign", 1, func(a []decimal) (decimal, error) { return decimal{big.NewInt(int64(a[0].units.Sign())), 0}, nil }),
	ofWide("floor", 1, func(a []decimal) (decimal, error) { return a[0].toward(-1), nil }),
	ofWide("ceil", 1, func(a []decimal) (decimal, error) { return a[0].toward(1), nil }),
	{Name: "ontosql_wide_round", Args: oneNumber, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return wideResult(wideKey(parseWide(a[0].Text).atScale(a[1].Int, true)))
	})},
	{Name: "ontosql_wide_trunc", Args: oneNumber, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return wideResult(wideKey(parseWide(a[0].Text).atScale(a[1].Int, false)))
	})},
	{Name: "ontosql_wide_sum", Args: []fmgr.Kind{fmgr.Texts}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		sum, _, n := wideMoments(a[0].List, false)
		if n == 0 {
			return fmgr.Null, nil
		}
		return wideResult(wideKey(sum))
	})},
	// The mean of a list, with the digits behind the point that the numbers show.
	{Name: "ontosql_numeric_mean", Args: []fmgr.Kind{fmgr.Texts, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		sum, _, n := wideMoments(a[0].List, false)
		if n == 0 {
			return fmgr.Null, nil
		}
		if shown := int(a[1].Int); shown > sum.scale {
			sum = decimal{sum.scaled(shown), shown}
		}
		mean, err := quotient([]decimal{sum, {big.NewInt(int64(n)), 0}})
		return fmgr.TextValue(mean.String()), err
	})},
	{Name: "ontosql_numeric_spread_of", Args: []fmgr.Kind{fmgr.Texts, fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		sum, squares, n := wideMoments(a[0].List, true)
		return spread(big.NewInt(int64(n)), sum.units, squares, sum.scale, a[1].Text, int(a[2].Int))
	})},
}

// ofWide is the function ontosql_wide_name of one or two wide numerics.
func ofWide(name string, args int, compute func([]decimal) (decimal, error)) fmgr.Function {
	kinds := []fmgr.Kind{fmgr.Text, fmgr.Text}[:args]
	return fmgr.Function{Name: "ontosql_wide_" + name, Args: kinds, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		numbers := make([]decimal, args)
		for i := range numbers {
			numbers[i] = parseWide(a[i].Text)
		}
		d, err := compute(numbers)
		if err != nil {
			return fmgr.Value{}, err
		}
		return wideResult(wideKey(d))
	})}
}

// wideResult is a key as a result. Its error is nil if err is.
func wideResult(key string, err *pgerr.Error) (fmgr.Value, error) {
	if err != nil {
		return fmgr.Value{}, err
	}
	return fmgr.TextValue(key), nil
}

// parseWide is the number of a key, with the digits behind the point that it has.
func parseWide(key string) decimal {
	if !column.IsWideKey([]byte(key)) {
		return parseDecimal(key)
	}
	digits, exponent, negative := column.WideDigits([]byte(key))
	units, _ := new(big.Int).SetString("0"+string(digits), 10)
	scale := len(digits) - exponent
	if scale < 0 {
		units.Mul(units, tenTo(-scale))
		scale = 0
	}
	if negative {
		units.Neg(units)
	}
	return decimal{units, scale}
}

// wideKey is the key of a number. One with more digits than PostgreSQL's numeric has is an error
// with SQLSTATE 22003.
func wideKey(d decimal) (string, *pgerr.Error) {
	text := strconv.AppendInt(append(d.units.Append(make([]byte, 0, 64), 10), 'e'), int64(-d.scale), 10)
	key, ok := column.AppendWideKey(nil, text)
	if !ok {
		return "", pgerr.New(pgerr.NumericValueOutOfRange, "value overflows numeric format")
	}
	return string(key), nil
}

// ReadWide reads a numeric's text as a key. NaN and the infinities are out of range.
func ReadWide(s string) (string, *pgerr.Error) {
	text := strings.Trim(s, " \t\n\v\f\r")
	if key, ok := column.AppendWideKey(nil, []byte(text)); ok {
		return string(key), nil
	}
	switch word := strings.ToLower(strings.TrimLeft(text, "+-")); {
	case word == "inf", word == "infinity", strings.EqualFold(text, "nan"):
		return "", pgerr.New(pgerr.NumericValueOutOfRange, "value \"%s\" is out of range for type numeric", s).
			WithDetail("There is no NaN and no infinity.")
	case writtenNumber(word):
		return "", pgerr.New(pgerr.NumericValueOutOfRange, "value overflows numeric format")
	}
	return "", pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type numeric: \"%s\"", s)
}

// writtenNumber reports whether a text without a sign is a number of any size.
func writtenNumber(s string) bool {
	mantissa, exponent, has := strings.Cut(s, "e")
	if _, ok := column.AppendWideKey(nil, []byte("0"+strings.Trim(exponent, "+-0123456789"))); has && (!ok || strings.Trim(exponent, "+-") == "") {
		return false
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	return whole+fraction != "" && strings.Trim(whole+fraction, "0123456789") == ""
}

// FitWide rounds a number to numeric(precision, scale). One that has too many digits then is an error
// with SQLSTATE 22003 (apply_typmod in PostgreSQL's numeric.c).
func FitWide(key string, precision, scale int) (string, *pgerr.Error) {
	d := parseWide(key).atScale(int64(scale), true)
	// d has no more digits behind the point than scale, so that 10^(precision-scale) has a unit of them.
	if limit := precision - scale + d.scale; d.units.Sign() != 0 && (limit < 0 || d.units.CmpAbs(tenTo(limit)) >= 0) {
		bound := "1"
		if precision != scale {
			bound = "10^" + strconv.Itoa(precision-scale)
		}
		return "", pgerr.New(pgerr.NumericValueOutOfRange, "numeric field overflow").
			WithDetail("A field with precision %d, scale %d must round to an absolute value less than %s.", precision, scale, bound)
	}
	return wideKey(d)
}

// wideMoments are the sum of the numbers of a list, the sum of their squares in the square of its unit if it is
// asked for, and how many they are.
func wideMoments(list []fmgr.Value, squared bool) (sum decimal, squares *big.Int, n int) {
	scale := 0
	numbers := make([]decimal, 0, len(list))
	for _, v := range list {
		if v.Null {
			continue
		}
		d := parseWide(v.Text)
		numbers, scale = append(numbers, d), max(scale, d.scale)
	}
	sum, squares = decimal{new(big.Int), scale}, new(big.Int)
	for _, d := range numbers {
		units := d.units
		if d.scale < scale {
			units = d.scaled(scale)
		}
		sum.units.Add(sum.units, units)
		if squared {
			squares.Add(squares, new(big.Int).Mul(units, units))
		}
	}
	return sum, squares, len(numbers)
}

// toward is the next whole number below (-1) or above (1) a number that is none.
func (d decimal) toward(direction int) decimal {
	whole := d.atScale(0, false)
	if d.units.Sign() == direction && whole.scaled(d.scale).Cmp(d.units) != 0 {
		whole.units.Add(whole.units, big.NewInt(int64(direction)))
	}
	return whole
}
