package pgfunc

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

// jsonValue is a value of a document, which nobody changes once it has been read. A
// number keeps its spelling.
type jsonValue struct {
	kind  string // as jsonb_typeof names it
	text  string // of a string and a number
	truth bool
	items []*jsonValue // of an array, and the values of an object
	keys  []string
}

var jsonNull = &jsonValue{kind: "null"}

func jsonBool(b bool) *jsonValue { return &jsonValue{kind: "boolean", truth: b} }

func jsonString(s string) *jsonValue { return &jsonValue{kind: "string", text: s} }

func jsonNumber(s string) *jsonValue { return &jsonValue{kind: "number", text: s} }

var errTooDeep = pgerr.New(pgerr.StatementTooComplex, "json value is nested too deep")

// maxValues is of how many values a document may consist that is taken apart: each
// takes some hundred bytes.
const maxValues = 4 << 20

var errTooMany = pgerr.New(pgerr.ProgramLimitExceeded, "json document has more than %d values", maxValues)

// parseJSON reads a document. The error is errTooDeep for one that nests deeper than
// what can be stored, and errTooMany for one of too many values.
func parseJSON(s string) (*jsonValue, error) {
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

func (d *decoder) decode(depth int) (*jsonValue, error) {
	if d.values++; d.values > maxValues {
		return jsonNull, errTooMany
	}
	token, err := d.Token()
	if err != nil {
		return jsonNull, err
	}
	switch t := token.(type) {
	case json.Number:
		return jsonNumber(t.String()), nil
	case string:
		return jsonString(t), nil
	case bool:
		return jsonBool(t), nil
	case json.Delim:
		if depth == format.MaxDepth {
			return jsonNull, errTooDeep
		}
		v := &jsonValue{kind: "array"}
		if t == '{' {
			v.kind = "object"
		}
		for d.More() {
			if v.kind == "object" {
				key, err := d.Token()
				if err != nil {
					return jsonNull, err
				}
				name, _ := key.(string)
				v.keys = append(v.keys, name)
			}
			item, err := d.decode(depth + 1)
			if err != nil {
				return jsonNull, err
			}
			v.items = append(v.items, item)
		}
		_, err := d.Token()
		return v, err
	}
	return jsonNull, nil
}

// member is the value of a key, the last one of several.
func (v *jsonValue) member(key string) (*jsonValue, bool) {
	for i := len(v.keys) - 1; i >= 0; i-- {
		if v.keys[i] == key {
			return v.items[i], true
		}
	}
	return jsonNull, false
}

// sortMembers puts the members of each object into the order in which jsonb stores
// them, the last alone of those with one name.
func (v *jsonValue) sortMembers() {
	for _, item := range v.items {
		item.sortMembers()
	}
	if v.kind != "object" {
		return
	}
	last := make(map[string]*jsonValue, len(v.keys))
	for i, k := range v.keys {
		last[k] = v.items[i]
	}
	v.keys = slices.SortedFunc(maps.Keys(last), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	v.items = v.items[:0]
	for _, k := range v.keys {
		v.items = append(v.items, last[k])
	}
}

func (v *jsonValue) String() string {
	var s strings.Builder
	v.write(&s)
	return s.String()
}

func (v *jsonValue) write(s *strings.Builder) {
	switch v.kind {
	case "null":
		s.WriteString("null")
	case "number":
		s.WriteString(v.text)
	case "string":
		writeJSONString(s, v.text)
	case "boolean":
		if v.truth {
			s.WriteString("true")
		} else {
			s.WriteString("false")
		}
	default:
		open, end := "[", "]"
		if v.kind == "object" {
			open, end = "{", "}"
		}
		s.WriteString(open)
		for i := range v.items {
			if i > 0 {
				s.WriteByte(',')
			}
			if v.kind == "object" {
				writeJSONString(s, v.keys[i])
				s.WriteByte(':')
			}
			v.items[i].write(s)
		}
		s.WriteString(end)
	}
}

func writeJSONString(s *strings.Builder, text string) { s.Write(appendJSONString(nil, []byte(text))) }

// jsonFunctions work on documents, which are texts here.
var jsonFunctions = []fmgr.Function{
	{Name: "ontosql_json_strip_nulls", Args: []fmgr.Kind{fmgr.Text}, Result: fmgr.Text, New: fmgr.Stateless(func(a []fmgr.Value) (fmgr.Value, error) {
		v, err := parseJSON(a[0].Text)
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

func (v *jsonValue) withoutNulls() *jsonValue {
	out := &jsonValue{kind: v.kind, text: v.text, truth: v.truth}
	for i, item := range v.items {
		if v.kind == "object" {
			if item.kind == "null" {
				continue
			}
			out.keys = append(out.keys, v.keys[i])
		}
		out.items = append(out.items, item.withoutNulls())
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
