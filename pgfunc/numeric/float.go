package numeric

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// floatFunctions print floating-point numbers.
var floatFunctions = []fmgr.Function{
	{Name: "ontosql_float_out", Args: []fmgr.Kind{fmgr.Float}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(string(AppendFloat(nil, a[0].Float, 64))), nil
	})},
	{Name: "ontosql_real_out", Args: []fmgr.Kind{fmgr.Float}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(string(AppendFloat(nil, a[0].Float, 32))), nil
	})},
}

// AppendFloat prints f as PostgreSQL does with extra_float_digits = 1: the
// shortest digits that read back as f, plain between 1e-4 and 10^15 (10^6 for
// float4), else with an exponent of two digits at least.
func AppendFloat(dst []byte, f float64, bitSize int) []byte {
	switch {
	case f != f:
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	case f == 0:
		if math.Signbit(f) {
			dst = append(dst, '-')
		}
		return append(dst, '0')
	}
	low, high := 1e-4, 1e15
	if bitSize == 32 {
		low, high = float64(float32(1e-4)), 1e6
	}
	if abs := math.Abs(f); abs >= low && abs < high {
		if n := uint64(abs*100 + 0.5); bitSize == 64 && abs < 1e13 && float64(n)/100 == abs {
			return appendHundredths(dst, n, f < 0)
		}
		return strconv.AppendFloat(dst, f, 'f', -1, bitSize)
	}
	return appendExponential(dst, f, bitSize)
}

// appendHundredths prints n/100 without trailing zeros. Most floats of the world
// are amounts with two decimals, and this takes half the time of finding the
// shortest digits. They are the shortest: of decimals with up to 15 digits no two
// read back as the same float.
func appendHundredths(dst []byte, n uint64, negative bool) []byte {
	if negative {
		dst = append(dst, '-')
	}
	dst = strconv.AppendUint(dst, n/100, 10)
	switch cents := n % 100; {
	case cents == 0:
		return dst
	case cents%10 == 0:
		return append(dst, '.', byte('0'+cents/10))
	default:
		return append(dst, '.', byte('0'+cents/10), byte('0'+cents%10))
	}
}

// appendExponential is AppendFloat(dst, f, 'e', -1, bitSize) but for one thing:
// where the shortest digits lie exactly halfway between f and its neighbour,
// they read back as f by the rule of ties to even alone. Go prints them (1e+23),
// PostgreSQL, which does not lean on its readers' rounding, takes more digits
// (9.999999999999999e+22).
func appendExponential(dst []byte, f float64, bitSize int) []byte {
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, bitSize)
	if !halfway(dst[start:], bitSize) {
		return dst
	}
	most := 17
	if bitSize == 32 {
		most = 9
	}
	for digits := countDigits(dst[start:]) + 1; digits <= most; digits++ {
		dst = strconv.AppendFloat(dst[:start], f, 'e', digits-1, bitSize)
		// AppendFloat was asked for exact digits; one that reads back is shortest.
		back, err := strconv.ParseFloat(string(dst[start:]), bitSize)
		if err == nil && back == f && !halfway(dst[start:], bitSize) {
			return dst
		}
	}
	return dst
}

// halfway reports whether the decimal "d.ddde+dd" lies exactly between two
// adjacent floats: whether its odd part has one bit more than a mantissa. Only
// integers can, of those that are ever the shortest form of a float, and their
// power of ten is small, because 5^k must fit into the mantissa.
func halfway(text []byte, bitSize int) bool {
	var digits uint64
	var fraction int
	seenPoint, i := false, 0
	for ; i < len(text) && text[i] != 'e'; i++ {
		switch c := text[i]; c {
		case '-':
		case '.':
			seenPoint = true
		default:
			digits = digits*10 + uint64(c-'0')
			if seenPoint {
				fraction++
			}
		}
	}
	if i == len(text) || text[i+1] == '-' {
		return false
	}
	exponent := 0
	for _, c := range text[i+2:] {
		exponent = exponent*10 + int(c-'0')
	}
	power := exponent - fraction
	if power < 0 || power > 23 || digits == 0 {
		return false
	}
	five := uint64(1)
	for range power {
		five *= 5
	}
	hi, lo := bits.Mul64(digits, five)
	length := 64 + bits.Len64(hi)
	zeros := bits.TrailingZeros64(lo)
	if hi == 0 {
		length = bits.Len64(lo)
	}
	if lo == 0 {
		zeros = 64 + bits.TrailingZeros64(hi)
	}
	mantissa := 53
	if bitSize == 32 {
		mantissa = 24
	}
	return length-zeros == mantissa+1
}

func countDigits(text []byte) int {
	n := 0
	for _, c := range text {
		if c == 'e' {
			break
		}
		if c != '.' && c != '-' {
			n++
		}
	}
	return n
}
