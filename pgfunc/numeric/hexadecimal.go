package numeric

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// hexadecimalFunctions read texts of floating-point numbers that the engine does not.
var hexadecimalFunctions = []fmgr.Function{
	// A text, and the type that an error names.
	{Name: "ontosql_hexadecimal_float", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Float, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		f, err := ReadHexadecimalFloat(a[0].Text, a[1].Text)
		if err != nil {
			return fmgr.Null, err
		}
		return fmgr.Value{Float: f}, nil
	})},
}

var hexadecimalNumber = regexp.MustCompile(`^[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)([pP][+-]?[0-9]+)?$`)

// ReadHexadecimalFloat reads the hexadecimal forms of C's strtod and strtof, for one of the two
// types: 0x1.8p3, and 0x10 without an exponent.
func ReadHexadecimalFloat(s, typ string) (float64, *pgerr.Error) {
	number := strings.Trim(s, chars.Blanks)
	m := hexadecimalNumber.FindStringSubmatch(number)
	if m == nil {
		return 0, pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type %s: \"%s\"", typ, s)
	}
	if m[1] == "" {
		number += "p0"
	}
	bits := 64
	if typ == "real" {
		bits = 32
	}
	f, err := strconv.ParseFloat(number, bits)
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "p")
	if err != nil || math.IsInf(f, 0) || f == 0 && strings.Trim(mantissa, "+-0x.") != "" {
		return 0, pgerr.New(pgerr.NumericValueOutOfRange, "\"%s\" is out of range for type %s", s, typ)
	}
	return f, nil
}
