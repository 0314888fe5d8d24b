package format

import (
	"fmt"
	"math"
)

// KeyText is the identity that a primary key's value gets: Python's str of it
// (COMPAT 2.3), "5", "1.0", "True", "None", and a string as it is. Arrays and
// objects have none.
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

// floatText is Python's str of a float, which differs from its JSON in the
// three values that are no numbers.
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
