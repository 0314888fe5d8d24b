package numeric

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// byteSizeFunctions read amounts of bytes with a unit.
var byteSizeFunctions = []fmgr.Function{
	{Name: "ontosql_size_bytes", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		n, err := sizeBytes(a[0].Text)
		return fmgr.Value{Int: n}, err
	})},
}

// byteUnits are the units of pg_size_bytes in lower case, each 1024 times the last.
var byteUnits = []string{"bytes", "kb", "mb", "gb", "tb", "pb"}

// sizeBytes is pg_size_bytes: a number, perhaps with an exponent, and a unit.
func sizeBytes(s string) (int64, error) {
	bad := pgerr.New(pgerr.InvalidParameterValue, "invalid size: \"%s\"", s)
	text := strings.TrimLeft(s, " \t\n\r\v\f")
	end, digits := 0, 0
	if text != "" && strings.ContainsRune("+-", rune(text[0])) {
		end++
	}
	for point := false; end < len(text); end++ {
		if c := text[end]; c == '.' && !point {
			point = true
		} else if chars.IsDigit(c) {
			digits++
		} else {
			break
		}
	}
	if digits == 0 {
		return 0, bad
	}
	if exponent := exponentLength(text[end:]); exponent > 0 {
		if n, err := strconv.Atoi(text[end+1 : end+exponent]); err != nil || n > 131072 {
			return 0, pgerr.New(pgerr.NumericValueOutOfRange, "value overflows numeric format")
		} else if n < -131072 {
			return 0, nil
		}
		end += exponent
	}
	number, ok := new(big.Rat).SetString(text[:end])
	if !ok {
		return 0, bad
	}
	if unit := strings.Trim(text[end:], " \t\n\r\v\f"); unit != "" {
		power := slices.Index(byteUnits, chars.LowerASCII(unit))
		if power < 0 {
			return 0, bad.WithDetail("Invalid size unit: \"%s\".", unit).
				WithHint("Valid units are \"bytes\", \"kB\", \"MB\", \"GB\", \"TB\", and \"PB\".")
		}
		number.Mul(number, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(10*power))))
	}
	return wholeBytes(number)
}

// exponentLength is how many bytes of s are an exponent: 0 where none is.
func exponentLength(s string) int {
	if s == "" || s[0]|0x20 != 'e' {
		return 0
	}
	n := 1
	if n < len(s) && (s[n] == '+' || s[n] == '-') {
		n++
	}
	first := n
	for n < len(s) && chars.IsDigit(s[n]) {
		n++
	}
	if n == first {
		return 0
	}
	return n
}

// wholeBytes rounds as a cast of numeric to bigint does.
func wholeBytes(r *big.Rat) (int64, error) {
	n, ok := new(big.Int).SetString(r.FloatString(0), 10) // halves away from zero
	if !ok || !n.IsInt64() {
		return 0, pgerr.New(pgerr.NumericValueOutOfRange, "bigint out of range")
	}
	return n.Int64(), nil
}
