package jsonpath

import (
	"errors"
	"math/big"
	"strconv"
	"time"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
	"github.com/ontosql/ontosql/pgfunc/formatting"
	"github.com/ontosql/ontosql/pgfunc/jsonb"
)

var pathArgs = []fmgr.Kind{fmgr.Text, fmgr.Text, fmgr.Text, fmgr.Int, fmgr.Text}

// errPath is an error of a path that silence and predicates suppress.
var errPath = errors.New("jsonpath")

func pathError(code, format string, args ...any) error {
	return pgerr.New(code, format, args...).Because(errPath)
}

// pathCall runs a path and makes the result of the values that it finds; if errors are silent,
// of those before the error. asks says that the call asks whether there is a value: in lax mode
// the first value decides, even if an error would follow.
func pathCall(asks bool, result func(found []*jsonb.Value, failed bool) (fmgr.Value, error)) func() fmgr.Call {
	return func() fmgr.Call {
		paths, zones := &fmgr.Cache[*jsonPath]{}, &fmgr.Cache[*time.Location]{}
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
				if vars, err = jsonb.Parse(a[2].Text); err != nil {
					return fmgr.Null, err
				}
				vars.SortMembers()
			}
			if vars.Kind != "object" {
				return fmgr.Null, pgerr.New(pgerr.InvalidParameterValue, "\"vars\" argument is not an object").
					WithDetail("Jsonpath parameters should be encoded as key-value pairs of \"vars\" object.")
			}
			r := &pathRun{strict: path.strict, quiet: a[3].Int != 0, root: target, vars: vars, generated: 2}
			if zone := a[4].Text; zone != "" {
				if r.zone, err = zones.Get(zone, func() (*time.Location, error) { return time.LoadLocation(zone) }); err != nil {
					return fmgr.Null, err
				}
			}
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
			for i, v := range found {
				if v.Kind == kindDatetime {
					found[i] = jsonb.String(v.Text)
				}
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
	strict  bool
	lenient bool // an accessor behind .** is evaluated: structural errors are ignored in strict mode, too
	quiet   bool // errors of the path are not the statement's
	root    *jsonb.Value
	vars    *jsonb.Value
	last    int // the last index of the array whose subscripts are evaluated
	steps   int

	base      baseObject
	generated int64                                   // the number of the next object of keyvalue()
	offsets   map[*jsonb.Value]map[*jsonb.Value]int64 // jsonb.Offsets by document
	times     map[*jsonb.Value]formatting.Datetime    // the values of kind datetime
	zone      *time.Location                          // of the _tz functions, nil for the others
}

// baseObject is the document that ids of keyvalue() count from.
type baseObject struct {
	document *jsonb.Value
	id       int64
}

// maxPathSteps bounds the work of one evaluation.
const maxPathSteps = 10_000_000

// enough reports whether values are known to exist by those that were found before an
// error.
func (r *pathRun) enough(found []*jsonb.Value) bool { return !r.strict && len(found) > 0 }

// eval finds the values of an expression. Those that it finds before an error come with
// the error.
func (r *pathRun) eval(n *pathNode, at *jsonb.Value) (out []*jsonb.Value, err error) {
	err = r.visit(n, at, func(v *jsonb.Value) error {
		out = append(out, v)
		return nil
	})
	return out, err
}

// visit calls emit for each value of an expression. An accessor applies to a value before the
// next value is found, as in PostgreSQL.
func (r *pathRun) visit(n *pathNode, at *jsonb.Value, emit func(*jsonb.Value) error) error {
	if err := r.step(); err != nil {
		return err
	}
	switch n.op {
	case "$":
		return r.within(baseObject{r.root, 0}, func() error { return emit(r.root) })
	case "@":
		return emit(at)
	case "variable":
		v, ok := r.vars.Member(n.text)
		if !ok {
			return pgerr.New(pgerr.UndefinedObject, "could not find jsonpath variable %q", n.text)
		}
		return r.within(baseObject{r.vars, 1}, func() error { return emit(v) })
	case "string", "number":
		return emit(&jsonb.Value{Kind: n.op, Text: n.text})
	case "true", "false":
		return emit(jsonb.Bool(n.op == "true"))
	case "null":
		return emit(jsonb.Null)
	case "last":
		return emit(jsonb.Number(strconv.Itoa(r.last)))
	case ".", ".*", ".**", "[*]", "[]", "?", "method":
		return r.visit(n.left, at, func(v *jsonb.Value) error { return r.access(n, v, !r.strict, emit) })
	case "+", "-", "*", "/", "%", "u+", "u-":
		found, err := r.computed(n, at)
		for _, v := range found {
			if err := emit(v); err != nil {
				return err
			}
		}
		return err
	}
	ok, known, err := r.predicate(n, at)
	switch {
	case err != nil:
		return err
	case !known:
		return emit(jsonb.Null)
	}
	return emit(jsonb.Bool(ok))
}

// computed are the values of an arithmetic expression.
func (r *pathRun) computed(n *pathNode, at *jsonb.Value) ([]*jsonb.Value, error) {
	if n.right == nil {
		return r.signed(n, at)
	}
	return r.arithmetic(n, at)
}

// within evaluates with another base object.
func (r *pathRun) within(base baseObject, run func() error) error {
	saved := r.base
	r.base = base
	err := run()
	r.base = saved
	return err
}

func (r *pathRun) step() error { return r.count(1) }

// count counts the steps that n values are, before they are appended to others.
func (r *pathRun) count(n int) error {
	if r.steps += n; r.steps > maxPathSteps {
		return pgerr.New(pgerr.ProgramLimitExceeded, "the evaluation of a jsonpath takes too many steps")
	}
	return nil
}

// accessEach applies an accessor to the elements of an array.
func (r *pathRun) accessEach(n *pathNode, values []*jsonb.Value, emit func(*jsonb.Value) error) error {
	for _, v := range values {
		if err := r.access(n, v, false, emit); err != nil {
			return err
		}
	}
	return nil
}

// access applies an accessor to one value. unwrap applies it to the elements of an array.
func (r *pathRun) access(n *pathNode, v *jsonb.Value, unwrap bool, emit func(*jsonb.Value) error) error {
	if err := r.step(); err != nil {
		return err
	}
	saved := r.lenient
	r.lenient = r.lenient || n.belowAny
	defer func() { r.lenient = saved }()
	elements := v.Kind == "array" && unwrap
	switch n.op {
	case ".", ".*", "?":
	case "method":
		elements = elements && n.text != "type" && n.text != "size"
	default:
		elements = false
	}
	if elements {
		return r.accessEach(n, v.Items, emit)
	}
	each := func(values []*jsonb.Value) error {
		for _, v := range values {
			if err := r.step(); err != nil {
				return err
			}
			if err := emit(v); err != nil {
				return err
			}
		}
		return nil
	}
	switch n.op {
	case ".":
		return r.key(n.text, v, emit)
	case ".*":
		if v.Kind == "object" {
			return each(v.Items)
		}
		return r.missing("2203C", "jsonpath wildcard member accessor can only be applied to an object")
	case ".**":
		return r.levels(v, 0, n, emit)
	case "[*]":
		switch {
		case v.Kind == "array":
			return each(v.Items)
		case !r.strict:
			return emit(v)
		}
		return r.missing("22039", "jsonpath wildcard array accessor can only be applied to an array")
	case "[]":
		return r.subscript(n, v, emit)
	case "?":
		ok, known, err := r.predicate(n.right, v)
		if err != nil || !ok || !known {
			return err
		}
		return emit(v)
	}
	return r.method(n, v, emit)
}

// missing is an error of strict mode alone.
func (r *pathRun) missing(code, format string, args ...any) error {
	if !r.strict || r.lenient {
		return nil
	}
	return pathError(code, format, args...)
}

func (r *pathRun) key(name string, v *jsonb.Value, emit func(*jsonb.Value) error) error {
	if v.Kind != "object" {
		return r.missing("2203A", "jsonpath member accessor can only be applied to an object")
	}
	if found, ok := v.Member(name); ok {
		return emit(found)
	}
	return r.missing("2203A", "JSON object does not contain key %q", name)
}

// levels calls emit for what .** finds in v, which lies at depth. The bounds {last} select the
// scalars below the root, at any depth (executeAnyItem in PostgreSQL).
func (r *pathRun) levels(v *jsonb.Value, depth int, n *pathNode, emit func(*jsonb.Value) error) error {
	if err := r.step(); err != nil {
		return err
	}
	leaf := n.from == anyLast && n.until == anyLast && depth > 0 && v.Kind != "array" && v.Kind != "object"
	var err error
	if leaf || depth >= n.from && depth <= n.until {
		err = emit(v)
	}
	if depth == 0 && r.quiet && errors.Is(err, errPath) && (v.Kind == "array" || v.Kind == "object") {
		err = nil // PostgreSQL continues with the document
	}
	for i := 0; i < len(v.Items) && depth < n.until && err == nil; i++ {
		err = r.levels(v.Items[i], depth+1, n, emit)
	}
	return err
}

func (r *pathRun) subscript(n *pathNode, v *jsonb.Value, emit func(*jsonb.Value) error) error {
	items := v.Items
	if v.Kind != "array" {
		if r.strict {
			return r.missing("22039", "jsonpath array accessor can only be applied to an array")
		}
		items = []*jsonb.Value{v}
	}
	saved := r.last
	defer func() { r.last = saved }()
	for _, s := range n.list {
		first, second := s, s
		if s.op == "to" {
			first, second = s.left, s.right
		}
		r.last = len(items) - 1
		from, err := r.index(first, v)
		if err != nil {
			return err
		}
		to, err := r.index(second, v)
		if err != nil {
			return err
		}
		if from < 0 || from > to || to >= len(items) {
			if err := r.missing("22033", "jsonpath array subscript is out of bounds"); err != nil {
				return err
			}
		}
		for i := max(from, 0); i <= min(to, len(items)-1); i++ {
			if err := r.step(); err != nil {
				return err
			}
			if err := emit(items[i]); err != nil {
				return err
			}
		}
	}
	return nil
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

// unwrapped evaluates an operand. In lax mode an array is replaced by its elements.
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
