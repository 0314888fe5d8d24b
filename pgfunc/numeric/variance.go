package numeric

import (
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// varianceFunctions compute variances and standard deviations from the moments that the
// engine's aggregate ontosql_moments returns as hexadecimal words: the count, the scale of
// the units, the sum and the sum of squares.
var varianceFunctions = []fmgr.Function{
	{Name: "ontosql_numeric_spread", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return varianceOrDeviation(a[0].Text, a[1].Text, int(a[2].Int))
	})},
}

// varianceOrDeviation computes the function name (var_samp, stddev_pop and the like) from
// moments. shown is the greatest display scale of the numbers (numeric_stddev_internal in
// numeric.c).
func varianceOrDeviation(moments, name string, shown int) (fmgr.Value, error) {
	words := strings.Fields(moments)
	n, sum, squares := hexadecimal(words[0]), hexadecimal(words[2]), hexadecimal(words[3])
	scale := int(hexadecimal(words[1]).Int64())
	if sum.Bit(191) == 1 { // negative, in two's complement of three words
		sum.Sub(sum, new(big.Int).Lsh(big.NewInt(1), 192))
	}
	return spread(n, sum, squares, scale, name, shown)
}

// spread is varianceOrDeviation of the count of numbers, their sum in units of 10^-scale, and the sum
// of their squares. It changes them.
func spread(n, sum, squares *big.Int, scale int, name string, shown int) (fmgr.Value, error) {
	others := new(big.Int).Set(n)
	if !strings.HasSuffix(name, "_pop") {
		others.Sub(n, big.NewInt(1))
	}
	if others.Sign() <= 0 {
		return fmgr.Null, nil
	}
	squares.Mul(squares, n)
	squares.Sub(squares, sum.Mul(sum, sum))
	if squares.Sign() <= 0 {
		return fmgr.TextValue("0"), nil
	}
	whole := decimal{squares, 2 * scale}
	if scale < shown {
		whole = decimal{whole.scaled(2 * shown), 2 * shown}
	}
	variance, err := quotient([]decimal{whole.withoutTrailingZeros(2 * shown), {others.Mul(others, n), 0}})
	if err != nil || strings.HasPrefix(name, "var") {
		return fmgr.TextValue(variance.String()), err
	}
	return fmgr.TextValue(variance.root(variance.scale).String()), nil
}

// root is the square root with some digits behind the point, the last one rounded.
func (d decimal) root(scale int) decimal {
	n := new(big.Int).Mul(d.units, tenTo(max(2*scale-d.scale, 0)))
	root := new(big.Int).Sqrt(n)
	if rest := new(big.Int).Sub(n, new(big.Int).Mul(root, root)); rest.Cmp(root) > 0 {
		root.Add(root, big.NewInt(1))
	}
	return decimal{root, scale}
}

// withoutTrailingZeros is the number without zeros behind the point beyond the least digits there.
func (d decimal) withoutTrailingZeros(least int) decimal {
	units, ten := new(big.Int).Set(d.units), big.NewInt(10)
	for d.scale > least {
		kept, rest := new(big.Int).QuoRem(units, ten, new(big.Int))
		if rest.Sign() != 0 {
			break
		}
		units = kept
		d.scale--
	}
	return decimal{units, d.scale}
}

// hexadecimal is a number of at most 16 hexadecimal digits, or of several groups of 16. Reading the
// words themselves, and not by big.Int.SetString, saves two fifths of a standard deviation's time.
func hexadecimal(s string) *big.Int {
	const digits = bits.UintSize / 4
	words := make([]big.Word, 0, len(s)/digits+1)
	for end := len(s); end > 0; end -= digits {
		word, _ := strconv.ParseUint(s[max(end-digits, 0):end], 16, bits.UintSize)
		words = append(words, big.Word(word))
	}
	return new(big.Int).SetBits(words)
}
