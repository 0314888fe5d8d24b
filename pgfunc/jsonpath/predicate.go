package jsonpath

import (
	"errors"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/jsonb"
	"github.com/ontosql/ontosql/pgfunc/regex"
)

// predicate evaluates a condition. known is false for its third value, unknown,
// which an error in it is, too.
func (r *pathRun) predicate(n *pathNode, at *jsonb.Value) (ok, known bool, err error) {
	saved := r.quiet
	r.quiet = true
	defer func() { r.quiet = saved }()
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
		found, err := r.exists(n.left, at)
		if errors.Is(err, errPath) {
			enough := r.enough(found)
			return enough, enough, nil
		}
		return len(found) > 0, true, err
	case "==", "!=", "<", "<=", ">", ">=", "starts", "like_regex":
		return r.pairs(n, at)
	}
	return false, false, pgerr.New(pgerr.SyntaxError, "syntax error in jsonpath: a condition is expected")
}

func (r *pathRun) logical(n *pathNode, at *jsonb.Value) (ok, known bool, err error) {
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
func (r *pathRun) pairs(n *pathNode, at *jsonb.Value) (ok, known bool, err error) {
	left, err := r.unwrapped(n.left, at)
	right := []*jsonb.Value{jsonb.Null}
	if err == nil && n.right != nil {
		right, err = r.unwrapped(n.right, at)
	}
	if errors.Is(err, errPath) {
		return false, false, nil
	}
	if err != nil {
		return false, false, err
	}
	test := func(a, b *jsonb.Value) (bool, bool, error) { return r.compare(n.op, a, b) }
	if n.op == "like_regex" {
		test = func(a, _ *jsonb.Value) (bool, bool, error) {
			if a.Kind != "string" {
				return false, false, nil
			}
			found, err := n.re.Find(a.Text, 0, 1)
			return len(found) > 0, true, err
		}
	}
	found, unknown := false, false
	for _, a := range left {
		for _, b := range right {
			if err := r.step(); err != nil {
				return false, false, err
			}
			ok, known, err := test(a, b)
			switch {
			case err != nil:
				return false, false, err
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

func pathRegexp(n *pathNode) (*regex.Matcher, error) {
	for _, f := range n.flag {
		if !strings.ContainsRune("iqms", f) {
			return nil, pgerr.New(pgerr.SyntaxError, "invalid input syntax for type jsonpath").
				WithDetail("Unrecognized flag character %q in LIKE_REGEX predicate.", string(f))
		}
	}
	has := func(f string) bool { return strings.Contains(n.flag, f) }
	flags := "p" // . matches no newline
	switch {
	case has("m") && has("s"):
		flags = "w"
	case has("m"):
		flags = "m"
	case has("s"):
		flags = "s"
	}
	if has("i") {
		flags += "i"
	}
	if has("q") {
		flags += "q"
	}
	return regex.NewMatcher(n.text, flags)
}

// compare holds one value against another.
func (r *pathRun) compare(op string, a, b *jsonb.Value) (ok, known bool, err error) {
	if op == "starts" {
		if a.Kind != "string" || b.Kind != "string" {
			return false, false, nil
		}
		return strings.HasPrefix(a.Text, b.Text), true, nil
	}
	if a.Kind != b.Kind {
		null := a.Kind == "null" || b.Kind == "null"
		return null && op == "!=", null, nil
	}
	order := 0
	switch a.Kind {
	case "null":
	case "boolean":
		order = strings.Compare(strconv.FormatBool(a.Truth), strconv.FormatBool(b.Truth))
	case "number":
		x, err := r.rat(a)
		if err != nil {
			return false, false, err
		}
		y, err := r.rat(b)
		if err != nil {
			return false, false, err
		}
		order = x.Cmp(y)
	case "string":
		order = strings.Compare(a.Text, b.Text)
	case kindDatetime:
		var known bool
		var err error
		if order, known, err = r.compareDatetimes(r.times[a], r.times[b]); err != nil || !known {
			return false, false, err
		}
	default:
		return false, false, nil
	}
	switch op {
	case "==":
		return order == 0, true, nil
	case "!=":
		return order != 0, true, nil
	case "<":
		return order < 0, true, nil
	case "<=":
		return order <= 0, true, nil
	case ">":
		return order > 0, true, nil
	}
	return order >= 0, true, nil
}
