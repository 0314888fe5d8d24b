package jsonb

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// Value is a value of a document. It is immutable after parsing. A number keeps its spelling.
type Value struct {
	Kind  string // as jsonb_typeof names it
	Text  string // of a string and a number
	Truth bool
	Items []*Value // of an array, and the values of an object
	Keys  []string
}

// Null is the JSON null.
var Null = &Value{Kind: "null"}

// Bool is a JSON boolean.
func Bool(b bool) *Value { return &Value{Kind: "boolean", Truth: b} }

// String is a JSON string.
func String(s string) *Value { return &Value{Kind: "string", Text: s} }

// Number is a JSON number in the spelling s.
func Number(s string) *Value { return &Value{Kind: "number", Text: s} }

var errTooDeep = pgerr.New(pgerr.StatementTooComplex, "json value is nested too deep")

// MaxValues is of how many values a document may consist that is taken apart: each
// takes some hundred bytes.
const MaxValues = 4 << 20

var errTooMany = pgerr.New(pgerr.ProgramLimitExceeded, "json document has more than %d values", MaxValues)

// Parse reads a document. The error is errTooDeep for one that nests deeper than
// what can be stored, and errTooMany for one of too many values.
func Parse(s string) (*Value, error) {
	d := decoder{Decoder: json.NewDecoder(strings.NewReader(s))}
	d.UseNumber()
	v, err := d.decode(0)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = io.ErrUnexpectedEOF
		}
	}
	switch {
	case errors.Is(err, errTooDeep), errors.Is(err, errTooMany):
		return v, err
	case err != nil:
		return v, pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type json")
	}
	return v, nil
}

type decoder struct {
	*json.Decoder
	values int // so far
}

func (d *decoder) decode(depth int) (*Value, error) {
	if d.values++; d.values > MaxValues {
		return Null, errTooMany
	}
	token, err := d.Token()
	if err != nil {
		return Null, err
	}
	switch t := token.(type) {
	case json.Number:
		return Number(t.String()), nil
	case string:
		return String(t), nil
	case bool:
		return Bool(t), nil
	case json.Delim:
		if depth == format.MaxDepth {
			return Null, errTooDeep
		}
		v := &Value{Kind: "array"}
		if t == '{' {
			v.Kind = "object"
		}
		for d.More() {
			if v.Kind == "object" {
				key, err := d.Token()
				if err != nil {
					return Null, err
				}
				name, _ := key.(string)
				v.Keys = append(v.Keys, name)
			}
			item, err := d.decode(depth + 1)
			if err != nil {
				return Null, err
			}
			v.Items = append(v.Items, item)
		}
		_, err := d.Token()
		return v, err
	}
	return Null, nil
}

// Member is the value of a key, the last one of several.
func (v *Value) Member(key string) (*Value, bool) {
	for i := len(v.Keys) - 1; i >= 0; i-- {
		if v.Keys[i] == key {
			return v.Items[i], true
		}
	}
	return Null, false
}

