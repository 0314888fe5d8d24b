package input

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/numeric"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Whitespace are what PostgreSQL's input functions skip around a value (isspace in
// the locale C).
const Whitespace = " \t\n\v\f\r"

var (
	integerText = regexp.MustCompile(`^[+-]?[0-9]+$`)
	decimalText = regexp.MustCompile(`^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$`)
	farExponent = regexp.MustCompile(`[eE][+-]?[0-9]{5,}$`)
	// printedNumber is a number as it is printed, but for a zero with a sign.
	printedNumber   = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$`)
	notZero         = regexp.MustCompile(`^[+-]?[0.]*[1-9]`)
	InfinityPattern = regexp.MustCompile(`(?i)^([+-]?)inf(?:inity)?$`)
	NaNPattern      = regexp.MustCompile(`(?i)^[+-]?nan$`) // a numeric's has no sign
)

// badText is what PostgreSQL says of a text that is no value of a type.
func badText(to types.Type, s string) *pgerr.Error {
	return pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type %s: \"%s\"", types.Of(to.OID), s)
}

// integerInput reads the text of an integer type.
func integerInput(s string, to types.Type) (string, *pgerr.Error) {
	digits := strings.Trim(s, Whitespace)
	if !integerText.MatchString(digits) {
		return "", badText(to, s)
	}
	bits := map[uint32]int{types.Int2: 16, types.Int4: 32, types.Int8: 64, types.OID: 64}[to.OID]
	n, err := strconv.ParseInt(digits, 10, bits)
	if err != nil || to.OID == types.OID && (n < math.MinInt32 || n > math.MaxUint32) {
		return "", pgerr.New(pgerr.NumericValueOutOfRange, "value \"%s\" is out of range for type %s", s, to)
	}
	if to.OID == types.OID && n < 0 {
		n += 1 << 32 // as PostgreSQL's oidin: strtoul wraps
	}
	return strconv.FormatInt(n, 10), nil
}

// floatInput reads the text of a floating-point type. What rounds to nothing or
// beyond the greatest value is refused (float8in_internal in PostgreSQL's float.c).
func floatInput(s string, to types.Type) (string, *pgerr.Error) {
	text := strings.Trim(s, Whitespace)
	if m := InfinityPattern.FindStringSubmatch(text); m != nil {
		return strings.TrimPrefix(m[1], "+") + "inf", nil
	}
	if NaNPattern.MatchString(text) {
		return "nan", nil
	}
	bits := 64
	if to.OID == types.Float4 {
		bits = 32
	}
	if !decimalText.MatchString(text) {
		f, err := numeric.ReadHexadecimalFloat(s, types.Of(to.OID).String())
		if err != nil {
			return "", err
		}
		return strconv.FormatFloat(f, 'e', -1, bits), nil
	}
	if f, err := strconv.ParseFloat(text, bits); err != nil || f == 0 && notZero.MatchString(text) {
		return "", pgerr.New(pgerr.NumericValueOutOfRange, "\"%s\" is out of range for type %s", s, to)
	}
	return text, nil
}

// NumericOverflow is what PostgreSQL says of a value that a numeric(p,s) has no
// digits for.
func NumericOverflow(mod int32) *pgerr.Error {
	precision, scale := types.NumericTypmod(mod)
	bound := "1"
	if precision != scale {
		bound = "10^" + strconv.Itoa(int(precision-scale))
	}
	return pgerr.New(pgerr.NumericValueOutOfRange, "numeric field overflow").
		WithDetail("A field with precision %d, scale %d must round to an absolute value less than %s.", precision, scale, bound)
}

// OverflowMessage is PostgreSQL's message for a number out of the range of a type, in the form
// that a macro raises.
func OverflowMessage(to types.Type) string {
	switch {
	case (to.OID == types.Numeric || to.OID == types.WideNumeric) && to.Typmod >= 0:
		overflow := NumericOverflow(to.Typmod)
		return overflow.Message + enginesql.DetailSeparator + overflow.Detail
	case to.OID == types.Numeric:
		return "numeric field overflow"
	}
	return types.Of(to.OID).String() + " out of range"
}

// mostNumericDigits is the number of digits that PostgreSQL's numeric can have, before and
// after the point together. Longer texts are not converted here, because that takes time
// quadratic in their length.
const mostNumericDigits = 131072 + 16383

// numericInput reads the text of a numeric, and gives it as PostgreSQL prints it: with
// the digits behind the point that it has.
func numericInput(s string, to types.Type) (string, *pgerr.Error) {
	text := strings.Trim(s, Whitespace)
	if !decimalText.MatchString(text) && !InfinityPattern.MatchString(text) && !strings.EqualFold(text, "nan") {
		return "", badText(to, s)
	}
	overflow := pgerr.New(pgerr.NumericValueOutOfRange, "value overflows numeric format")
	f, err := strconv.ParseFloat(text, 64)
	if f == 0 && farExponent.MatchString(text) {
		return "", overflow
	}
	limit := 1e26
	if to.Typmod >= 0 {
		precision, scale := types.NumericTypmod(to.Typmod)
		limit = math.Pow10(int(precision - scale))
		// The engine would call it a failed conversion.
		if half := math.Pow10(-int(scale)) / 2; !math.IsNaN(f) && math.Abs(f) >= limit-half {
			return "", NumericOverflow(to.Typmod)
		}
	}
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) || math.Abs(f) >= limit {
		return "", pgerr.New(pgerr.NumericValueOutOfRange, "value \"%s\" is out of range for type numeric", s).
			WithDetail("A numeric has at most 26 digits before the point, and no NaN or infinity.")
	}
	switch {
	case printedNumber.MatchString(text) && (f != 0 || text[0] != '-'):
		return text, nil
	case len(strings.TrimLeft(text, "+-0")) > mostNumericDigits:
		return "", overflow
	}
	return numeric.NumericText(text), nil
}
