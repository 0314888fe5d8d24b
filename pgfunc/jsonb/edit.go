package jsonb

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// editFunctions change documents as PostgreSQL's functions of jsonb do (jsonfuncs.c).
// What is not changed stays as it is written.
var editFunctions = []fmgr.Function{
	{Name: "ontosql_jsonb_concat", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(concatenated(takeApart(a[0].Text), takeApart(a[1].Text))), nil
	})},
	{Name: "ontosql_jsonb_delete_key", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return withoutKeys(a[0].Text, map[string]bool{a[1].Text: true})
	})},
	{Name: "ontosql_jsonb_delete", Args: []fmgr.Kind{fmgr.Text, fmgr.Texts}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		keys := map[string]bool{}
		for _, key := range a[1].List {
			if !key.Null {
				keys[key.Text] = true
			}
		}
		return withoutKeys(a[0].Text, keys)
	})},
	{Name: "ontosql_jsonb_delete_index", Args: []fmgr.Kind{fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		d := takeApart(a[0].Text)
		switch d.kind {
		case 0:
			return fmgr.Null, fmgr.InvalidParameter("cannot delete from scalar")
		case '{':
			return fmgr.Null, fmgr.InvalidParameter("cannot delete from object using integer index")
		}
		d.deleteAt(int(a[1].Int))
		return fmgr.TextValue(d.String()), nil
	})},
	{Name: "ontosql_jsonb_delete_path", Args: []fmgr.Kind{fmgr.Text, fmgr.Texts}, Result: fmgr.Text, New: edited("delete", always, func(d *parts, key string, at int, _ []fmgr.Value) error {
		return d.deleteStep(key, at)
	})},
	// a document, a path, a value and whether it may be added
	{Name: "ontosql_jsonb_set", Args: []fmgr.Kind{fmgr.Text, fmgr.Texts, fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: edited("set", notAdded, func(d *parts, key string, at int, a []fmgr.Value) error {
		return d.set(key, at, a[2].Text, a[3].Int != 0)
	})},
	// a document, a path, a value and whether it comes behind
	{Name: "ontosql_jsonb_insert", Args: []fmgr.Kind{fmgr.Text, fmgr.Texts, fmgr.Text, fmgr.Int}, Result: fmgr.Text, New: edited("set", never, func(d *parts, key string, at int, a []fmgr.Value) error {
		return d.insert(key, at, a[2].Text, a[3].Int != 0)
	})},
	// a document, subscripts and a value: makes what is missing on the way, and fills
	// arrays with null
	{Name: "ontosql_jsonb_assign", Args: []fmgr.Kind{fmgr.Text, fmgr.Texts, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if slices.ContainsFunc(a[1].List, func(step fmgr.Value) bool { return step.Null }) {
			return fmgr.Null, pgerr.New("22004", "jsonb subscript in assignment must not be null")
		}
		doc, err := assigned(a[0].Text, true, a[1].List, 1, a[2].Text)
		return fmgr.TextValue(doc), err
	})},
}

// parts are the elements of a document: the members of an object, with their names, those
// of an array, or a scalar alone.
type parts struct {
	kind   byte // '{', '[' or 0 for a scalar
	names  []string
	values []string
}

func takeApart(doc string) *parts {
	doc = strings.Trim(doc, jsonBlanks)
	d := &parts{}
	var values []fmgr.Value
	switch {
	case strings.HasPrefix(doc, "{"):
		d.kind = '{'
		d.names, values = members(doc)
	case strings.HasPrefix(doc, "["):
		d.kind = '['
		values = elements(doc)
	default:
		values = []fmgr.Value{fmgr.TextValue(doc)}
	}
	for _, v := range values {
		d.values = append(d.values, v.Text)
	}
	return d
}

func (d *parts) String() string {
	if d.kind == 0 {
		return d.values[0]
	}
	size := 2
	for i, v := range d.values {
		size += len(v) + 1
		if d.kind == '{' {
			size += len(d.names[i]) + 3
		}
	}
	out := append(make([]byte, 0, size), d.kind)
	for i, v := range d.values {
		if i > 0 {
			out = append(out, ',')
		}
		if d.kind == '{' {
			out = append(appendJSONString(out, []byte(d.names[i])), ':')
		}
		out = append(out, v...)
	}
	return string(append(out, d.kind+2)) // } and ] come two behind { and [
}

