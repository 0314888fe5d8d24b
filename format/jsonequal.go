package format

import (
	"bytes"
	"math"
	"math/big"
)

// Equal reports whether two JSON texts have equal values, as the original compares fields to
// decide whether a write changes them (COMPAT 5). The order of keys is ignored. 1, 1.0 and true
// are equal, and so are -0.0 and 0.0. NaN does not equal NaN. A missing member is not null. A
// text that is not JSON equals nothing.
func Equal(a, b []byte) bool {
	if bytes.Equal(a, b) && !bytes.Contains(a, []byte("NaN")) {
		_, err := ParseJSON(a)
		return err == nil
	}
	left, err := ParseJSON(a)
	if err != nil {
		return false
	}
	right, err := ParseJSON(b)
	return err == nil && left.Equal(right)
}

// Equal is the function Equal for values.
func (v Value) Equal(o Value) bool {
	if v.isNumber() && o.isNumber() {
		return equalNumbers(v, o)
	}
	if v.kind != o.kind {
		return false
	}
	switch v.kind {
	case JSONString:
		return v.text == o.text
	case JSONArray:
		if len(v.items) != len(o.items) {
			return false
		}
		for i := range v.items {
			if !v.items[i].Equal(o.items[i]) {
				return false
			}
		}
	case JSONObject:
		return equalObjects(v, o)
	}
	return true
}

func equalObjects(v, o Value) bool {
	if len(v.names) != len(o.names) {
		return false
	}
	// The order is nearly always the same. The map is built only if it differs.
	var at map[string]int
	for i, name := range v.names {
		j := i
		if o.names[i] != name {
			if at == nil {
				at = make(map[string]int, len(o.names))
				for k, n := range o.names {
					at[n] = k
				}
			}
			var present bool
			if j, present = at[name]; !present {
				return false
			}
		}
		if !v.items[i].Equal(o.items[j]) {
			return false
		}
	}
	return true
}

// isNumber reports whether v is a number or a boolean, which is a number in Python.
func (v Value) isNumber() bool {
	return v.kind == JSONBool || v.kind == JSONInt || v.kind == JSONFloat
}

func equalNumbers(v, o Value) bool {
	if v.kind == JSONFloat && o.kind == JSONFloat {
		return v.num == o.num
	}
	if v.kind == JSONFloat {
		v, o = o, v
	}
	if o.kind != JSONFloat {
		return v.digits() == o.digits()
	}
	// Python compares an integer with a float exactly, not as two floats.
	if math.IsNaN(o.num) || math.IsInf(o.num, 0) || o.num != math.Trunc(o.num) {
		return false
	}
	exact, _ := new(big.Float).SetFloat64(o.num).Int(nil)
	return exact.String() == v.digits()
}

// digits returns the decimal digits of an integer or a boolean.
func (v Value) digits() string {
	if v.kind != JSONBool {
		return v.text
	}
	if v.boolean {
		return "1"
	}
	return "0"
}
