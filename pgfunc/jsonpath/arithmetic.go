package jsonpath

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/jsonb"
)

// maxDigits is how many digits a numeric has at most, on both sides of its point
// (PostgreSQL manual, 8.1.2).
const maxDigits = 131072 + 16383

// rat is the value of a number, whose digits count as steps, too.
func (r *pathRun) rat(v *jsonb.Value) (*big.Rat, error) {
	_, e, _ := strings.Cut(strings.ToLower(v.Text), "e")
	exponent, _ := strconv.Atoi(e) // the nearest one of what is out of range
	if len(v.Text) > maxDigits || max(exponent, -exponent) > maxDigits {
		return nil, pgerr.New(pgerr.NumericValueOutOfRange, "value overflows numeric format")
	}
	r.steps += (len(v.Text) + max(exponent, -exponent)) / 16
	x, ok := new(big.Rat).SetString(v.Text)
	if !ok {
		return nil, pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type numeric: %q", v.Text)
	}
	return x, r.step()
}

// scale is the number of digits behind the point.
func scale(v *jsonb.Value) int {
	if strings.ContainsAny(v.Text, "eE") {
		return 16
	}
	_, frac, _ := strings.Cut(v.Text, ".")
	return len(frac)
}

func number(x *big.Rat, places int) *jsonb.Value { return jsonb.Number(x.FloatString(places)) }

func (r *pathRun) operand(n *pathNode, at *jsonb.Value, side, op string) (*jsonb.Value, error) {
	found, err := r.unwrapped(n, at)
	if err != nil {
		return jsonb.Null, err
	}
	if len(found) != 1 || found[0].Kind != "number" {
		return jsonb.Null, pathError("22038", "%s operand of jsonpath operator %s is not a single numeric value", side, op)
	}
	return found[0], nil
}

func (r *pathRun) arithmetic(n *pathNode, at *jsonb.Value) ([]*jsonb.Value, error) {
	left, err := r.operand(n.left, at, "left", n.op)
	if err != nil {
		return nil, err
	}
	right, err := r.operand(n.right, at, "right", n.op)
	if err != nil {
		return nil, err
	}
	x, err := r.rat(left)
	if err != nil {
		return nil, err
	}
	y, err := r.rat(right)
	if err != nil {
		return nil, err
	}
	places := max(scale(left), scale(right))
	if (n.op == "/" || n.op == "%") && y.Sign() == 0 {
		return nil, pathError(pgerr.DivisionByZero, "division by zero")
	}
	switch n.op {
	case "+":
		x.Add(x, y)
	case "-":
		x.Sub(x, y)
	case "*":
		x.Mul(x, y)
		places = scale(left) + scale(right)
	case "/":
		x.Quo(x, y)
		places = max(places, 16)
		if x.Cmp(big.NewRat(1, 1)) < 0 {
			places = max(places, 20)
		}
	case "%":
		q := new(big.Rat).Quo(x, y)
		whole := new(big.Rat).SetInt(new(big.Int).Quo(q.Num(), q.Denom()))
		x.Sub(x, whole.Mul(whole, y))
	}
	return []*jsonb.Value{number(x, places)}, nil
}

// exists evaluates an expression of which only matters whether it finds a value. In lax
// mode, a sign at its top skips values that are no numbers (executeUnaryArithmExpr in
// PostgreSQL).
func (r *pathRun) exists(n *pathNode, at *jsonb.Value) ([]*jsonb.Value, error) {
	if r.strict || n.op != "u+" && n.op != "u-" {
		return r.eval(n, at)
	}
	found, err := r.unwrapped(n.left, at)
	if err != nil {
		return nil, err
	}
	var out []*jsonb.Value
	for _, v := range found {
		if err := r.step(); err != nil {
			return nil, err
		}
		if v.Kind == "number" {
			out = append(out, v)
		}
	}
	return out, nil
}

// signed applies a unary plus or minus. The numbers before a value that is no number come
// with the error.
func (r *pathRun) signed(n *pathNode, at *jsonb.Value) ([]*jsonb.Value, error) {
	found, err := r.unwrapped(n.left, at)
	if err != nil {
		return nil, err
	}
	var out []*jsonb.Value
	for _, v := range found {
		if err := r.step(); err != nil {
			return nil, err
		}
		if v.Kind != "number" {
			return out, pathError("2203B", "operand of unary jsonpath operator %s is not a numeric value", n.op[1:])
		}
		if n.op == "u-" {
			x, err := r.rat(v)
			if err != nil {
				return nil, err
			}
			v = number(x.Neg(x), scale(v))
		}
		out = append(out, v)
	}
	return out, nil
}
