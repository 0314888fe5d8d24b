package pgfunc

import (
	"errors"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

var pathArgs = []Kind{Text, Text, Text, Int}

// errPath is an error of a path that silence and predicates suppress.
var errPath = errors.New("jsonpath")

func pathError(code, format string, args ...any) error {
	return pgerr.New(code, format, args...).Because(errPath)
}

// pathCall runs a path and makes the result of what it finds. Where errors are
// silent, one gives NULL.
func pathCall(result func(found []jsonValue) (Value, error)) func() Call {
	return func() Call {
		paths := kept[string, *jsonPath]{}
		return func(a []Value) (Value, error) {
			path, err := paths.of(a[1].Text, func() (*jsonPath, error) { return parsePath(a[1].Text) })
			if err != nil {
				return null, err
			}
			target, err := parseJSON(a[0].Text)
			if err != nil {
				return null, err
			}
			vars := jsonValue{kind: "object"}
			if a[2].Text != "" {
				vars, err = parseJSON(a[2].Text)
			}
			if err != nil {
				return null, err
			}
			if vars.kind != "object" {
				return null, pgerr.New(pgerr.InvalidParameterValue, "\"vars\" argument is not an object").
					WithDetail("Jsonpath parameters should be encoded as key-value pairs of \"vars\" object.")
			}
			r := &pathRun{strict: path.strict, root: target, vars: vars}
			found, err := r.eval(path.root, target)
			var out Value
			if err == nil {
				out, err = result(found)
			}
			if a[3].Int != 0 && errors.Is(err, errPath) {
				return null, nil
			}
			return out, err
		}
	}
}

// pathRun is one evaluation.
type pathRun struct {
	strict bool
	root   jsonValue
	vars   jsonValue
	last   int // the last index of the array whose subscripts are evaluated
	steps  int
}

// maxPathSteps bounds the work of one evaluation.
const maxPathSteps = 10_000_000

func (r *pathRun) eval(n *pathNode, at jsonValue) ([]jsonValue, error) {
	if err := r.step(); err != nil {
		return nil, err
	}
	switch n.op {
	case "$":
		return []jsonValue{r.root}, nil
	case "@":
		return []jsonValue{at}, nil
	case "variable":
		v, ok := r.vars.member(n.text)
		if !ok {
			return nil, pgerr.New(pgerr.UndefinedObject, "could not find jsonpath variable %q", n.text)
		}
		return []jsonValue{v}, nil
	case "string", "number":
		return []jsonValue{{kind: n.op, text: n.text}}, nil
	case "true", "false":
		return []jsonValue{jsonBool(n.op == "true")}, nil
	case "null":
		return []jsonValue{jsonNull}, nil
	case "last":
		return []jsonValue{{kind: "number", text: strconv.Itoa(r.last)}}, nil
	case "+", "-", "*", "/", "%":
		return r.arithmetic(n, at)
	case "u+", "u-":
		return r.signed(n, at)
	case ".", ".*", ".**", "[*]", "[]", "?", "method":
		return r.accessed(n, at)
	}
	ok, known, err := r.predicate(n, at)
	switch {
	case err != nil:
		return nil, err
	case !known:
		return []jsonValue{jsonNull}, nil
	}
	return []jsonValue{jsonBool(ok)}, nil
}

func (r *pathRun) step() error {
	if r.steps++; r.steps > maxPathSteps {
		return pgerr.New(pgerr.ProgramLimitExceeded, "the evaluation of a jsonpath takes too many steps")
	}
	return nil
}

// accessed applies an accessor to each value that what stands before it finds.
func (r *pathRun) accessed(n *pathNode, at jsonValue) ([]jsonValue, error) {
	from, err := r.eval(n.left, at)
	if err != nil {
		return nil, err
	}
	var out []jsonValue
	for _, v := range from {
		found, err := r.access(n, v, !r.strict)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// access applies an accessor to one value. unwrap says that an array stands for its
// elements.
func (r *pathRun) access(n *pathNode, v jsonValue, unwrap bool) ([]jsonValue, error) {
	if err := r.step(); err != nil {
		return nil, err
	}
	elements := v.kind == "array" && unwrap
	switch n.op {
	case ".", ".*", "?":
	case "method":
		elements = elements && n.text != "type" && n.text != "size"
	default:
		elements = false
	}
	if elements {
		var out []jsonValue
		for _, item := range v.items {
			found, err := r.access(n, item, false)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
		return out, nil
	}
	switch n.op {
	case ".":
		return r.key(n.text, v)
	case ".*":
		if v.kind == "object" {
			return v.items, nil
		}
		return nil, r.missing("2203C", "jsonpath wildcard member accessor can only be applied to an object")
	case ".**":
		return anyDepth(v, 0, n.from, n.until), nil
	case "[*]":
		if v.kind == "array" {
			return v.items, nil
		}
		if !r.strict {
			return []jsonValue{v}, nil
		}
		return nil, pathError("22039", "jsonpath wildcard array accessor can only be applied to an array")
	case "[]":
		return r.subscript(n, v)
	case "?":
		ok, known, err := r.predicate(n.right, v)
		if err != nil || !ok || !known {
			return nil, err
		}
		return []jsonValue{v}, nil
	}
	return r.method(n.text, v)
}

// missing is an error of strict mode alone.
func (r *pathRun) missing(code, format string, args ...any) error {
	if !r.strict {
		return nil
	}
	return pathError(code, format, args...)
}

func (r *pathRun) key(name string, v jsonValue) ([]jsonValue, error) {
	if v.kind != "object" {
		return nil, r.missing("2203A", "jsonpath member accessor can only be applied to an object")
	}
	if found, ok := v.member(name); ok {
		return []jsonValue{found}, nil
	}
	return nil, r.missing("2203A", "JSON object does not contain key %q", name)
}

func anyDepth(v jsonValue, depth, from, until int) []jsonValue {
	var out []jsonValue
	if depth >= from && depth <= until {
		out = append(out, v)
	}
	if depth < until {
		for _, item := range v.items {
			out = append(out, anyDepth(item, depth+1, from, until)...)
		}
	}
	return out
}

func (r *pathRun) subscript(n *pathNode, v jsonValue) ([]jsonValue, error) {
	items := v.items
	if v.kind != "array" {
		if r.strict {
			return nil, pathError("22039", "jsonpath array accessor can only be applied to an array")
		}
		items = []jsonValue{v}
	}
	saved := r.last
	r.last = len(items) - 1
	defer func() { r.last = saved }()
	var out []jsonValue
	for _, s := range n.list {
		first, second := s, s
		if s.op == "to" {
			first, second = s.left, s.right
		}
		from, err := r.index(first, v)
		if err != nil {
			return nil, err
		}
		to, err := r.index(second, v)
		if err != nil {
			return nil, err
		}
		if r.strict && (from < 0 || from > to || to >= len(items)) {
			return nil, pathError("22033", "jsonpath array subscript is out of bounds")
		}
		for i := max(from, 0); i <= min(to, len(items)-1); i++ {
			out = append(out, items[i])
		}
	}
	return out, nil
}

func (r *pathRun) index(n *pathNode, at jsonValue) (int, error) {
	found, err := r.eval(n, at)
	if err != nil {
		return 0, err
	}
	if len(found) != 1 || found[0].kind != "number" {
		return 0, pathError("22033", "jsonpath array subscript is not a single numeric value")
	}
	x := rat(found[0])
	whole := new(big.Int).Quo(x.Num(), x.Denom())
	if !whole.IsInt64() || whole.Int64() > 1<<31-1 || whole.Int64() < -1<<31 {
		return 0, pathError("22033", "jsonpath array subscript is out of integer range")
	}
	return int(whole.Int64()), nil
}

func rat(v jsonValue) *big.Rat {
	x, ok := new(big.Rat).SetString(v.text)
	if !ok {
		return new(big.Rat)
	}
	return x
}

// scale is the number of digits behind the point.
func scale(v jsonValue) int {
	if strings.ContainsAny(v.text, "eE") {
		return 16
	}
	_, frac, _ := strings.Cut(v.text, ".")
	return len(frac)
}

func number(x *big.Rat, places int) jsonValue {
	return jsonValue{kind: "number", text: x.FloatString(places)}
}

func (r *pathRun) method(name string, v jsonValue) ([]jsonValue, error) {
	switch name {
	case "type":
		return []jsonValue{jsonString(v.kind)}, nil
	case "size":
		if v.kind == "array" {
			return []jsonValue{{kind: "number", text: strconv.Itoa(len(v.items))}}, nil
		}
		if r.strict {
			return nil, pathError("22039", "jsonpath item method .size() can only be applied to an array")
		}
		return []jsonValue{{kind: "number", text: "1"}}, nil
	case "keyvalue":
		return keyValues(v)
	case "double":
		return double(v)
	}
	if v.kind != "number" {
		return nil, pathError("22036", "jsonpath item method .%s() can only be applied to a numeric value", name)
	}
	x := rat(v)
	if name == "abs" {
		return []jsonValue{number(x.Abs(x), scale(v))}, nil
	}
	whole, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	switch {
	case name == "floor" && rest.Sign() < 0:
		whole.Sub(whole, big.NewInt(1))
	case name == "ceiling" && rest.Sign() > 0:
		whole.Add(whole, big.NewInt(1))
	}
	return []jsonValue{{kind: "number", text: whole.String()}}, nil
}

func double(v jsonValue) ([]jsonValue, error) {
	bad := pathError("22036", "jsonpath item method .double() can only be applied to a string or numeric value")
	if v.kind != "number" && v.kind != "string" {
		return nil, bad
	}
	f, err := strconv.ParseFloat(v.text, 64)
	if err != nil || f-f != 0 {
		return nil, pathError("22036", "%s argument of jsonpath item method .double() is not a valid representation of a double precision number", v.kind)
	}
	return []jsonValue{{kind: "number", text: strconv.FormatFloat(f, 'f', -1, 64)}}, nil
}

func keyValues(v jsonValue) ([]jsonValue, error) {
	if v.kind != "object" {
		return nil, pathError("2203C", "jsonpath item method .keyvalue() can only be applied to an object")
	}
	var out []jsonValue
	for i, k := range v.keys {
		out = append(out, jsonValue{
			kind: "object", keys: []string{"id", "key", "value"},
			items: []jsonValue{{kind: "number", text: "0"}, jsonString(k), v.items[i]},
		})
	}
	return out, nil
}

// unwrapped evaluates an operand: in lax mode an array stands for its elements.
func (r *pathRun) unwrapped(n *pathNode, at jsonValue) ([]jsonValue, error) {
	found, err := r.eval(n, at)
	if r.strict || err != nil {
		return found, err
	}
	var out []jsonValue
	for _, v := range found {
		if v.kind == "array" {
			out = append(out, v.items...)
		} else {
			out = append(out, v)
		}
	}
	return out, nil
}

func (r *pathRun) operand(n *pathNode, at jsonValue, side, op string) (jsonValue, error) {
	found, err := r.unwrapped(n, at)
	if err != nil {
		return jsonNull, err
	}
	if len(found) != 1 || found[0].kind != "number" {
		return jsonNull, pathError("22038", "%s operand of jsonpath operator %s is not a single numeric value", side, op)
	}
	return found[0], nil
}

func (r *pathRun) arithmetic(n *pathNode, at jsonValue) ([]jsonValue, error) {
	left, err := r.operand(n.left, at, "left", n.op)
	if err != nil {
		return nil, err
	}
	right, err := r.operand(n.right, at, "right", n.op)
	if err != nil {
		return nil, err
	}
	x, y := rat(left), rat(right)
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
	return []jsonValue{number(x, places)}, nil
}

func (r *pathRun) signed(n *pathNode, at jsonValue) ([]jsonValue, error) {
	found, err := r.unwrapped(n.left, at)
	if err != nil {
		return nil, err
	}
	var out []jsonValue
	for _, v := range found {
		if v.kind != "number" {
			return nil, pathError("2203B", "operand of unary jsonpath operator %s is not a numeric value", n.op[1:])
		}
		if n.op == "u-" {
			x := rat(v)
			v = number(x.Neg(x), scale(v))
		}
		out = append(out, v)
	}
	return out, nil
}

// predicate evaluates a condition. known is false for its third value, unknown,
// which an error in it is, too.
func (r *pathRun) predicate(n *pathNode, at jsonValue) (ok, known bool, err error) {
	switch n.op {
	case "&&", "||":
		return r.logical(n, at)
	case "!":
		ok, known, err = r.predicate(n.left, at)
		return !ok, known, err
	case "unknown":
		_, known, err = r.predicate(n.left, at)
		return !known, true, err
	case "exists":
		found, err := r.eval(n.left, at)
		if errors.Is(err, errPath) {
			return false, false, nil
		}
		return len(found) > 0, true, err
	case "==", "!=", "<", "<=", ">", ">=", "starts", "like_regex":
		return r.pairs(n, at)
	}
	return false, false, pgerr.New(pgerr.SyntaxError, "syntax error in jsonpath: a condition is expected")
}

func (r *pathRun) logical(n *pathNode, at jsonValue) (ok, known bool, err error) {
	a, aKnown, err := r.predicate(n.left, at)
	if err != nil {
		return false, false, err
	}
	decided := n.op == "||"
	if aKnown && a == decided {
		return decided, true, nil
	}
	b, bKnown, err := r.predicate(n.right, at)
	if err != nil {
		return false, false, err
	}
	if bKnown && b == decided {
		return decided, true, nil
	}
	return !decided, aKnown && bKnown, nil
}

// pairs holds each value of the left side against each of the right.
func (r *pathRun) pairs(n *pathNode, at jsonValue) (ok, known bool, err error) {
	left, err := r.unwrapped(n.left, at)
	right := []jsonValue{jsonNull}
	if err == nil && n.right != nil {
		right, err = r.unwrapped(n.right, at)
	}
	if errors.Is(err, errPath) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	test := func(a, b jsonValue) (bool, bool) { return compareItems(n.op, a, b) }
	if n.op == "like_regex" {
		re, err := pathRegexp(n)
		if err != nil {
			return false, false, err
		}
		test = func(a, _ jsonValue) (bool, bool) {
			return a.kind == "string" && re.MatchString(a.text), a.kind == "string"
		}
	}
	found, unknown := false, false
	for _, a := range left {
		for _, b := range right {
			ok, known := test(a, b)
			switch {
			case !known && r.strict:
				return false, false, nil
			case !known:
				unknown = true
			case ok && !r.strict:
				return true, true, nil
			case ok:
				found = true
			}
		}
	}
	return found, found || !unknown, nil
}

func pathRegexp(n *pathNode) (*regexp.Regexp, error) {
	flags := "s"
	for _, f := range n.flag {
		switch f {
		case 'i', 'q', 'm':
			flags += string(f)
		case 's':
		default:
			return nil, pgerr.New(pgerr.SyntaxError, "invalid input syntax for type jsonpath").
				WithDetail("Unrecognized flag character %q in LIKE_REGEX predicate.", string(f))
		}
	}
	e, err := translate(n.text, flags, false)
	if err != nil {
		return nil, err
	}
	return regexp.Compile(e.source)
}

func compareItems(op string, a, b jsonValue) (ok, known bool) {
	if op == "starts" {
		if a.kind != "string" || b.kind != "string" {
			return false, false
		}
		return strings.HasPrefix(a.text, b.text), true
	}
	if a.kind != b.kind {
		if a.kind == "null" || b.kind == "null" {
			return op == "!=", true
		}
		return false, false
	}
	order := 0
	switch a.kind {
	case "null":
	case "boolean":
		if a.truth != b.truth {
			order = 1
			if b.truth {
				order = -1
			}
		}
	case "number":
		order = rat(a).Cmp(rat(b))
	case "string":
		order = strings.Compare(a.text, b.text)
	default:
		return false, false
	}
	switch op {
	case "==":
		return order == 0, true
	case "!=":
		return order != 0, true
	case "<":
		return order < 0, true
	case "<=":
		return order <= 0, true
	case ">":
		return order > 0, true
	}
	return order >= 0, true
}
