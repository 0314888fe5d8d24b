package format

import (
	"bytes"
	"math"
	"math/big"
)

// Equal reports whether two JSON texts hold the same value in the sense in
// which a write is "unchanged" (COMPAT 5): the order of keys does not count,
// 1, 1.0 and true are one value, -0.0 is 0.0, NaN is not even itself, and a
// missing member is not null. A text that is no JSON equals nothing.
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

// Equal is the Equal of this package for values.
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
	// Nearly always the two have the same order; only otherwise is a map made.
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

// isNumber counts booleans, as Python does.
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

// digits is the decimal spelling of a boolean or an integer, which is unique.
func (v Value) digits() string {
	if v.kind != JSONBool {
		return v.text
	}
	if v.boolean {
		return "1"
	}
	return "0"
}