// concatenated is a || b. A value that is not an array counts as an array of itself, except that two objects are
// merged.
func concatenated(a, b *parts) string {
	if a.kind == '{' && b.kind == '{' {
		later := map[string]bool{}
		for _, name := range b.names {
			later[name] = true
		}
		a.delete(later)
		a.names, a.values = append(a.names, b.names...), append(a.values, b.values...)
		return a.String()
	}
	both := parts{kind: '['}
	for _, d := range []*parts{a, b} {
		if d.kind == '[' {
			both.values = append(both.values, d.values...)
		} else {
			both.values = append(both.values, d.String())
		}
	}
	return both.String()
}

func withoutKeys(doc string, keys map[string]bool) (fmgr.Value, error) {
	d := takeApart(doc)
	if d.kind == 0 {
		return fmgr.Null, fmgr.InvalidParameter("cannot delete from scalar")
	}
	d.delete(keys)
	return fmgr.TextValue(d.String()), nil
}

// put gives a member of an object a value.
func (d *parts) put(name, value string) {
	if at := d.named(name); at >= 0 {
		d.values[at] = value
		return
	}
	d.names, d.values = append(d.names, name), append(d.values, value)
}

// named is the index of the last member of this name; -1 if the object has none.
func (d *parts) named(name string) int {
	for i := len(d.names) - 1; i >= 0; i-- {
		if d.names[i] == name {
			return i
		}
	}
	return -1
}

// delete takes away the members of some names, or the texts of an array that are among
// them.
func (d *parts) delete(keys map[string]bool) {
	left := parts{kind: d.kind}
	for i, v := range d.values {
		switch {
		case d.kind == '{' && keys[d.names[i]]:
			continue
		case d.kind == '{':
			left.names = append(left.names, d.names[i])
		case strings.HasPrefix(v, `"`) && keys[string(appendUnescaped(nil, []byte(v[1:len(v)-1])))]:
			continue
		}
		left.values = append(left.values, v)
	}
	*d = left
}

func (d *parts) deleteAt(place int) {
	if place = d.fromStart(place); place >= 0 && place < len(d.values) {
		d.values = slices.Delete(d.values, place, place+1)
	}
}

// fromStart is a place that counts from the end if it is negative.
func (d *parts) fromStart(place int) int {
	if place < 0 {
		place += len(d.values)
	}
	return place
}

var indexText = regexp.MustCompile(`^\s*[+-]?[0-9]+\s*$`)

// index reads a step of a path as the place of an element.
func index(step string) (n int, ok bool) {
	if !indexText.MatchString(step) {
		return 0, false
	}
	i, err := strconv.ParseInt(strings.TrimSpace(step), 10, 32)
	return int(i), err == nil
}

// place is that of the element of an array that a step at a level says.
func (d *parts) place(step string, level int) (int, error) {
	n, ok := index(step)
	if !ok {
		return 0, pgerr.New(pgerr.InvalidTextRepresentation, "path element at position %d is not an integer: \"%s\"", level, step)
	}
	return n, nil
}

// child is the place of what a step at a level leads to; -1 if there is nothing.
func (d *parts) child(step string, level int) (int, error) {
	switch d.kind {
	case '{':
		return d.named(step), nil
	case '[':
		n, err := d.place(step, level)
		if n = d.fromStart(n); err != nil || n < 0 || n >= len(d.values) {
			return -1, err
		}
		return n, nil
	}
	return -1, nil
}

// The cases in which an empty document does not change, for any path.
func always([]fmgr.Value) bool     { return true }
func notAdded(a []fmgr.Value) bool { return a[3].Int == 0 }
func never([]fmgr.Value) bool      { return false }

