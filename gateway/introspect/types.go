package introspect

import (
	"context"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/resolver"
)

var typesRelation = &Relation{
	Name:  "types",
	About: "The entity and relation types, under the names their tables have.",
	Columns: []Column{
		{"type_kind", column.Text, "entity or relation"},
		{"type_name", column.Text, "the name it was registered with"},
		{"table_name", column.Text, "its table in public, history and changes"},
		{"schema_version_id", column.Int64, "the current version of its schema"},
		{"key_columns", column.List, "the columns of its primary key"},
		{"last_commit_id", column.Int64, "the last commit that wrote rows of it"},
		{"created_at", column.TimestampTZ, "when its first schema version was registered"},
	},
	Rows: func(_ context.Context, src *Source, pin *resolver.Pin, b *column.Builder) error {
		for _, t := range pin.Catalog.Types {
			keys := make([]string, len(t.Key))
			for i, k := range t.Key {
				keys[i] = t.Columns[k].Name
			}
			b.Append(t.Ref.Kind.String(), t.Ref.Name, t.Table, t.SchemaID, keys,
				commitOrNull(pin.View.LastCommitTo(t.Ref, src.Horizon(pin))), timeOrNull(t.CreatedAt))
		}
		return nil
	},
}

var lastChangeRelation = &Relation{
	Name: "last_change", Shows: Rows,
	About: "The last commit that wrote rows of each type.",
	Columns: []Column{
		{"type_kind", column.Text, "entity or relation"},
		{"type_name", column.Text, "the name it was registered with"},
		{"table_name", column.Text, "its table in public, history and changes"},
		{"commit_id", column.Int64, "the last commit that wrote rows of it; NULL for a type without rows"},
		{"committed_at", column.TimestampTZ, "when its writer made it"},
		{"actor", column.Text, "who asked for it (metadata key actor)"},
		{"message", column.Text, "what its writer said of it (metadata key message)"},
	},
	Rows: func(_ context.Context, src *Source, pin *resolver.Pin, b *column.Builder) error {
		for _, t := range pin.Catalog.Types {
			id := pin.View.LastCommitTo(t.Ref, src.Horizon(pin))
			e := pin.View.Commit(id)
			if e == nil {
				b.Append(t.Ref.Kind.String(), t.Ref.Name, t.Table, nil, nil, nil, nil)
				continue
			}
			b.Append(t.Ref.Kind.String(), t.Ref.Name, t.Table, int64(id), e.Manifest.CreatedAt.Time,
				Actor(e.Manifest), Message(e.Manifest))
		}
		return nil
	},
}

var schemaVersionsRelation = &Relation{
	Name:  "schema_versions",
	About: "Every version of every type's schema.",
	Columns: []Column{
		{"type_kind", column.Text, "entity or relation"},
		{"type_name", column.Text, "the type"},
		{"schema_version_id", column.Int64, "number of the version within the type"},
		{"schema_hash", column.Text, "checksum of the schema in canonical form"},
		{"schema_json", column.JSON, "the schema"},
		{"reason", column.Text, "initial, migration, type_spec_upgrade or bootstrap"},
		{"runtime_id", column.Text, "the program that registered it"},
		{"created_at", column.TimestampTZ, "when it was registered"},
	},
	Rows: func(_ context.Context, _ *Source, pin *resolver.Pin, b *column.Builder) error {
		for _, t := range pin.Catalog.Types {
			for _, v := range t.Versions {
				b.Append(t.Ref.Kind.String(), t.Ref.Name, v.ID, v.Hash, v.JSON,
					textOrNull(v.Reason), textOrNull(v.RuntimeID), timeOrNull(v.CreatedAt))
			}
		}
		return nil
	},
}
