package format

import "strconv"

// Rule is what a field's Python type admits, read from its type_spec (COMPAT
// 1.2). It refuses what the original could not load again: its models are
// pydantic's in lax mode, so that an int takes "3" and 1.0 as well. Where the
// type_spec does not tell, it admits: an enum's values, a class of the user's,
// which keys of a TypedDict may be missing (NotRequired leaves no trace) and
// what else stands beside them.
//
// A Rule is immutable and serves any number of goroutines. The zero Rule admits
// everything.
type Rule struct {
	shape  shape
	name   string           // of a TypedDict
	item   *Rule            // of each element of a list, each value of a dict
	key    *Rule            // of each key of a dict
	parts  []*Rule          // of a tuple by position; of a union, none of them a union itself
	fields map[string]*Rule // of a TypedDict
	values []Value          // of a Literal
}

// shape is what a Rule looks at.
type shape uint8

const (
	shapeAny shape = iota
	shapeNone
	shapeStr
	shapeInt
	shapeFloat
	shapeBool
	shapeBytes
	shapeDatetime
	shapeDate
	shapeDecimal
	shapeUUID
	shapeLiteral // from here on rules of one shape differ
	shapeList    // every sequence and set of one rule
	shapeTuple
	shapeDict
	shapeTypedDict
	shapeUnion
)

// MisfitError is a value that its Rule does not admit.
type MisfitError struct {
	Path  string // in the value, as PostgreSQL's jsonpath: "$.geo.lat", "$[0]"
	Want  string // the type as Python writes it
	Found Value
}

func (e *MisfitError) Error() string {
	return e.Path + ": expected " + e.Want + ", found " + e.Found.kind.String()
}

// AdmitsAll reports whether no value can fail the rule.
func (r *Rule) AdmitsAll() bool { return r.shape == shapeAny }

// Check holds a value against the rule. The error is a *MisfitError.
func (r *Rule) Check(v Value) error {
	w := &ruleCheck{left: maxRepeats}
	m := w.check(r, v)
	if m == nil {
		return nil
	}
	want := m.want.String()
	if m.key {
		want += " as a key"
	}
	return &MisfitError{Path: m.path(), Want: want, Found: m.found}
}

// maxRepeats bounds how many parts of a value one Check looks at for the second
// time or more often. Only a union's later members do, but those of nested
// recursive types as often as two to the depth.
const maxRepeats = 1 << 20

// ruleCheck is one Check.
type ruleCheck struct {
	repeats int // the unions around the place whose later members are tried
	left    int // of mostRepeated
}

// check is what r does not admit in v, nil if it admits v.
func (w *ruleCheck) check(r *Rule, v Value) *misfit {
	switch r.shape {
	case shapeAny:
		return nil
	case shapeUnion:
		return w.union(r, v)
	case shapeList, shapeTuple:
		if v.kind == JSONArray {
			return w.array(r, v)
		}
	case shapeDict:
		if v.kind == JSONObject {
			return w.dict(r, v)
		}
	case shapeTypedDict:
		if v.kind == JSONObject {
			return w.typedDict(r, v)
		}
	default:
		if r.admitsScalar(v) {
			return nil
		}
	}
	return &misfit{want: r, found: v}
}

// checkPart is misfit for a part of a value.
func (w *ruleCheck) checkPart(r *Rule, v Value) *misfit {
	if w.repeats > 0 {
		if w.left--; w.left < 0 {
			return nil // undecided is admitted
		}
	}
	return w.check(r, v)
}

func (w *ruleCheck) array(r *Rule, v Value) *misfit {
	if r.shape == shapeTuple && len(v.items) != len(r.parts) {
		return &misfit{want: r, found: v}
	}
	for i, item := range v.items {
		rule := r.item
		if r.shape == shapeTuple {
			rule = r.parts[i]
		}
		if m := w.checkPart(rule, item); m != nil {
			return m.below(step{index: i})
		}
	}
	return nil
}

func (w *ruleCheck) dict(r *Rule, v Value) *misfit {
	for i, name := range v.names {
		if w.checkPart(r.key, String(name)) != nil {
			return &misfit{want: r.key, found: String(name), key: true}
		}
		if m := w.checkPart(r.item, v.items[i]); m != nil {
			return m.below(step{name: name, member: true})
		}
	}
	return nil
}

func (w *ruleCheck) typedDict(r *Rule, v Value) *misfit {
	for i, name := range v.names {
		rule := r.fields[name]
		if rule == nil {
			continue // pydantic drops it
		}
		if m := w.checkPart(rule, v.items[i]); m != nil {
			return m.below(step{name: name, member: true})
		}
	}
	return nil
}

// union is nil if one of the members admits v. Else it blames what lies deepest
// in v: the member that v was meant for got furthest.
func (w *ruleCheck) union(r *Rule, v Value) *misfit {
	var deepest *misfit
	repeats := w.repeats
	defer func() { w.repeats = repeats }()
	for _, member := range r.parts {
		m := w.check(member, v)
		if m == nil {
			return nil
		}
		w.repeats = repeats + 1
		if len(m.steps) > 0 && (deepest == nil || len(m.steps) > len(deepest.steps)) {
			deepest = m
		}
	}
	if deepest != nil {
		return deepest
	}
	return &misfit{want: r, found: v}
}

// misfit is a MisfitError whose path is still being built, from its end.
type misfit struct {
	want  *Rule
	found Value
	key   bool // found is the name of a member of what the steps lead to
	steps []step
}

// step leads to a member of an object or to an element of an array.
type step struct {
	name   string
	member bool
	index  int
}

func (m *misfit) below(s step) *misfit {
	m.steps = append(m.steps, s)
	return m
}

// path is cut where it is too long for an error.
func (m *misfit) path() string {
	const longest = 500
	path := []byte{'$'}
	for i := len(m.steps) - 1; i >= 0; i-- {
		if len(path) > longest {
			return string(path[:longest]) + "..."
		}
		switch s := m.steps[i]; {
		case !s.member:
			path = append(strconv.AppendInt(append(path, '['), int64(s.index), 10), ']')
		case plainName(s.name):
			path = append(append(path, '.'), s.name...)
		default:
			path = AppendString(append(path, '.'), s.name)
		}
	}
	if len(path) > longest {
		return string(path[:longest]) + "..."
	}
	return string(path)
}

// plainName reports whether a name needs no quotes in a jsonpath.
func plainName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || i > 0 && '0' <= c && c <= '9') {
			return false
		}
	}
	return s != ""
}