// edited is the call of a function that goes down a path and changes by its last step the
// document that it finds there. verb is for the error of a scalar.
func edited(verb string, leftEmpty func(a []fmgr.Value) bool, last func(d *parts, step string, level int, a []fmgr.Value) error) func() fmgr.Call {
	return fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		d := takeApart(a[0].Text)
		path := a[1].List
		switch {
		case d.kind == 0:
			return fmgr.Null, fmgr.InvalidParameter("cannot %s path in scalar", verb)
		case len(path) == 0, len(d.values) == 0 && leftEmpty(a):
			return a[0], nil
		}
		way := []*parts{d}
		var places []int
		for i, step := range path {
			if step.Null {
				return fmgr.Null, pgerr.New("22004", "path element at position %d is null", i+1)
			}
			d = way[i]
			if i == len(path)-1 {
				break
			}
			at, err := d.child(step.Text, i+1)
			if err != nil || at < 0 {
				return a[0], err
			}
			places, way = append(places, at), append(way, takeApart(d.values[at]))
		}
		if err := last(d, path[len(path)-1].Text, len(path), a); err != nil {
			return fmgr.Null, err
		}
		for i := len(places) - 1; i >= 0; i-- {
			way[i].values[places[i]] = way[i+1].String()
		}
		return fmgr.TextValue(way[0].String()), nil
	})
}

func (d *parts) deleteStep(step string, level int) error {
	switch d.kind {
	case '{':
		d.delete(map[string]bool{step: true})
	case '[':
		n, err := d.place(step, level)
		if err != nil {
			return err
		}
		d.deleteAt(n)
	}
	return nil
}

// set replaces the value at a step, or adds it if it may be missing: at the front of an array
// for an index before its first element, else at its end.
func (d *parts) set(step string, level int, value string, missing bool) error {
	switch d.kind {
	case '{':
		if missing || d.named(step) >= 0 {
			d.put(step, value)
		}
	case '[':
		n, err := d.place(step, level)
		if err != nil {
			return err
		}
		switch n = d.fromStart(n); {
		case n >= 0 && n < len(d.values):
			d.values[n] = value
		case missing && n < 0:
			d.values = slices.Insert(d.values, 0, value)
		case missing:
			d.values = append(d.values, value)
		}
	}
	return nil
}

// insert adds a value before or after the element at a step.
func (d *parts) insert(step string, level int, value string, behind bool) error {
	switch d.kind {
	case '{':
		if d.named(step) >= 0 {
			return pgerr.New(pgerr.InvalidParameterValue, "cannot replace existing key").WithHint("Try using the function jsonb_set to replace key value.")
		}
		d.put(step, value)
	case '[':
		n, err := d.place(step, level)
		if err != nil {
			return err
		}
		n = d.fromStart(n)
		if behind && n >= 0 {
			n++
		}
		d.values = slices.Insert(d.values, min(max(n, 0), len(d.values)), value)
	}
	return nil
}

// assigned is a document, if it is there, with a value put where subscripts lead, the
// first of which is at a level.
func assigned(doc string, there bool, path []fmgr.Value, level int, value string) (string, error) {
	if len(path) == 0 {
		return value, nil
	}
	step := path[0].Text
	d := &parts{kind: '{'}
	switch _, isIndex := index(step); {
	case there:
		d = takeApart(doc)
	case isIndex:
		d.kind = '['
	}
	if d.kind == 0 {
		return "", pgerr.New(pgerr.InvalidParameterValue, "cannot replace existing key").
			WithDetail("The path assumes key is a composite object, but it is a scalar value.")
	}
	at, err := d.child(step, level)
	if err != nil {
		return "", err
	}
	var below string
	if at >= 0 {
		below = d.values[at]
	}
	if value, err = assigned(below, at >= 0, path[1:], level+1, value); err != nil {
		return "", err
	}
	switch {
	case d.kind == '{':
		d.put(step, value)
	case at >= 0:
		d.values[at] = value
	default:
		n, _ := index(step)
		if n < 0 && there {
			return "", fmgr.InvalidParameter("path element at position %d is out of range: %d", level, n)
		}
		if n > MaxValues {
			return "", errTooMany
		}
		for len(d.values) < n {
			d.values = append(d.values, "null")
		}
		d.values = append(d.values, value)
	}
	return d.String(), nil
}
