package nameservice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// Members are the members of a stored JSON object: a record, or the part of one that a file of a
// layout has. What is not known to this program is kept.
type Members map[string]json.RawMessage

// attributes are the 16 attributes in the order of the seed.
var attributes = [...]string{
	"pk", "v", "type", "name", "branch", "deps", "created_at", "retracted",
	"head_v", "head", "index_v", "index", "status_v", "status", "config_v", "config",
}

// ParseMembers reads a stored object. The error is a *ontosql.CorruptError that names key.
func ParseMembers(key string, body []byte) (Members, error) {
	var m Members
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, &ontosql.CorruptError{Key: key, Err: err}
	}
	if m == nil {
		return nil, ontosql.Corrupt(key, "", "null is no record")
	}
	return m, nil
}

// Set writes a concern.
func (m Members) Set(c Concern, v Value) {
	m[c.Watermark()] = strconv.AppendInt(nil, v.V, 10)
	m[c.String()] = orNull(v.Payload)
}

// SetRetracted writes the mark of a record that was taken out of service.
func (m Members) SetRetracted(retracted bool) { m["retracted"] = strconv.AppendBool(nil, retracted) }

// Encode returns the object as indented JSON, the attributes first, in the order of the seed.
func (m Members) Encode() []byte {
	var b bytes.Buffer
	_ = json.Indent(&b, m.append(nil), "", "  ") // the members are valid JSON
	b.WriteByte('\n')
	return b.Bytes()
}

func (m Members) append(dst []byte) []byte {
	names := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	dst = append(dst, '{')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(format.AppendString(dst, name), ':')
		dst = append(dst, m[name]...)
	}
	return append(dst, '}')
}

// rank is the position of an attribute; other members come last.
func rank(name string) int {
	if i := slices.Index(attributes[:], name); i >= 0 {
		return i
	}
	return len(attributes)
}

func orNull(payload json.RawMessage) json.RawMessage {
	if isNull(payload) {
		return json.RawMessage("null")
	}
	return payload
}

// Record reads a record. A missing index or config is unborn, a missing status is a value 0. An
// object of version 1 is mapped first (Upgrade). The error is a *ontosql.CorruptError that names key.
func (m Members) Record(key string) (*Record, error) {
	m = maps.Clone(m)
	r := &Record{Legacy: m.Legacy()}
	if err := m.Upgrade(key); err != nil {
		return nil, err
	}
	d := memberReader{key: key, members: m}
	var v int64
	var pk, name, branch string
	d.read("pk", &pk)
	d.read("v", &v)
	d.read("type", &r.Type)
	d.read("name", &name)
	d.read("branch", &branch)
	d.read("deps", &r.Deps)
	d.read("created_at", &r.CreatedAt)
	d.read("retracted", &r.Retracted)
	for _, c := range Concerns {
		d.value(c, r.at(c))
	}
	if d.err != nil {
		return nil, d.err
	}
	if v != SchemaVersion {
		return nil, ontosql.Corrupt(key, "v", "schema version %d is not known to this program", v)
	}
	var err error
	if r.Alias, err = ParseAlias(pk); err != nil || r.Alias.String() != pk {
		return nil, &ontosql.CorruptError{Key: key, Field: "pk", Err: cmpErr(err, fmt.Errorf("%q is no alias", pk))}
	}
	if name != r.Name || branch != r.Branch {
		return nil, ontosql.Corrupt(key, "pk", "%q is not the alias of name %q and branch %q", pk, name, branch)
	}
	if err := checkType(r.Alias, r.Type); err != nil {
		return nil, &ontosql.CorruptError{Key: key, Field: "type", Err: err}
	}
	for n, value := range m {
		if rank(n) == len(attributes) {
			if r.Extra == nil {
				r.Extra = map[string]json.RawMessage{}
			}
			r.Extra[n] = compact(value)
		}
	}
	return r, nil
}

func cmpErr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// memberReader reads members and remembers the first error.
type memberReader struct {
	key     string
	members Members
	err     error
}

// read decodes a member; one that is missing or null leaves to unchanged.
func (d *memberReader) read(name string, to any) {
	raw := d.members[name]
	if d.err != nil || isNull(raw) {
		return
	}
	if err := json.Unmarshal(raw, to); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			err = fmt.Errorf("is a JSON %s", wrong.Value)
		}
		d.err = &ontosql.CorruptError{Key: d.key, Field: name, Err: err}
	}
}

func (d *memberReader) value(c Concern, to *Value) {
	d.read(c.Watermark(), &to.V)
	payload := compact(d.members[c.String()])
	switch {
	case d.err != nil:
	case to.V < 0:
		d.err = ontosql.Corrupt(d.key, c.Watermark(), "%d is negative", to.V)
	case payload != nil && payload[0] != '{':
		d.err = ontosql.Corrupt(d.key, c.String(), "is neither an object nor null")
	}
	to.Payload = payload
}

// Value reads one concern. The error is a *ontosql.CorruptError that names key.
func (m Members) Value(key string, c Concern) (v Value, err error) {
	d := memberReader{key: key, members: m}
	d.value(c, &v)
	return v, d.err
}

// PK reads the alias. The error is a *ontosql.CorruptError that names key.
func (m Members) PK(key string) (pk string, err error) {
	d := memberReader{key: key, members: m}
	d.read("pk", &pk)
	return pk, d.err
}

// Retracted reads the mark of a record that was taken out of service. The error is a
// *ontosql.CorruptError that names key.
func (m Members) Retracted(key string) (retracted bool, err error) {
	d := memberReader{key: key, members: m}
	d.read("retracted", &retracted)
	return retracted, d.err
}

// DecodeRecord reads a record from JSON, of version 2 or 1. The error is a *ontosql.CorruptError that
// names key.
func DecodeRecord(key string, body []byte) (*Record, error) {
	m, err := ParseMembers(key, body)
	if err != nil {
		return nil, err
	}
	return m.Record(key)
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Record) UnmarshalJSON(body []byte) error {
	read, err := DecodeRecord("record", body)
	if err != nil {
		return err
	}
	*r = *read
	return nil
}

// MarshalJSON implements json.Marshaler. It writes the 16 attributes, in the order of the seed, and
// the extra members.
func (r *Record) MarshalJSON() ([]byte, error) { return r.Members().append(nil), nil }

// Members returns the record as the members of a JSON object.
func (r *Record) Members() Members {
	m := Members{
		"pk":         quoted(r.Alias.String()),
		"v":          json.RawMessage(strconv.Itoa(SchemaVersion)),
		"type":       quoted(r.Type),
		"name":       quoted(r.Name),
		"branch":     quoted(r.Branch),
		"deps":       json.RawMessage("null"),
		"created_at": strconv.AppendInt(nil, r.CreatedAt, 10),
	}
	if r.Deps != nil {
		deps := make([]format.Value, len(r.Deps))
		for i, d := range r.Deps {
			deps[i] = format.String(d)
		}
		m["deps"] = format.Array(deps...).Append(nil, format.Canonical)
	}
	m.SetRetracted(r.Retracted)
	for _, c := range Concerns {
		m.Set(c, r.Value(c))
	}
	for name, value := range r.Extra {
		m[name] = orNull(value)
	}
	return m
}

func quoted(s string) json.RawMessage { return format.AppendString(nil, s) }
