package format

import (
	"bytes"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
)

// FieldIDs identify the fields of one type across its schema versions, in which a field may have
// several names and a name may belong to several fields (decision A52). They are not part of the
// schema, because they would change its hash. A field keeps its id until it is dropped. An id is
// never reused for another field of the type.
type FieldIDs struct {
	Kind    string    `json:"kind"`
	Type    string    `json:"type_name"`
	Through int64     `json:"through"` // the newest schema version that is covered
	Fields  []FieldID `json:"fields"`  // in the order of ids, dropped ones included
}

// FieldID is one field under all its names.
type FieldID struct {
	ID    int64       `json:"id"`
	Names []FieldName `json:"names"` // in the order of versions
}

// FieldName is the name of a field in a range of schema versions.
type FieldName struct {
	Name string `json:"name"`
	From int64  `json:"from"`         // the first schema version of the range
	To   int64  `json:"to,omitempty"` // the last one; 0 if the range is open
}

func (n *FieldName) covers(version int64) bool {
	return n.From <= version && (n.To == 0 || version <= n.To)
}

// Ref returns the type that the ids belong to.
func (f *FieldIDs) Ref() ontosql.TypeRef {
	kind, _ := ontosql.ParseKind(f.Kind) // the decoder has checked it
	return ontosql.TypeRef{Kind: kind, Name: f.Type}
}

// At returns the ids of the fields of a schema version by name. It is empty for a version after
// Through.
func (f *FieldIDs) At(version int64) map[string]int64 {
	ids := map[string]int64{}
	if version > f.Through {
		return ids
	}
	for i := range f.Fields {
		for k := range f.Fields[i].Names {
			if n := &f.Fields[i].Names[k]; n.covers(version) {
				ids[n.Name] = f.Fields[i].ID
			}
		}
	}
	return ids
}

// Next returns the next unused id.
func (f *FieldIDs) Next() int64 {
	if len(f.Fields) == 0 {
		return 1
	}
	return f.Fields[len(f.Fields)-1].ID + 1
}

// With returns the ids after adding a schema version newer than Through. names has its field names
// by id. Ids from Next on are new fields.
func (f *FieldIDs) With(version int64, names map[int64]string) FieldIDs {
	next := FieldIDs{Kind: f.Kind, Type: f.Type, Through: version}
	for _, field := range f.Fields {
		field.Names = slices.Clone(field.Names)
		last := &field.Names[len(field.Names)-1]
		name, there := names[field.ID]
		if last.To == 0 && (!there || name != last.Name) {
			last.To = f.Through
		}
		if there && last.To != 0 {
			field.Names = append(field.Names, FieldName{Name: name, From: version})
		}
		next.Fields = append(next.Fields, field)
	}
	for _, id := range slices.Sorted(maps.Keys(names)) {
		if id >= f.Next() {
			next.Fields = append(next.Fields, FieldID{ID: id, Names: []FieldName{{Name: names[id], From: version}}})
		}
	}
	return next
}

// Until returns the ids as they were when version was the newest schema version.
func (f *FieldIDs) Until(version int64) FieldIDs {
	before := FieldIDs{Kind: f.Kind, Type: f.Type, Through: min(f.Through, version)}
	for _, field := range f.Fields {
		field.Names = slices.DeleteFunc(slices.Clone(field.Names), func(n FieldName) bool { return n.From > version })
		if len(field.Names) == 0 {
			continue
		}
		if last := &field.Names[len(field.Names)-1]; last.To >= version {
			last.To = 0
		}
		before.Fields = append(before.Fields, field)
	}
	return before
}

// SameFieldIDs reports whether two lists of field ids are equal.
func SameFieldIDs(a, b []FieldIDs) bool {
	return bytes.Equal(canonicalJSON(fieldIDsValue(a)), canonicalJSON(fieldIDsValue(b)))
}

func (f objectReader) fieldIDs(name string) []FieldIDs {
	var all []FieldIDs
	f.each(name, f.optionalItems(name), func(e objectReader) {
		ids := FieldIDs{Kind: e.oneOf("kind", "entity", "relation"), Type: e.text("type_name"), Through: e.integer("through", 1)}
		e.each("fields", e.optionalItems("fields"), func(x objectReader) {
			field := FieldID{ID: x.integer("id", ids.Next())}
			x.each("names", x.optionalItems("names"), func(n objectReader) {
				name := FieldName{Name: n.text("name"), From: n.integer("from", 1)}
				if n.has("to") {
					name.To = n.integer("to", name.From)
				}
				field.Names = append(field.Names, name)
			})
			if len(field.Names) == 0 {
				x.fail("names", "a field has no name")
			}
			ids.Fields = append(ids.Fields, field)
		})
		all = append(all, ids)
	})
	return all
}

func fieldIDsValue(list []FieldIDs) Value {
	items := make([]Value, len(list))
	for i := range list {
		ids := &list[i]
		fields := make([]Value, len(ids.Fields))
		for k, field := range ids.Fields {
			names := make([]Value, len(field.Names))
			for j, n := range field.Names {
				members := []Member{{"from", Int(n.From)}, {"name", String(n.Name)}}
				if n.To != 0 {
					members = append(members, Member{"to", Int(n.To)})
				}
				names[j] = Object(members...)
			}
			fields[k] = Object(Member{"id", Int(field.ID)}, Member{"names", Array(names...)})
		}
		items[i] = Object(
			Member{"fields", Array(fields...)},
			Member{"kind", String(ids.Kind)},
			Member{"through", Int(ids.Through)},
			Member{"type_name", String(ids.Type)},
		)
	}
	return Array(items...)
}
