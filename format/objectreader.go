package format

import (
	"encoding/json"
	"fmt"

	"github.com/ontosql/ontosql"
)

// objectReader reads the members of a JSON object of a stored object. It keeps the first error, with
// the object's key and the path of the field, and continues with zero values, so that a decoder
// is a list of fields and checks the error once.
type objectReader struct {
	key      string
	path     string // of the JSON object, with a dot at its end, or ""
	value    Value
	firstErr *error
}

// readObject parses a stored object, which must be a JSON object.
func readObject(key string, body []byte) (objectReader, error) {
	v, err := ParseJSON(body)
	if err != nil {
		return objectReader{}, &ontosql.CorruptError{Key: key, Err: err}
	}
	return newObjectReader(key, "", v)
}

func newObjectReader(key, path string, v Value) (objectReader, error) {
	if v.kind != JSONObject {
		return objectReader{}, ontosql.Corrupt(key, path, "expected an object, found %s", v.kind)
	}
	if path != "" {
		path += "."
	}
	return objectReader{key: key, path: path, value: v, firstErr: new(error)}, nil
}

func (f objectReader) err() error { return *f.firstErr }

func (f objectReader) fail(name, reason string, args ...any) {
	if *f.firstErr == nil {
		*f.firstErr = ontosql.Corrupt(f.key, f.path+name, reason, args...)
	}
}

// get returns a required member of the given kind.
func (f objectReader) get(name string, kind JSONKind) (Value, bool) {
	v, present := f.value.Get(name)
	switch {
	case !present:
		f.fail(name, "missing")
	case v.kind != kind:
		f.fail(name, "expected %s, found %s", kind, v.kind)
	default:
		return v, true
	}
	return Value{}, false
}

// has reports whether a member is present and not null.
func (f objectReader) has(name string) bool {
	v, present := f.value.Get(name)
	return present && v.kind != JSONNull
}

// integer returns an integer, which must be low or greater.
func (f objectReader) integer(name string, low int64) int64 {
	v, ok := f.get(name, JSONInt)
	if !ok {
		return 0
	}
	n, ok := v.Int64()
	if !ok || n < low {
		f.fail(name, "%s is out of range", v.text)
		return 0
	}
	return n
}

func (f objectReader) commit(name string, low ontosql.CommitID) ontosql.CommitID {
	return ontosql.CommitID(f.integer(name, int64(low)))
}

func (f objectReader) boolean(name string) bool {
	v, _ := f.get(name, JSONBool)
	return v.boolean
}

func (f objectReader) text(name string) string {
	v, _ := f.get(name, JSONString)
	return v.text
}

// optionalText returns a string, or "" if the field is missing or null.
func (f objectReader) optionalText(name string) string {
	if !f.has(name) {
		return ""
	}
	return f.text(name)
}

// textOrNil returns a string, or nil if the field is missing or null.
func (f objectReader) textOrNil(name string) *string {
	if !f.has(name) {
		return nil
	}
	s := f.text(name)
	return &s
}

func (f objectReader) time(name string) Time {
	v, ok := f.get(name, JSONString)
	if !ok {
		return Time{}
	}
	t, err := ParseTime(v.text)
	if err != nil {
		f.fail(name, "%w", err)
	}
	return t
}

// optionalTime returns a time, or the zero Time if the field is missing or null. It is used for times
// that are only informative.
func (f objectReader) optionalTime(name string) Time {
	if !f.has(name) {
		return Time{}
	}
	return f.time(name)
}

// oneOf returns a string, which must be one of the allowed ones.
func (f objectReader) oneOf(name string, allowed ...string) string {
	s := f.text(name)
	for _, w := range allowed {
		if s == w {
			return s
		}
	}
	f.fail(name, "%q is none of %q", s, allowed)
	return ""
}

// each calls read for every element of an array of objects.
func (f objectReader) each(name string, items []Value, read func(objectReader)) {
	for i, item := range items {
		f.nested(fmt.Sprintf("%s[%d]", name, i), item, read)
	}
}

// nested calls read for the member v, which must be an object. name is its path.
func (f objectReader) nested(name string, v Value, read func(objectReader)) {
	if v.kind != JSONObject {
		f.fail(name, "expected an object, found %s", v.kind)
		return
	}
	read(objectReader{key: f.key, path: f.path + name + ".", value: v, firstErr: f.firstErr})
}

// canonicalJSON returns the canonical JSON of a value.
func canonicalJSON(v Value) json.RawMessage { return v.Append(nil, Canonical) }

// parseMember parses the JSON text of a struct's field.
func parseMember(field string, text json.RawMessage) (Value, error) {
	v, err := ParseJSON(text)
	if err != nil {
		return Value{}, fmt.Errorf("%s: %w", field, err)
	}
	return v, nil
}

// encodeObject returns the canonical JSON of an object with the given members.
func encodeObject(members ...Member) []byte {
	return Object(members...).Append(nil, Canonical)
}

func textOrNull(s *string) Value {
	if s == nil {
		return Null()
	}
	return String(*s)
}
