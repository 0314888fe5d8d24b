package migration

import (
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// Continues says which field of the schema before each field of the next one continues,
// by the names in the next schema and in the one before; "" for a field that is new. A
// field that is not in it continues the field of its name, if there was one.
type Continues map[string]string

// FieldIDsOf are the field ids of a schema change by type, as far as they still apply. versions
// returns the schema versions that a type has now, because the original may have made others;
// nil for a type that was dropped or created again.
func FieldIDsOf(change *format.SchemaChange, versions func(ontosql.TypeRef) []format.SchemaVersion) map[ontosql.TypeRef]format.FieldIDs {
	all := map[ontosql.TypeRef]format.FieldIDs{}
	if change == nil {
		return all
	}
	for i := range change.FieldIDs {
		ids := &change.FieldIDs[i]
		ref := ids.Ref()
		now := versions(ref)
		if len(now) == 0 || !slices.ContainsFunc(change.Types, func(t format.TypeState) bool { return t.Kind == ids.Kind && t.Type == ids.Type }) {
			continue
		}
		if last, ok := lastShared(changedVersions(change, ref), now); !ok {
			all[ref] = *ids
		} else if before := ids.Until(last); last > 0 {
			all[ref] = before
		}
	}
	return all
}

func changedVersions(change *format.SchemaChange, ref ontosql.TypeRef) []format.SchemaVersion {
	for i := range change.Versions {
		if v := &change.Versions[i]; v.TypeKind == ref.Kind.String() && v.TypeName == ref.Name {
			return v.Versions
		}
	}
	return nil
}

// lastShared is the id of the last version that two lists have in common, 0 for none,
// where the second does not go on from the end of the first; else forked is false.
func lastShared(list, now []format.SchemaVersion) (id int64, forked bool) {
	for i, v := range list {
		if i == len(now) {
			return id, false
		}
		if n := &now[i]; n.SchemaVersionID != v.SchemaVersionID || n.SchemaHash != v.SchemaHash || !n.CreatedAt.Equal(v.CreatedAt.Time) {
			return id, true
		}
		id = v.SchemaVersionID
	}
	return id, false
}

// FieldIDsThrough are the field ids of a type brought up to the last of its schema
// versions. Who made those after ids.Through gave no ids: through all of them a name is
// one field, the one of that name before, else a new one.
func FieldIDsThrough(ref ontosql.TypeRef, ids format.FieldIDs, versions []format.SchemaVersion) format.FieldIDs {
	ids.Kind, ids.Type = ref.Kind.String(), ref.Name
	byName := ids.At(ids.Through)
	for _, v := range versions {
		if v.SchemaVersionID <= ids.Through {
			continue
		}
		schema, err := format.DecodeSchema(format.VersionsKey(ref), "schema_json", []byte(v.SchemaJSON))
		if err != nil {
			continue // its fields cannot be read
		}
		names, next := map[int64]string{}, ids.Next()
		for _, f := range schema.Fields {
			if byName[f.Name] == 0 {
				byName[f.Name] = next
				next++
			}
			names[byName[f.Name]] = f.Name
		}
		ids = ids.With(v.SchemaVersionID, names)
	}
	return ids
}

// identify gives ids to the fields of the version of a type that was added last.
func (s *State) identify(schema *format.Schema, from Continues) {
	ref, versions := schema.Ref, s.Versions[schema.Ref]
	ids := FieldIDsThrough(ref, s.FieldIDs[ref], versions[:len(versions)-1])
	had, names, next := ids.At(ids.Through), map[int64]string{}, ids.Next()
	for _, f := range schema.Fields {
		was, said := from[f.Name]
		if !said {
			was = f.Name
		}
		id := had[was]
		if _, taken := names[id]; id == 0 || taken {
			id = next
			next++
		}
		names[id] = f.Name
	}
	s.FieldIDs[ref] = ids.With(s.Version(ref), names)
}
