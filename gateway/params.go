package gateway

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// PostgreSQL's OIDs of the types whose values are checked when they are bound
// (src/include/catalog/pg_type.dat).
const (
	oidBool    = 16
	oidInt8    = 20
	oidInt2    = 21
	oidInt4    = 23
	oidText    = 25
	oidOID     = 26
	oidFloat4  = 700
	oidFloat8  = 701
	oidNumeric = 1700
)

// checkArgument refuses a parameter, in PostgreSQL's text form, that is no value
// of a number or boolean, where PostgreSQL refuses it: at Bind. All parameters
// go to the engine as text, and the statement casts them; what is wrong with
// other types is found there.
func checkArgument(oid uint32, text []byte) error {
	if text == nil {
		return nil
	}
	s := string(text)
	switch oid {
	case oidBool:
		if _, ok := parseBool(s); !ok {
			return invalidText("boolean", s)
		}
	case oidInt2:
		return checkInteger("smallint", s, math.MinInt16, math.MaxInt16)
	case oidInt4:
		return checkInteger("integer", s, math.MinInt32, math.MaxInt32)
	case oidInt8:
		return checkInteger("bigint", s, math.MinInt64, math.MaxInt64)
	case oidOID:
		return checkInteger("oid", s, 0, math.MaxUint32)
	case oidFloat4:
		return checkFloat("real", s, 32)
	case oidFloat8:
		return checkFloat("double precision", s, 64)
	case oidNumeric:
		return checkNumeric(s)
	}
	return nil
}

func invalidText(typ, s string) error {
	return pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type %s: %q", typ, s)
}

func outOfRange(typ, s string) error {
	return pgerr.New(pgerr.NumericValueOutOfRange, "value %q is out of range for type %s", s, typ)
}

func checkInteger(typ, s string, low, high int64) error {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && (n < low || n > high):
		return outOfRange(typ, s)
	case err != nil:
		return invalidText(typ, s)
	}
	return nil
}

func checkFloat(typ, s string, bits int) error {
	_, err := strconv.ParseFloat(strings.TrimSpace(s), bits)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return outOfRange(typ, s)
	case err != nil:
		return invalidText(typ, s)
	}
	return nil
}

// checkNumeric refuses what no numeric of ours can be: its type has 26 digits
// before the point.
func checkNumeric(s string) error {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && (math.IsNaN(f) || math.Abs(f) >= 1e26):
		return outOfRange("numeric", s)
	case err != nil:
		return invalidText("numeric", s)
	}
	return nil
}

// engineArgs are the parameters that the engine's SQL contains, as it binds them.
func engineArgs(args [][]byte, used []int) []any {
	out := make([]any, len(used))
	for i, n := range used {
		if args[n-1] != nil {
			out[i] = string(args[n-1])
		}
	}
	return out
}
