package format

import (
	"encoding/json"
	"fmt"

	"github.com/ontosql/ontosql"
)

// Types is meta/schema/types.json, the list of known types.
type Types struct {
	Entities  []string `json:"entities"`
	Relations []string `json:"relations"`
	UpdatedAt Time     `json:"updated_at"`
}

// DecodeTypes reads the list of types. A list that is missing or not a list of names is nil; an
// empty list is not nil. Readers treat both alike. For a check of the store, nil is damage (COMPAT
// 3.5).
func DecodeTypes(key string, body []byte) (*Types, error) {
	f, err := readObjectLeniently(key, body)
	if err != nil {
		return nil, err
	}
	t := &Types{
		Entities:  f.lenientNames("entities"),
		Relations: f.lenientNames("relations"),
		UpdatedAt: f.lenientTime("updated_at"),
	}
	return t, nil
}

func (f objectReader) lenientNames(name string) []string {
	v, _ := f.value.Get(name)
	if v.kind != JSONArray {
		return nil
	}
	names := make([]string, len(v.items))
	for i, item := range v.items {
		if item.kind != JSONString {
			return nil
		}
		names[i] = item.text
	}
	return names
}

// EncodeTypes writes the list of types with the names in the given order. nil is written as an
// empty list.
func EncodeTypes(t *Types) []byte {
	return encodeObject(
		Member{"entities", texts(t.Entities)},
		Member{"relations", texts(t.Relations)},
		Member{"updated_at", String(t.UpdatedAt.String())},
	)
}

func texts(list []string) Value {
	items := make([]Value, len(list))
	for i, s := range list {
		items[i] = String(s)
	}
	return Array(items...)
}

// Registry is meta/schema/registry.json: the current schema of each type by name, as canonical
// JSON.
type Registry struct {
	Entity    map[string]json.RawMessage `json:"entity"`
	Relation  map[string]json.RawMessage `json:"relation"`
	UpdatedAt Time                       `json:"updated_at"`
}

// DecodeRegistry reads the registry. A section that is missing or of the wrong
// shape is empty (COMPAT 3.5).
func DecodeRegistry(key string, body []byte) (*Registry, error) {
	f, err := readObjectLeniently(key, body)
	if err != nil {
		return nil, err
	}
	r := &Registry{
		Entity:    map[string]json.RawMessage{},
		Relation:  map[string]json.RawMessage{},
		UpdatedAt: f.lenientTime("updated_at"),
	}
	f.section("entity", func(name string, v Value) { r.Entity[name] = canonicalJSON(v) })
	f.section("relation", func(name string, v Value) { r.Relation[name] = canonicalJSON(v) })
	return r, nil
}

// EncodeRegistry writes the registry. It fails only if a schema is not JSON.
func EncodeRegistry(r *Registry) ([]byte, error) {
	entity, err := schemas(r.Entity)
	if err != nil {
		return nil, fmt.Errorf("encode registry: entity %w", err)
	}
	relation, err := schemas(r.Relation)
	if err != nil {
		return nil, fmt.Errorf("encode registry: relation %w", err)
	}
	return encodeObject(
		Member{"entity", entity},
		Member{"relation", relation},
		Member{"updated_at", String(r.UpdatedAt.String())},
	), nil
}

func schemas(section map[string]json.RawMessage) (Value, error) {
	members := make([]Member, 0, len(section))
	for name, text := range section {
		v, err := parseMember(name, text)
		if err != nil {
			return Value{}, err
		}
		members = append(members, Member{name, v})
	}
	return Object(members...), nil
}

// Dropped is meta/schema/dropped.json, absent until the first migration or drop.
type Dropped struct {
	Entity    map[string]DroppedType `json:"entity"`
	Relation  map[string]DroppedType `json:"relation"`
	UpdatedAt Time                   `json:"updated_at"`
}

// DroppedType is the mark of a dropped type. Purged is only a flag; nothing is removed (COMPAT
// 3.7).
type DroppedType struct {
	CommitID  ontosql.CommitID `json:"commit_id"`
	Purged    bool             `json:"purged"`
	UpdatedAt Time             `json:"updated_at"`
}

// DecodeDropped reads the marks of dropped types. A section that is missing or
// of the wrong shape is empty (COMPAT 3.5); a mark of the wrong shape is an error.
func DecodeDropped(key string, body []byte) (*Dropped, error) {
	f, err := readObjectLeniently(key, body)
	if err != nil {
		return nil, err
	}
	d := &Dropped{
		Entity:    map[string]DroppedType{},
		Relation:  map[string]DroppedType{},
		UpdatedAt: f.lenientTime("updated_at"),
	}
	f.section("entity", func(name string, v Value) { d.Entity[name] = f.dropped("entity", name, v) })
	f.section("relation", func(name string, v Value) { d.Relation[name] = f.dropped("relation", name, v) })
	if f.err() != nil {
		return nil, f.err()
	}
	return d, nil
}

func (f objectReader) dropped(section, name string, v Value) DroppedType {
	var mark DroppedType
	f.nested(section+"."+name, v, func(e objectReader) {
		mark = DroppedType{CommitID: e.commit("commit_id", 0), UpdatedAt: e.optionalTime("updated_at")}
		if e.has("purged") {
			mark.Purged = e.boolean("purged")
		}
	})
	return mark
}

// EncodeDropped writes the marks of dropped types. It always writes both sections.
func EncodeDropped(d *Dropped) []byte {
	return encodeObject(
		Member{"entity", marks(d.Entity)},
		Member{"relation", marks(d.Relation)},
		Member{"updated_at", String(d.UpdatedAt.String())},
	)
}

func marks(section map[string]DroppedType) Value {
	members := make([]Member, 0, len(section))
	for name, t := range section {
		members = append(members, Member{name, Object(
			Member{"commit_id", Int(int64(t.CommitID))},
			Member{"purged", Bool(t.Purged)},
			Member{"updated_at", String(t.UpdatedAt.String())},
		)})
	}
	return Object(members...)
}

// section calls visit for the members of an object. It does nothing if the object is missing or of
// another kind.
func (f objectReader) section(name string, visit func(name string, v Value)) {
	v, _ := f.value.Get(name)
	for i, member := range v.names {
		visit(member, v.items[i])
	}
}

// optionalItems returns the elements of an array, none if it is missing or of another kind.
func (f objectReader) optionalItems(name string) []Value {
	v, _ := f.value.Get(name)
	return v.Items()
}

// readObjectLeniently is readObject for objects that the original treats as empty if they have the
// wrong shape.
func readObjectLeniently(key string, body []byte) (objectReader, error) {
	v, err := ParseJSON(body)
	if err != nil {
		return objectReader{}, &ontosql.CorruptError{Key: key, Err: err}
	}
	if v.kind != JSONObject {
		v = Object()
	}
	return newObjectReader(key, "", v)
}
