package jsonpath

import (
	"math/big"
	"strconv"

	"github.com/ontosql/ontosql/pgfunc/jsonb"
)

func (r *pathRun) method(name string, v *jsonb.Value) ([]*jsonb.Value, error) {
	switch name {
	case "type":
		return []*jsonb.Value{jsonb.String(v.Kind)}, nil
	case "size":
		if v.Kind == "array" {
			return []*jsonb.Value{jsonb.Number(strconv.Itoa(len(v.Items)))}, nil
		}
		if r.strict {
			return nil, pathError("22039", "jsonpath item method .size() can only be applied to an array")
		}
		return []*jsonb.Value{jsonb.Number("1")}, nil
	case "keyvalue":
		return r.keyValues(v)
	case "double":
		return double(v)
	}
	if v.Kind != "number" {
		return nil, pathError("22036", "jsonpath item method .%s() can only be applied to a numeric value", name)
	}
	x, err := r.rat(v)
	if err != nil {
		return nil, err
	}
	if name == "abs" {
		return []*jsonb.Value{number(x.Abs(x), scale(v))}, nil
	}
	whole, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	switch {
	case name == "floor" && rest.Sign() < 0:
		whole.Sub(whole, big.NewInt(1))
	case name == "ceiling" && rest.Sign() > 0:
		whole.Add(whole, big.NewInt(1))
	}
	return []*jsonb.Value{jsonb.Number(whole.String())}, nil
}

func double(v *jsonb.Value) ([]*jsonb.Value, error) {
	bad := pathError("22036", "jsonpath item method .double() can only be applied to a string or numeric value")
	if v.Kind != "number" && v.Kind != "string" {
		return nil, bad
	}
	f, err := strconv.ParseFloat(v.Text, 64)
	if err != nil || f-f != 0 {
		return nil, pathError("22036", "%s argument of jsonpath item method .double() is not a valid representation of a double precision number", v.Kind)
	}
	return []*jsonb.Value{jsonb.Number(strconv.FormatFloat(f, 'f', -1, 64))}, nil
}

func (r *pathRun) keyValues(v *jsonb.Value) ([]*jsonb.Value, error) {
	if v.Kind != "object" {
		return nil, pathError("2203C", "jsonpath item method .keyvalue() can only be applied to an object")
	}
	// Each is an object, its three values and their list.
	if err := r.count(5 * len(v.Keys)); err != nil {
		return nil, err
	}
	var out []*jsonb.Value
	for i, k := range v.Keys {
		out = append(out, &jsonb.Value{
			Kind: "object", Keys: []string{"id", "key", "value"},
			Items: []*jsonb.Value{jsonb.Number("0"), jsonb.String(k), v.Items[i]},
		})
	}
	return out, nil
}
