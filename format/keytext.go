package format

import (
	"fmt"
	"math"
)

// KeyText returns the identity of a row with the given primary key: Python's str of the value
// (COMPAT 2.3), such as "5", "1.0", "True" or "None". A string stays unchanged. Arrays and objects
// are errors.
func KeyText(v Value) (string, error) {
	switch v.kind {
	case JSONNull:
		return "None", nil
	case JSONBool:
		if v.boolean {
			return "True", nil
		}
		return "False", nil
	case JSONInt, JSONString:
		return v.text, nil
	case JSONFloat:
		return floatText(v.num), nil
	}
	return "", fmt.Errorf("%s cannot be a key", v.kind)
}

// floatText is Python's str of a float, which differs from its JSON for NaN and the infinities.
func floatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return string(appendRepr(nil, f))
}