// SortMembers puts the members of each object into the order in which jsonb stores
// them, the last alone of those with one name.
func (v *Value) SortMembers() {
	for _, item := range v.Items {
		item.SortMembers()
	}
	if v.Kind != "object" {
		return
	}
	last := make(map[string]*Value, len(v.Keys))
	for i, k := range v.Keys {
		last[k] = v.Items[i]
	}
	v.Keys = slices.SortedFunc(maps.Keys(last), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	v.Items = v.Items[:0]
	for _, k := range v.Keys {
		v.Items = append(v.Items, last[k])
	}
}

// String prints a document without blanks.
func (v *Value) String() string {
	var s strings.Builder
	v.write(&s)
	return s.String()
}

func (v *Value) write(s *strings.Builder) {
	switch v.Kind {
	case "null":
		s.WriteString("null")
	case "number":
		s.WriteString(v.Text)
	case "string":
		writeJSONString(s, v.Text)
	case "boolean":
		if v.Truth {
			s.WriteString("true")
		} else {
			s.WriteString("false")
		}
	default:
		open, end := "[", "]"
		if v.Kind == "object" {
			open, end = "{", "}"
		}
		s.WriteString(open)
		for i := range v.Items {
			if i > 0 {
				s.WriteByte(',')
			}
			if v.Kind == "object" {
				writeJSONString(s, v.Keys[i])
				s.WriteByte(':')
			}
			v.Items[i].write(s)
		}
		s.WriteString(end)
	}
}

func writeJSONString(s *strings.Builder, text string) { s.Write(appendJSONString(nil, []byte(text))) }

// jsonFunctions work on documents, which are texts here.
var jsonFunctions = []fmgr.Function{
	{Name: "ontosql_json_strip_nulls", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		v, err := Parse(a[0].Text)
		if err != nil {
			return fmgr.Null, err
		}
		return fmgr.TextValue(v.withoutNulls().String()), nil
	})},
	// The names and texts of an object, one after the other.
	{Name: "ontosql_json_object", Args: []fmgr.Kind{fmgr.Texts}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		if len(a[0].List)%2 != 0 {
			return fmgr.Null, pgerr.New("2202E", "array must have even number of elements")
		}
		var keys, values []fmgr.Value
		for i := 0; i < len(a[0].List); i += 2 {
			keys, values = append(keys, a[0].List[i]), append(values, a[0].List[i+1])
		}
		return objectOf(keys, values)
	})},
	{Name: "ontosql_json_object_pairs", Args: []fmgr.Kind{fmgr.Texts, fmgr.Texts}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return objectOf(a[0].List, a[1].List)
	})},
	// an object in canonical form, and what stands for a value that is none of PostgreSQL's
	{Name: "ontosql_readable_json", Args: []fmgr.Kind{fmgr.Text, fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.TextValue(string(format.ReadableJSON(nil, []byte(a[0].Text), a[1].Text))), nil
	})},
	// an object, and the names of members, each followed by its new name, "" to leave it out
	{Name: "ontosql_rename_members", Args: []fmgr.Kind{fmgr.Text, fmgr.Texts}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		names := make([][2]string, len(a[1].List)/2)
		for i := range names {
			names[i] = [2]string{a[1].List[2*i].Text, a[1].List[2*i+1].Text}
		}
		return fmgr.TextValue(string(format.RenameMembers([]byte(a[0].Text), names, format.Canonical))), nil
	})},
	// 1 for a document that is not nested too deep to be gone into
	{Name: "ontosql_json_shallow", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Int, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		return fmgr.BoolValue(nesting(a[0].Text) <= format.MaxDepth), nil
	})},
}

// nesting is how deep the arrays and objects of a document nest.
func nesting(doc string) int {
	depth, deepest := 0, 0
	for at := 0; at < len(doc); at++ {
		switch doc[at] {
		case '"':
			for at++; at < len(doc) && doc[at] != '"'; at++ {
				if doc[at] == '\\' {
					at++
				}
			}
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth--
		}
	}
	return deepest
}

func (v *Value) withoutNulls() *Value {
	out := &Value{Kind: v.Kind, Text: v.Text, Truth: v.Truth}
	for i, item := range v.Items {
		if v.Kind == "object" {
			if item.Kind == "null" {
				continue
			}
			out.Keys = append(out.Keys, v.Keys[i])
		}
		out.Items = append(out.Items, item.withoutNulls())
	}
	return out
}

// objectOf writes an object with the blanks that json_object has.
func objectOf(keys, values []fmgr.Value) (fmgr.Value, error) {
	if len(keys) != len(values) {
		return fmgr.Null, pgerr.New("2202E", "mismatched array dimensions")
	}
	var out strings.Builder
	out.WriteByte('{')
	for i, k := range keys {
		if k.Null {
			return fmgr.Null, pgerr.New("22004", "null value not allowed for object key")
		}
		if i > 0 {
			out.WriteString(", ")
		}
		writeJSONString(&out, k.Text)
		out.WriteString(" : ")
		if values[i].Null {
			out.WriteString("null")
		} else {
			writeJSONString(&out, values[i].Text)
		}
	}
	return fmgr.TextValue(out.String() + "}"), nil
}
