package str

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// Bit strings are texts of the digits 0 and 1, which compare as PostgreSQL's bit and
// varbit do. Bits count from the left, from 0.
var bitStringFunctions = []fmgr.Function{
	{Name: "ontosql_bit_in", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		digits, err := ReadBits(a[0].Text)
		if err != nil {
			return fmgr.Null, err
		}
		return fmgr.TextValue(digits), nil
	})},
	// An integer and how many of its lowest bits are wanted.
	{Name: "ontosql_bit_of_int", Args: []fmgr.Kind{fmgr.Int, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		n := max(a[1].Int, 1)
		if n > MaxBits {
			return fmgr.Null, pgerr.New(pgerr.ProgramLimitExceeded, "bit string length exceeds the maximum allowed (%d)", MaxBits)
		}
		digits := make([]byte, n)
		for i := range digits {
			digits[i] = '0' + byte(a[0].Int>>min(n-1-int64(i), 63)&1)
		}
		return fmgr.TextValue(string(digits)), nil
	})},
	// Bits and the width of the integer that they are cast to.
	{Name: "ontosql_bit_to_int", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		width := int(a[1].Int)
		if len(a[0].Text) > width {
			return fmgr.Null, pgerr.New(pgerr.NumericValueOutOfRange, "%s out of range", map[int]string{32: "integer", 64: "bigint"}[width])
		}
		var n uint64
		for _, digit := range a[0].Text {
			n = n<<1 | uint64(digit-'0')
		}
		return fmgr.Value{Int: int64(n) << (64 - width) >> (64 - width)}, nil
	})},
	{Name: "ontosql_bit_combined", Args: []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		digits, err := combined(a[0].Text, a[1].Text, a[2].Text)
		return fmgr.TextValue(digits), err
	})},
	// Bit strings, of which those that are NULL do not count.
	{Name: "ontosql_bit_combined_all", Args: []fmgr.Kind{fmgr.Text, fmgr.Texts}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		all := fmgr.Null
		for _, v := range a[1].List {
			switch {
			case v.Null:
			case all.Null:
				all = v
			default:
				digits, err := combined(a[0].Text, all.Text, v.Text)
				if err != nil {
					return fmgr.Null, err
				}
				all = fmgr.TextValue(digits)
			}
		}
		return all, nil
	})},
	// Bits and by how many places they move to the left.
	{Name: "ontosql_bit_shifted", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		s, n := a[0].Text, a[1].Int
		away := int(min(max(n, -n), int64(len(s))))
		if n < 0 {
			return fmgr.TextValue(strings.Repeat("0", away) + s[:len(s)-away]), nil
		}
		return fmgr.TextValue(s[away:] + strings.Repeat("0", away)), nil
	})},
	{Name: "ontosql_bit_at", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if err := bitWithin(a[1].Int, len(a[0].Text)); err != nil {
			return fmgr.Null, err
		}
		return fmgr.IntValue(int(a[0].Text[a[1].Int] - '0')), nil
	})},
	{Name: "ontosql_bit_set", Args: []fmgr.Kind{fmgr.Text, fmgr.Int, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if err := bitWithin(a[1].Int, len(a[0].Text)); err != nil {
			return fmgr.Null, err
		}
		if a[2].Int != 0 && a[2].Int != 1 {
			return fmgr.Null, fmgr.InvalidParameter("new bit must be 0 or 1")
		}
		digits := []byte(a[0].Text)
		digits[a[1].Int] = '0' + byte(a[2].Int)
		return fmgr.TextValue(string(digits)), nil
	})},
	// Bits, the n of bit(n), and whether the cast is explicit, which cuts and fills up.
	{Name: "ontosql_bit_sized", Args: []fmgr.Kind{fmgr.Text, fmgr.Int, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		s, n := a[0].Text, int(a[1].Int)
		switch {
		case n <= 0 || n > MaxBits || n == len(s):
			return a[0], nil
		case a[2].Int == 0:
			return fmgr.Null, pgerr.New(pgerr.StringDataLengthMismatch, "bit string length %d does not match type bit(%d)", len(s), n)
		case n < len(s):
			return fmgr.TextValue(s[:n]), nil
		}
		return fmgr.TextValue(s + strings.Repeat("0", n-len(s))), nil
	})},
	{Name: "ontosql_varbit_sized", Args: []fmgr.Kind{fmgr.Text, fmgr.Int, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		s, n := a[0].Text, int(a[1].Int)
		switch {
		case n <= 0 || n >= len(s):
			return a[0], nil
		case a[2].Int == 0:
			return fmgr.Null, pgerr.New(pgerr.StringDataRightTruncation, "bit string too long for type bit varying(%d)", n)
		}
		return fmgr.TextValue(s[:n]), nil
	})},
}

// MaxBits is the greatest n of bit(n) (MaxAttrSize in PostgreSQL's varbit.c).
const MaxBits = 83886080

// ReadBits is the digits of a bit string that is written as such, or as B'1010' and
// X'1F' are without the quotes.
func ReadBits(s string) (string, *pgerr.Error) {
	if len(s) > 0 && (s[0] == 'x' || s[0] == 'X') {
		return readHexBits(s[1:])
	}
	if len(s) > 0 && (s[0] == 'b' || s[0] == 'B') {
		s = s[1:]
	}
	for _, c := range s {
		if c != '0' && c != '1' {
			return "", pgerr.New(pgerr.InvalidTextRepresentation, `"%c" is not a valid binary digit`, c)
		}
	}
	return s, nil
}

func readHexBits(s string) (string, *pgerr.Error) {
	var digits strings.Builder
	for _, c := range s {
		at := strings.IndexRune("0123456789abcdefABCDEF", c)
		if at < 0 {
			return "", pgerr.New(pgerr.InvalidTextRepresentation, `"%c" is not a valid hexadecimal digit`, c)
		}
		if at > 15 {
			at -= 6
		}
		for shift := 3; shift >= 0; shift-- {
			digits.WriteByte('0' + byte(at>>shift&1))
		}
	}
	return digits.String(), nil
}

// combined is AND, OR or XOR, as word says, of two bit strings.
func combined(word, a, b string) (string, error) {
	if len(a) != len(b) {
		return "", pgerr.New(pgerr.StringDataLengthMismatch, "cannot %s bit strings of different sizes", word)
	}
	digits := []byte(a)
	for i := range digits {
		switch word {
		case "AND":
			digits[i] &= b[i]
		case "OR":
			digits[i] |= b[i]
		default:
			digits[i] = '0' + (a[i]^b[i])&1
		}
	}
	return string(digits), nil
}

// bitWithin refuses an index outside of n bits.
func bitWithin(at int64, n int) error {
	if at < 0 || at >= int64(n) {
		return pgerr.New(pgerr.ArraySubscriptError, "bit index %d out of valid range (0..%d)", at, n-1)
	}
	return nil
}
