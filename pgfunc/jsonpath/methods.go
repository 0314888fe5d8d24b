package jsonpath

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgfunc/jsonb"
)

// method applies an item method.
func (r *pathRun) method(n *pathNode, v *jsonb.Value, emit func(*jsonb.Value) error) error {
	switch n.text {
	case "type":
		return emit(jsonb.String(r.typeOf(v)))
	case "size":
		switch {
		case v.Kind == "array":
			return emit(jsonb.Number(strconv.Itoa(len(v.Items))))
		case r.strict:
			return r.missing("22039", "jsonpath item method .size() can only be applied to an array")
		}
		return emit(jsonb.Number("1"))
	case "keyvalue":
		return r.keyValues(v, emit)
	case "datetime":
		return r.datetime(n, v, emit)
	}
	found, err := r.number(n.text, v)
	if err != nil {
		return err
	}
	return emit(found)
}

// typeOf is what type() answers.
func (r *pathRun) typeOf(v *jsonb.Value) string {
	if v.Kind != kindDatetime {
		return v.Kind
	}
	switch name := r.times[v].Type(); name {
	case "timetz", "timestamptz":
		return strings.TrimSuffix(name, "tz") + " with time zone"
	case "time", "timestamp":
		return name + " without time zone"
	default:
		return name
	}
}

// number applies a method that gives a number.
func (r *pathRun) number(name string, v *jsonb.Value) (*jsonb.Value, error) {
	if name == "double" {
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
		return number(x.Abs(x), scale(v)), nil
	}
	whole, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	switch {
	case name == "floor" && rest.Sign() < 0:
		whole.Sub(whole, big.NewInt(1))
	case name == "ceiling" && rest.Sign() > 0:
		whole.Add(whole, big.NewInt(1))
	}
	return jsonb.Number(whole.String()), nil
}

func double(v *jsonb.Value) (*jsonb.Value, error) {
	if v.Kind != "number" && v.Kind != "string" {
		return nil, pathError("22036", "jsonpath item method .double() can only be applied to a string or numeric value")
	}
	f, err := strconv.ParseFloat(v.Text, 64)
	if err != nil || f-f != 0 {
		return nil, pathError("22036", "%s argument of jsonpath item method .double() is not a valid representation of a double precision number", v.Kind)
	}
	return jsonb.Number(strconv.FormatFloat(f, 'f', -1, 64)), nil
}

// generatedObjects is how many ids of keyvalue() a base object has: offsets in it are less
// (executeKeyValueMethod in PostgreSQL).
const generatedObjects = 10_000_000_000

// keyValues calls emit for an object of each member of v. The id is the place of v in its
// base object. Each object is a base object of its own.
func (r *pathRun) keyValues(v *jsonb.Value, emit func(*jsonb.Value) error) error {
	if v.Kind != "object" {
		return pathError("2203C", "jsonpath item method .keyvalue() can only be applied to an object")
	}
	// Each is an object, its three values and their list.
	if err := r.count(5 * len(v.Keys)); err != nil {
		return err
	}
	id := jsonb.Number(strconv.FormatInt(r.base.id*generatedObjects+r.offset(v), 10))
	for i, k := range v.Keys {
		pair := &jsonb.Value{
			Kind: "object", Keys: []string{"id", "key", "value"},
			Items: []*jsonb.Value{id, jsonb.String(k), v.Items[i]},
		}
		base := baseObject{pair, r.generated}
		r.generated++
		if err := r.within(base, func() error { return emit(pair) }); err != nil {
			return err
		}
	}
	return nil
}

// offset is the place of an object in the base object.
func (r *pathRun) offset(v *jsonb.Value) int64 {
	known, ok := r.offsets[r.base.document]
	if !ok {
		known = jsonb.Offsets(r.base.document)
		if r.offsets == nil {
			r.offsets = map[*jsonb.Value]map[*jsonb.Value]int64{}
		}
		r.offsets[r.base.document] = known
	}
	return known[v]
}
