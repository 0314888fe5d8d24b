package jsonb

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// ontosql_json_contains is 1 where the first document contains the second, as
// JsonbDeepContains in jsonb_util.c has it: they are compared from their roots on.
var containsFunctions = []fmgr.Function{{
	Name: "ontosql_json_contains", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Int,
	New: fmgr.Stateless(func(args []fmgr.Value) (fmgr.Value, error) {
		names := shapeNames{}
		a, err := names.read(args[0].Text)
		if err != nil {
			return fmgr.Null, err
		}
		b, err := names.read(args[1].Text)
		if err != nil {
			return fmgr.Null, err
		}
		if b.scalar != 0 && a.kind == "array" { // the one case in which an array contains a value that is not an array
			return fmgr.BoolValue(a.scalars[b.scalar]), nil
		}
		steps := 0
		found, err := a.contains(b, &steps)
		return fmgr.BoolValue(found), err
	}),
}}

// jsonShape is a value in a form that is quickly compared. Scalars and names are
// numbers, equal for equal ones.
type jsonShape struct {
	kind    string
	scalar  int                // of what is no container; never 0
	members map[int]*jsonShape // of an object
	scalars map[int]bool       // of an array
	inner   []*jsonShape       // the containers of an array
}

// shapeNames numbers the scalars and names of two documents.
type shapeNames map[string]int

func (n shapeNames) number(s string) int {
	if _, ok := n[s]; !ok {
		n[s] = len(n) + 1
	}
	return n[s]
}

func (n shapeNames) read(doc string) (*jsonShape, error) {
	v, err := Parse(doc)
	if err != nil {
		return nil, err
	}
	return n.shape(v), nil
}

func (n shapeNames) shape(v *Value) *jsonShape {
	out := &jsonShape{kind: v.Kind}
	switch v.Kind {
	case "object":
		out.members = map[int]*jsonShape{}
		for i, k := range v.Keys {
			out.members[n.number(k)] = n.shape(v.Items[i])
		}
	case "array":
		out.scalars = map[int]bool{}
		for _, item := range v.Items {
			if s := n.shape(item); s.scalar != 0 {
				out.scalars[s.scalar] = true
			} else {
				out.inner = append(out.inner, s)
			}
		}
	default:
		var key strings.Builder
		orderJSON(&key, v)
		out.scalar = n.number(key.String())
	}
	return out
}

// maxContainsSteps bounds the work of one comparison: arrays of arrays are held
// against each other each with each.
const maxContainsSteps = 10_000_000

// contains reports whether a contains b, for whole documents or values at the same path. steps
// counts the comparisons.
func (a *jsonShape) contains(b *jsonShape, steps *int) (bool, error) {
	if *steps++; *steps > maxContainsSteps {
		return false, pgerr.New(pgerr.ProgramLimitExceeded, "the comparison of two jsonb values takes too many steps")
	}
	if a.kind != b.kind || a.scalar != b.scalar {
		return false, nil
	}
	for name, want := range b.members {
		have, ok := a.members[name]
		if !ok {
			return false, nil
		}
		if found, err := have.contains(want, steps); !found || err != nil {
			return false, err
		}
	}
	for scalar := range b.scalars {
		if *steps++; !a.scalars[scalar] {
			return false, nil
		}
	}
	for _, want := range b.inner {
		if found, err := want.within(a.inner, steps); !found || err != nil {
			return false, err
		}
	}
	return true, nil
}

// within is whether one of the containers contains b.
func (b *jsonShape) within(containers []*jsonShape, steps *int) (bool, error) {
	for _, have := range containers {
		if found, err := have.contains(b, steps); found || err != nil {
			return found, err
		}
	}
	return false, nil
}
