package introspect

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
)

var commitsRelation = &Relation{
	Name:  "commits",
	About: "The commits of the ontology, one row each.",
	Columns: []Column{
		{"commit_id", column.Int64, "number of the commit, dense from 1"},
		{"created_at", column.TimestampTZ, "when its writer made it"},
		{"runtime_id", column.Text, "the program that wrote it; NULL in SQLite"},
		{"message", column.Text, "what its writer said of it (metadata key message)"},
		{"actor", column.Text, "who asked for it (metadata key actor)"},
		{"metadata", column.JSON, "what its writer recorded with it, but for the schema"},
		{"types", column.List, "names of the types it wrote rows of"},
		{"row_count", column.Int64, "rows it wrote"},
		{"manifest", column.Text, "key of its manifest in the store; NULL in SQLite"},
	},
	Rows: func(_ context.Context, src *Source, pin *resolver.Pin, b *column.Builder) error {
		for id, e := range src.commits(pin) {
			recorded := maps.Clone(e.Manifest.Metadata)
			delete(recorded, format.MetadataSchema) // of all types; schema_versions tells it by type
			delete(recorded, format.MetadataTags)   // all of them; tags tells them
			metadata, err := json.Marshal(recorded)
			if err != nil {
				return err
			}
			var rows int64
			for _, f := range e.Manifest.Files {
				rows += f.RowCount
			}
			b.Append(int64(id), e.Manifest.CreatedAt.Time, textOrNull(e.Manifest.RuntimeID),
				Message(e.Manifest), Actor(e.Manifest),
				string(metadata), e.Manifest.TypeNames(), rows, textOrNull(src.Storage.Manifest(e)))
		}
		return nil
	},
}

// Message is what the writer of a commit said of it, nil for nothing.
func Message(m *format.Manifest) any { return metadataText(m, format.MetadataMessage) }

// Actor is who asked for a commit, nil if its writer did not say.
func Actor(m *format.Manifest) any { return metadataText(m, format.MetadataActor) }

// metadataText is a text of a commit's metadata, nil when it has none.
func metadataText(m *format.Manifest, key string) any {
	if text, ok := m.Text(key); ok {
		return text
	}
	return nil
}

var commitFilesRelation = &Relation{
	Name:  "commit_files",
	About: "The data files of each commit; in SQLite the rows of each type, which lie in no file of their own.",
	Columns: []Column{
		{"commit_id", column.Int64, "the commit that wrote the file"},
		{"type_kind", column.Text, "entity or relation"},
		{"type_name", column.Text, "the type whose rows it holds"},
		{"path", column.Text, "key of the file in the store"},
		{"row_count", column.Int64, "rows in it"},
		{"schema_version_id", column.Int64, "schema version its rows were written with"},
		{"content_sha256", column.Text, "checksum of the whole file"},
	},
	Rows: func(_ context.Context, src *Source, pin *resolver.Pin, b *column.Builder) error {
		for id, e := range src.commits(pin) {
			for _, f := range e.Manifest.Files {
				var version any
				if f.SchemaVersionID != nil && *f.SchemaVersionID != 0 {
					version = *f.SchemaVersionID
				}
				b.Append(int64(id), f.Kind, f.TypeName, textOrNull(f.Path), f.RowCount, version, textOrNull(f.ContentSHA256))
			}
		}
		return nil
	},
}
