package format

import "strconv"

// Rule is the set of JSON values that a field's Python type accepts, read from its type_spec
// (COMPAT 1.2). It rejects values that the original could not load again. The original loads
// values with pydantic in lax mode, so that an int also accepts "3" and 1.0. If the type_spec
// does not say enough, the Rule accepts the value. This applies to the values of an enum, to
// user-defined classes, to missing keys of a TypedDict (NotRequired is not recorded) and to
// additional keys.
//
// A Rule is immutable and safe for concurrent use. The zero Rule accepts everything.
type Rule struct {
	shape  shape
	name   string           // TypedDict: its name
	item   *Rule            // list: the elements; dict: the values
	key    *Rule            // dict: the keys
	parts  []*Rule          // tuple: by position; union: the members, never unions themselves
	fields map[string]*Rule // TypedDict: by name
	values []Value          // Literal: the accepted values
}

// shape is the kind of type of a Rule.
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
	shapeLiteral // rules of this shape and of the following ones have parameters
	shapeList    // every sequence or set whose elements have one rule
	shapeTuple
	shapeDict
	shapeTypedDict
	shapeUnion
)

// MisfitError reports a value that its Rule does not accept.
type MisfitError struct {
	Path  string // the position in the value as a jsonpath of PostgreSQL: "$.geo.lat", "$[0]"
	Want  string // the expected type as Python writes it
	Found Value
}

func (e *MisfitError) Error() string {
	return e.Path + ": expected " + e.Want + ", found " + e.Found.kind.String()
}

// AdmitsAll reports whether the rule accepts every value.
func (r *Rule) AdmitsAll() bool { return r.shape == shapeAny }

// Check checks a value against the rule. The error is a *MisfitError.
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

// maxRepeats is the maximum number of parts of a value that one Check checks again. The members
// of a union after the first check a value again. With nested recursive types the number of
// checks doubles at each level.
const maxRepeats = 1 << 20

// ruleCheck is the state of one Check.
type ruleCheck struct {
	repeats int // enclosing unions of which a member after the first is being checked
	left    int // remaining part of maxRepeats
}

// check returns the part of v that r does not accept, nil if r accepts v.
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

// checkPart is check for a part of a value. It accepts the part if too many parts were repeated.
func (w *ruleCheck) checkPart(r *Rule, v Value) *misfit {
	if w.repeats > 0 {
		if w.left--; w.left < 0 {
			return nil
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
			continue // pydantic ignores additional keys
		}
		if m := w.checkPart(rule, v.items[i]); m != nil {
			return m.below(step{name: name, member: true})
		}
	}
	return nil
}

// union returns nil if a member accepts v. Otherwise it returns the mismatch that is deepest in
// v, because it belongs to the member that matches v best.
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

// misfit is a MisfitError whose path is being built, the last step first.
type misfit struct {
	want  *Rule
	found Value
	key   bool // found is the name of a member of the object at the path
	steps []step
}

// step selects a member of an object or an element of an array.
type step struct {
	name   string
	member bool
	index  int
}

func (m *misfit) below(s step) *misfit {
	m.steps = append(m.steps, s)
	return m
}

// path returns the path as a jsonpath. A long path is truncated.
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
