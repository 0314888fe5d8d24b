package migration

import (
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// CheckFieldIDs checks the field ids of a schema change against the change before it (decision
// A52): each field of a schema version has one id, and a field keeps its id. A type without ids
// breaks no rule. dropped reports whether a commit between the two dropped a type. The result
// is nil if the ids are right.
func CheckFieldIDs(before, change *format.SchemaChange, dropped func(ontosql.TypeRef) bool) (problems []error) {
	add := func(ref ontosql.TypeRef, problem string, args ...any) {
		problems = append(problems, fmt.Errorf("field ids of %s: %s", ref, fmt.Sprintf(problem, args...)))
	}
	had := FieldIDsOf(before, func(ref ontosql.TypeRef) []format.SchemaVersion {
		switch now := changedVersions(change, ref); {
		case change.DropOf(ref) != nil || dropped(ref):
			return nil
		case now != nil:
			return now
		case changedVersions(before, ref) != nil:
			return changedVersions(before, ref)
		}
		return []format.SchemaVersion{{}}
	})
	for i := range change.FieldIDs {
		ids := &change.FieldIDs[i]
		ref := ids.Ref()
		if was, some := had[ref]; some {
			shared := min(was.Through, ids.Through)
			if !format.SameFieldIDs([]format.FieldIDs{was.Until(shared)}, []format.FieldIDs{ids.Until(shared)}) {
				add(ref, "they are not those of the change before, up to version %d", shared)
			}
		}
		for _, v := range changedVersions(change, ref) {
			schema, err := format.DecodeSchema(format.MetadataSchema, "schema_json", []byte(v.SchemaJSON))
			if err != nil || v.SchemaVersionID > ids.Through {
				continue // another check reports the schema; later versions map by name
			}
			names := ids.At(v.SchemaVersionID)
			for _, f := range schema.Fields {
				if names[f.Name] == 0 {
					add(ref, "field %q of version %d has none", f.Name, v.SchemaVersionID)
				}
				delete(names, f.Name)
			}
			for name := range names {
				add(ref, "version %d has no field %q", v.SchemaVersionID, name)
			}
		}
	}
	return problems
}
