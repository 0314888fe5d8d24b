package jsonpath

import (
	"errors"
	"math/big"
	"strconv"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
	"github.com/ontosql/ontosql/pgfunc/jsonb"
)

var pathArgs = []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Text, fmgr.Int}

// errPath is an error of a path that silence and predicates suppress.
var errPath = errors.New("jsonpath")

func pathError(code, format string, args ...any) error {
	return pgerr.New(code, format, args...).Because(errPath)
}

// pathCall runs a path and makes the result of what it finds, of what it found before
// an error where errors are silent. asks says that the call asks whether anything is
// found: in lax mode the first value answers that, whatever is wrong behind it.
func pathCall(asks bool, result func(found []*jsonb.Value, failed bool) (fmgr.Value, error)) func() fmgr.Call {
	return func() fmgr.Call {
		paths := &fmgr.Cache[*jsonPath]{}
		return func(a []fmgr.Value) (fmgr.Value, error) {
			path, err := paths.Get(a[1].Text, func() (*jsonPath, error) { return parsePath(a[1].Text) })
			if err != nil {
				return fmgr.Null, err
			}
			target, err := jsonb.Parse(a[0].Text)
			if err != nil {
				return fmgr.Null, err
			}
			target.SortMembers()
			vars := &jsonb.Value{Kind: "object"}
			if a[2].Text != "" {
				vars, err = jsonb.Parse(a[2].Text)
			}
			if err != nil {
				return fmgr.Null, err
			}
			if vars.Kind != "object" {
				return fmgr.Null, pgerr.New(pgerr.InvalidParameterValue, "\"vars\" argument is not an object").
					WithDetail("Jsonpath parameters should be encoded as key-value pairs of \"vars\" object.")
			}
			r := &pathRun{strict: path.strict, root: target, vars: vars}
			evaluate := r.eval
			if asks {
				evaluate = r.exists
			}
			found, err := evaluate(path.root, target)
			silent, failed := a[3].Int != 0, errors.Is(err, errPath)
			if asks && r.enough(found) {
				failed, silent = false, true
			}
			if err != nil && !(silent && errors.Is(err, errPath)) {
				return fmgr.Null, err
			}
			out, err := result(found, failed)
			if silent && errors.Is(err, errPath) {
				return fmgr.Null, nil
			}
			return out, err
		}
	}
}

// pathRun is one evaluation.
type pathRun struct {
	strict bool
	root   *jsonb.Value
	vars   *jsonb.Value
	last   int // the last index of the array whose subscripts are evaluated
	steps  int
}

// maxPathSteps bounds the work of one evaluation.
const maxPathSteps = 10_000_000

// enough reports whether values are known to exist by those that were found before an
// error.
func (r *pathRun) enough(found []*jsonb.Value) bool { return !r.strict && len(found) > 0 }

// eval finds the values of an expression. Those that it finds before an error come with
// the error.
func (r *pathRun) eval(n *pathNode, at *jsonb.Value) ([]*jsonb.Value, error) {
	if err := r.step(); err != nil {
		return nil, err
	}
	switch n.op {
	case "$":
		return []*jsonb.Value{r.root}, nil
	case "@":
		return []*jsonb.Value{at}, nil
	case "variable":
		v, ok := r.vars.Member(n.text)
		if !ok {
			return nil, pgerr.New(pgerr.UndefinedObject, "could not find jsonpath variable %q", n.text)
		}
		return []*jsonb.Value{v}, nil
	case "string", "number":
		return []*jsonb.Value{{Kind: n.op, Text: n.text}}, nil
	case "true", "false":
		return []*jsonb.Value{jsonb.Bool(n.op == "true")}, nil
	case "null":
		return []*jsonb.Value{jsonb.Null}, nil
	case "last":
		return []*jsonb.Value{jsonb.Number(strconv.Itoa(r.last))}, nil
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
		return []*jsonb.Value{jsonb.Null}, nil
	}
	return []*jsonb.Value{jsonb.Bool(ok)}, nil
}

func (r *pathRun) step() error { return r.count(1) }

// count counts the steps that n values are, before they are appended to others.
func (r *pathRun) count(n int) error {
	if r.steps += n; r.steps > maxPathSteps {
		return pgerr.New(pgerr.ProgramLimitExceeded, "the evaluation of a jsonpath takes too many steps")
	}
	return nil
}

// accessed applies an accessor to each value that what stands before it finds.
func (r *pathRun) accessed(n *pathNode, at *jsonb.Value) ([]*jsonb.Value, error) {
	from, failed := r.eval(n.left, at)
	if failed != nil && !errors.Is(failed, errPath) {
		return nil, failed
	}
	out, err := r.accessEach(n, from, !r.strict)
	if err == nil {
		err = failed
	}
	return out, err
}

func (r *pathRun) accessEach(n *pathNode, values []*jsonb.Value, unwrap bool) (out []*jsonb.Value, err error) {
	for _, v := range values {
		found, err := r.access(n, v, unwrap)
		if counted := r.count(len(found)); counted != nil {
			return nil, counted
		}
		if out = append(out, found...); err != nil {
			return out, err
		}
	}
	return out, nil
}

