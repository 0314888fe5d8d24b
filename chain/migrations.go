package chain

import (
	"encoding/json"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// migrated is one migration of a type by the original: the commit has no schema change of
// ontosql.
type migrated struct {
	commit ontosql.CommitID
	to     int64 // schema version id
}

// migrations returns the types that a commit of the original migrated, with the resulting
// schema version ids (COMPAT 5.7). If the metadata cannot be read, it returns none; then
// only the version lists show the migration.
func (e *Entry) migrations() map[ontosql.TypeRef]int64 {
	if e.changesSchema() || metadataText(e.Manifest, "kind") != "migration" {
		return nil
	}
	var items []struct {
		Kind string `json:"type_kind"`
		Name string `json:"type_name"`
		To   int64  `json:"to_schema_version_id"`
	}
	if json.Unmarshal(e.Manifest.Metadata["migrated_types"], &items) != nil {
		return nil
	}
	found := map[ontosql.TypeRef]int64{}
	for _, item := range items {
		if kind, err := ontosql.ParseKind(item.Kind); err == nil {
			found[ontosql.TypeRef{Kind: kind, Name: item.Name}] = item.To
		}
	}
	return found
}

// Superseded reports whether the original migrated t after the commit after without
// knowing that commit. stored, the type's version list, then continues with the version
// that the first such migration made. A migration whose writer died before it wrote the
// list does not count.
func (v *View) Superseded(t ontosql.TypeRef, after ontosql.CommitID, stored *format.Versions) bool {
	if stored == nil {
		return false
	}
	for _, m := range v.h.types[t].migrated {
		if after < m.commit && m.commit <= v.head.Commit {
			return slices.ContainsFunc(stored.Versions, func(s format.SchemaVersion) bool { return s.SchemaVersionID >= m.to })
		}
	}
	return false
}
