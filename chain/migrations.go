package chain

import (
	"encoding/json"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// migrated is one migration of a type by a commit without a schema change of ours,
// and so by the original.
type migrated struct {
	commit ontosql.CommitID
	to     int64 // schema version id
}

// migrations are the types that a commit of the original migrated, by the schema
// versions that it made of them (COMPAT 5.7). What cannot be read names none: then the
// version lists alone tell.
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

// Superseded reports whether the original migrated a type above the commit after, which
// left it at versions of its own, without knowing that commit: stored, its version
// list, goes on to what the first such migration made. One whose writer died before
// that list was written has migrated nothing.
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
