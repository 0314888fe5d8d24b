package format

import (
	"iter"
	"slices"
	"strconv"
)

// The package has its own JSON reader and writer because encoding/json cannot represent stored
// JSON. Python's json module writes NaN, Infinity and -Infinity, integers of any size, and lone
// surrogates as "\ud800". 1 and 1.0 are different values, the order of keys is significant, and
// hashes are computed from the exact bytes (COMPAT 1.3, 2.1).

// JSONKind is the kind of a JSON value. Integers and floats are different
// kinds, as they are in Python.
type JSONKind uint8

// The kinds of JSON values. The zero Value is null.
const (
	JSONNull JSONKind = iota
	JSONBool
	JSONInt
	JSONFloat
	JSONString
	JSONArray
	JSONObject
)

var jsonKindNames = [...]string{"null", "a boolean", "an integer", "a float", "a string", "an array", "an object"}

// String returns the name of the kind for error messages: "an integer".
func (k JSONKind) String() string { return jsonKindNames[k] }

// Value is an immutable JSON value.
type Value struct {
	kind    JSONKind
	boolean bool
	num     float64
	text    string   // string, or the digits of an integer
	names   []string // the distinct names of an object's members, in order of first appearance
	items   []Value  // elements, or the values of names
}

// Null is the JSON value null.
func Null() Value { return Value{} }

// Bool is true or false.
func Bool(b bool) Value { return Value{kind: JSONBool, boolean: b} }

// Int is an integer.
func Int(n int64) Value { return Value{kind: JSONInt, text: strconv.FormatInt(n, 10)} }

// Float is a float, NaN and the infinities included.
func Float(f float64) Value { return Value{kind: JSONFloat, num: f} }

// String is a string in UTF-8, except that a lone surrogate is stored as the three bytes that
// UTF-8 would give it.
func String(s string) Value { return Value{kind: JSONString, text: s} }

// Array is an array of its arguments.
func Array(items ...Value) Value { return Value{kind: JSONArray, items: items} }

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value Value
}

// Object is an object of its arguments. If a name is repeated, the last value replaces the first
// one at its position, as in Python.
func Object(members ...Member) Value {
	b := objectBuilder{}
	for _, m := range members {
		b.set(m.Name, m.Value)
	}
	return b.value()
}

// Kind is the kind of v.
func (v Value) Kind() JSONKind { return v.kind }

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.kind == JSONNull }

// Bool is the value of a JSONBool.
func (v Value) Bool() bool { return v.boolean }

// Text is the content of a JSONString (see String), or the digits of a JSONInt.
func (v Value) Text() string { return v.text }

// Float is the value of a JSONFloat.
func (v Value) Float() float64 { return v.num }

// Items returns the elements of a JSONArray. The caller must not change them.
func (v Value) Items() []Value {
	if v.kind != JSONArray {
		return nil
	}
	return v.items
}

// Names returns the names of a JSONObject's members in their order. The caller must not change
// them.
func (v Value) Names() []string { return v.names }

// Members returns the members of a JSONObject in their order. Calling Get for each name would take
// quadratic time.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for i, name := range v.names {
			if !yield(name, v.items[i]) {
				return
			}
		}
	}
}

// Get returns the value of a member. present is false if there is no such member.
func (v Value) Get(name string) (member Value, present bool) {
	if i := slices.Index(v.names, name); i >= 0 {
		return v.items[i], true
	}
	return Value{}, false
}

// objectBuilder collects members. Large objects use a map, so that hostile input does not take
// quadratic time.
type objectBuilder struct {
	names []string
	items []Value
	at    map[string]int
}

func (b *objectBuilder) set(name string, v Value) {
	if i := b.find(name); i >= 0 {
		b.items[i] = v
		return
	}
	if b.at != nil {
		b.at[name] = len(b.names)
	}
	b.names = append(b.names, name)
	b.items = append(b.items, v)
}

func (b *objectBuilder) find(name string) int {
	const few = 16
	if b.at == nil && len(b.names) < few {
		return slices.Index(b.names, name)
	}
	if b.at == nil {
		b.at = make(map[string]int, 2*few)
		for i, n := range b.names {
			b.at[n] = i
		}
	}
	if i, ok := b.at[name]; ok {
		return i
	}
	return -1
}

func (b *objectBuilder) value() Value {
	return Value{kind: JSONObject, names: b.names, items: b.items}
}