// access applies an accessor to one value. unwrap says that an array stands for its
// elements.
func (r *pathRun) access(n *pathNode, v *jsonb.Value, unwrap bool) ([]*jsonb.Value, error) {
	if err := r.step(); err != nil {
		return nil, err
	}
	elements := v.Kind == "array" && unwrap
	switch n.op {
	case ".", ".*", "?":
	case "method":
		elements = elements && n.text != "type" && n.text != "size"
	default:
		elements = false
	}
	if elements {
		return r.accessEach(n, v.Items, false)
	}
	switch n.op {
	case ".":
		return r.key(n.text, v)
	case ".*":
		if v.Kind == "object" {
			return v.Items, nil
		}
		return nil, r.missing("2203C", "jsonpath wildcard member accessor can only be applied to an object")
	case ".**":
		return r.levels(nil, v, 0, n)
	case "[*]":
		if v.Kind == "array" {
			return v.Items, nil
		}
		if !r.strict {
			return []*jsonb.Value{v}, nil
		}
		return nil, pathError("22039", "jsonpath wildcard array accessor can only be applied to an array")
	case "[]":
		return r.subscript(n, v)
	case "?":
		ok, known, err := r.predicate(n.right, v)
		if err != nil || !ok || !known {
			return nil, err
		}
		return []*jsonb.Value{v}, nil
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

func (r *pathRun) key(name string, v *jsonb.Value) ([]*jsonb.Value, error) {
	if v.Kind != "object" {
		return nil, r.missing("2203A", "jsonpath member accessor can only be applied to an object")
	}
	if found, ok := v.Member(name); ok {
		return []*jsonb.Value{found}, nil
	}
	return nil, r.missing("2203A", "JSON object does not contain key %q", name)
}

// levels appends what .** finds in v, which lies at depth. The bounds {last} select the
// scalars below the root, at any depth (executeAnyItem in PostgreSQL).
func (r *pathRun) levels(out []*jsonb.Value, v *jsonb.Value, depth int, n *pathNode) ([]*jsonb.Value, error) {
	err := r.step()
	leaf := n.from == anyLast && n.until == anyLast && depth > 0 && v.Kind != "array" && v.Kind != "object"
	if leaf || depth >= n.from && depth <= n.until {
		out = append(out, v)
	}
	for i := 0; i < len(v.Items) && depth < n.until && err == nil; i++ {
		out, err = r.levels(out, v.Items[i], depth+1, n)
	}
	return out, err
}

func (r *pathRun) subscript(n *pathNode, v *jsonb.Value) ([]*jsonb.Value, error) {
	items := v.Items
	if v.Kind != "array" {
		if r.strict {
			return nil, pathError("22039", "jsonpath array accessor can only be applied to an array")
		}
		items = []*jsonb.Value{v}
	}
	saved := r.last
	r.last = len(items) - 1
	defer func() { r.last = saved }()
	var out []*jsonb.Value
	for _, s := range n.list {
		first, second := s, s
		if s.op == "to" {
			first, second = s.left, s.right
		}
		from, err := r.index(first, v)
		if err != nil {
			return out, err
		}
		to, err := r.index(second, v)
		if err != nil {
			return out, err
		}
		if r.strict && (from < 0 || from > to || to >= len(items)) {
			return out, pathError("22033", "jsonpath array subscript is out of bounds")
		}
		if err := r.count(max(0, min(to, len(items)-1)-max(from, 0)+1)); err != nil {
			return out, err
		}
		for i := max(from, 0); i <= min(to, len(items)-1); i++ {
			out = append(out, items[i])
		}
	}
	return out, nil
}

func (r *pathRun) index(n *pathNode, at *jsonb.Value) (int, error) {
	found, err := r.eval(n, at)
	if err != nil {
		return 0, err
	}
	if len(found) != 1 || found[0].Kind != "number" {
		return 0, pathError("22033", "jsonpath array subscript is not a single numeric value")
	}
	x, err := r.rat(found[0])
	if err != nil {
		return 0, err
	}
	whole := new(big.Int).Quo(x.Num(), x.Denom())
	if !whole.IsInt64() || whole.Int64() > 1<<31-1 || whole.Int64() < -1<<31 {
		return 0, pathError("22033", "jsonpath array subscript is out of integer range")
	}
	return int(whole.Int64()), nil
}

// unwrapped evaluates an operand: in lax mode an array stands for its elements.
func (r *pathRun) unwrapped(n *pathNode, at *jsonb.Value) ([]*jsonb.Value, error) {
	found, err := r.eval(n, at)
	if r.strict || err != nil {
		return found, err
	}
	var out []*jsonb.Value
	for _, v := range found {
		if err := r.count(1 + len(v.Items)); err != nil {
			return nil, err
		}
		if v.Kind == "array" {
			out = append(out, v.Items...)
		} else {
			out = append(out, v)
		}
	}
	return out, nil
}
