package format

import (
	"encoding/json"

	"github.com/ontosql/ontosql"
)

// Migrated is one type in the metadata of a commit that migrated it (COMPAT 5.7).
type Migrated struct {
	Type     ontosql.TypeRef
	From, To int64 // schema version ids
	Rows     int64 // number of rewritten rows
}

// MigrationMetadata returns the metadata of a commit that migrates types: kind and migrated_types,
// as the original writes them.
func MigrationMetadata(types []Migrated) map[string]json.RawMessage {
	items := make([]Value, len(types))
	for i, m := range types {
		items[i] = Object(
			Member{"from_schema_version_id", Int(m.From)},
			Member{"rows_rewritten", Int(m.Rows)},
			Member{"to_schema_version_id", Int(m.To)},
			Member{"type_kind", String(m.Type.Kind.String())},
			Member{"type_name", String(m.Type.Name)},
		)
	}
	return map[string]json.RawMessage{"kind": canonicalJSON(String("migration")), "migrated_types": canonicalJSON(Array(items...))}
}
