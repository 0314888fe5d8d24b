package migration

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// instanceKeyField is the name under which a Diff has a changed instance key.
const instanceKeyField = "__instance_key_field__"

// Diff is what a schema says otherwise than the stored one of its type (COMPAT
// 1.5). A relation type that links other types than before has a Diff with
// nothing in it.
type Diff struct {
	Type    ontosql.TypeRef
	Stored  int64 // id of the stored schema version
	Added   []string
	Removed []string
	Changed map[string]FieldChange // by field
}

// FieldChange is a field that both schemas have: its JSON in each, or a string
// or null for a relation's instance key.
type FieldChange struct {
	Stored, Code json.RawMessage
}

// Diffs compares schemas with the types of the same names: one Diff for each
// whose hash differs from the stored one, in the order of TypeRef.Compare. Types
// that the State has not are new and differ from nothing. The error is that of a
// stored schema that cannot be read.
func (s *State) Diffs(schemas []format.Schema) ([]Diff, error) {
	var diffs []Diff
	for i := range schemas {
		ref := schemas[i].Ref
		stored, exists := s.Types[ref]
		if !exists {
			continue
		}
		code := format.EncodeSchema(&schemas[i])
		hash, err := format.SchemaHash(code)
		if err != nil {
			return nil, fmt.Errorf("compare %s: %w", ref, err)
		}
		if was, err := s.hash(ref); err == nil && was == hash {
			continue
		}
		d := Diff{Type: ref, Stored: s.Version(ref)}
		if err := d.compare(stored, code); err != nil {
			return nil, fmt.Errorf("compare %s: %w", ref, err)
		}
		diffs = append(diffs, d)
	}
	slices.SortFunc(diffs, func(a, b Diff) int { return a.Type.Compare(b.Type) })
	return diffs, nil
}

// Additions are the schemas of types that the State has not, each as what it says
// otherwise than nothing: a Diff from version 0 that adds all its fields. They are
// in the order of TypeRef.Compare.
func (s *State) Additions(schemas []format.Schema) []Diff {
	var diffs []Diff
	for i := range schemas {
		if _, exists := s.Types[schemas[i].Ref]; exists {
			continue
		}
		d := Diff{Type: schemas[i].Ref}
		for _, f := range schemas[i].Fields {
			d.Added = append(d.Added, f.Name)
		}
		slices.Sort(d.Added)
		diffs = append(diffs, d)
	}
	slices.SortFunc(diffs, func(a, b Diff) int { return a.Type.Compare(b.Type) })
	return diffs
}

// hash is the stored hash of a type's schema, which is never recomputed where
// there is one.
func (s *State) hash(ref ontosql.TypeRef) (string, error) {
	if n := len(s.Versions[ref]); n > 0 {
		return s.Versions[ref][n-1].SchemaHash, nil
	}
	return format.SchemaHash(s.Types[ref])
}

func (d *Diff) compare(stored, code json.RawMessage) error {
	was, err := format.ParseJSON(stored)
	if err != nil {
		return err
	}
	is, err := format.ParseJSON(code)
	if err != nil {
		return err
	}
	old, _ := was.Get("fields")
	fresh, _ := is.Get("fields")
	d.Changed = map[string]FieldChange{}
	for name, field := range fresh.Members() {
		before, there := old.Get(name)
		if !there {
			d.Added = append(d.Added, name)
		} else if !before.Equal(field) {
			d.changed(name, before, field)
		}
	}
	for name := range old.Members() {
		if _, there := fresh.Get(name); !there {
			d.Removed = append(d.Removed, name)
		}
	}
	before, _ := was.Get("instance_key_field")
	after, _ := is.Get("instance_key_field")
	if !before.Equal(after) {
		d.changed(instanceKeyField, before, after)
	}
	slices.Sort(d.Added)
	slices.Sort(d.Removed)
	return nil
}

func (d *Diff) changed(name string, stored, code format.Value) {
	d.Changed[name] = FieldChange{Stored: stored.Append(nil, format.Canonical), Code: code.Append(nil, format.Canonical)}
}

// MarshalJSON writes the object that the original prints and takes the hash of a
// plan of.
func (d Diff) MarshalJSON() ([]byte, error) {
	v, err := d.value()
	if err != nil {
		return nil, err
	}
	return v.Append(nil, format.Canonical), nil
}

func (d *Diff) value() (format.Value, error) {
	changed := make([]format.Member, 0, len(d.Changed))
	for _, name := range slices.Sorted(maps.Keys(d.Changed)) {
		stored, err := format.ParseJSON(d.Changed[name].Stored)
		if err != nil {
			return format.Value{}, fmt.Errorf("stored field %q: %w", name, err)
		}
		code, err := format.ParseJSON(d.Changed[name].Code)
		if err != nil {
			return format.Value{}, fmt.Errorf("field %q: %w", name, err)
		}
		changed = append(changed, format.Member{Name: name, Value: format.Object(
			format.Member{Name: "stored", Value: stored},
			format.Member{Name: "code", Value: code},
		)})
	}
	return format.Object(
		format.Member{Name: "type_kind", Value: format.String(d.Type.Kind.String())},
		format.Member{Name: "type_name", Value: format.String(d.Type.Name)},
		format.Member{Name: "stored_version", Value: format.Int(d.Stored)},
		format.Member{Name: "added_fields", Value: names(d.Added)},
		format.Member{Name: "removed_fields", Value: names(d.Removed)},
		format.Member{Name: "changed_fields", Value: format.Object(changed...)},
	), nil
}

func names(list []string) format.Value {
	items := make([]format.Value, len(list))
	for i, s := range list {
		items[i] = format.String(s)
	}
	return format.Array(items...)
}
