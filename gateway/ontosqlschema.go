package gateway

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
)

// The schema ontosql: the ontology about itself (PRODUCT "Relations a client
// sees"). Every relation shows what the pin of the statement sees; a session at
// a point of the past sees the commits up to it.

var commitsRelation = &virtual{
	schema: "ontosql", name: "commits",
	about: "The commits of the ontology, one row each.",
	columns: []virtualColumn{
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
	rows: func(_ context.Context, s *Session, pin *resolver.Pin, b *column.Builder) error {
		for id := ontosql.CommitID(1); id <= s.horizon(pin); id++ {
			e := pin.View.Commit(id)
			recorded := maps.Clone(e.Manifest.Metadata)
			delete(recorded, format.MetadataSchema) // of all types; schema_versions tells it by type
			metadata, err := json.Marshal(recorded)
			if err != nil {
				return err
			}
			var rows int64
			names := []string{}
			for _, f := range e.Manifest.Files {
				rows += f.RowCount
				if !slices.Contains(names, f.TypeName) {
					names = append(names, f.TypeName)
				}
			}
			b.Append(int64(id), e.Manifest.CreatedAt.Time, textOrNull(e.Manifest.RuntimeID),
				metadataText(e.Manifest.Metadata, "message"), metadataText(e.Manifest.Metadata, "actor"),
				string(metadata), names, rows, textOrNull(s.db.storage.Manifest(e)))
		}
		return nil
	},
}

// metadataText is a string value of a commit's metadata, nil when it has none.
func metadataText(metadata map[string]json.RawMessage, key string) any {
	var text string
	if raw, ok := metadata[key]; !ok || json.Unmarshal(raw, &text) != nil {
		return nil
	}
	return text
}

var commitFilesRelation = &virtual{
	schema: "ontosql", name: "commit_files",
	about: "The data files of each commit; in SQLite the rows of each type, which lie in no file of their own.",
	columns: []virtualColumn{
		{"commit_id", column.Int64, "the commit that wrote the file"},
		{"type_kind", column.Text, "entity or relation"},
		{"type_name", column.Text, "the type whose rows it holds"},
		{"path", column.Text, "key of the file in the store"},
		{"row_count", column.Int64, "rows in it"},
		{"schema_version_id", column.Int64, "schema version its rows were written with"},
		{"content_sha256", column.Text, "checksum of the whole file"},
	},
	rows: func(_ context.Context, s *Session, pin *resolver.Pin, b *column.Builder) error {
		for id := ontosql.CommitID(1); id <= s.horizon(pin); id++ {
			for _, f := range pin.View.Commit(id).Manifest.Files {
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

var typesRelation = &virtual{
	schema: "ontosql", name: "types",
	about: "The entity and relation types, under the names their tables have.",
	columns: []virtualColumn{
		{"type_kind", column.Text, "entity or relation"},
		{"type_name", column.Text, "the name it was registered with"},
		{"table_name", column.Text, "its table in public, history and changes"},
		{"schema_version_id", column.Int64, "the current version of its schema"},
		{"key_columns", column.List, "the columns of its primary key"},
		{"last_commit_id", column.Int64, "the last commit that wrote rows of it"},
		{"created_at", column.TimestampTZ, "when its first schema version was registered"},
	},
	rows: func(_ context.Context, s *Session, pin *resolver.Pin, b *column.Builder) error {
		for _, t := range pin.Catalog.Types {
			keys := make([]string, len(t.Key))
			for i, k := range t.Key {
				keys[i] = t.Columns[k].Name
			}
			b.Append(t.Ref.Kind.String(), t.Ref.Name, t.Table, t.SchemaID, keys,
				commitOrNull(s.lastCommit(pin, t.Ref)), timeOrNull(t.CreatedAt))
		}
		return nil
	},
}

// lastCommit is the last commit that wrote rows of a type, as far as the session
// sees; 0 for none.
func (s *Session) lastCommit(pin *resolver.Pin, t ontosql.TypeRef) ontosql.CommitID {
	return pin.View.LastCommitTo(t, s.horizon(pin))
}

func commitOrNull(id ontosql.CommitID) any {
	if id == 0 {
		return nil
	}
	return int64(id)
}

func timeOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

var schemaVersionsRelation = &virtual{
	schema: "ontosql", name: "schema_versions",
	about: "Every version of every type's schema.",
	columns: []virtualColumn{
		{"type_kind", column.Text, "entity or relation"},
		{"type_name", column.Text, "the type"},
		{"schema_version_id", column.Int64, "number of the version within the type"},
		{"schema_hash", column.Text, "checksum of the schema in canonical form"},
		{"schema_json", column.JSON, "the schema"},
		{"reason", column.Text, "initial, migration, type_spec_upgrade or bootstrap"},
		{"runtime_id", column.Text, "the program that registered it"},
		{"created_at", column.TimestampTZ, "when it was registered"},
	},
	rows: func(_ context.Context, _ *Session, pin *resolver.Pin, b *column.Builder) error {
		for _, t := range pin.Catalog.Types {
			for _, v := range t.Versions {
				b.Append(t.Ref.Kind.String(), t.Ref.Name, v.ID, v.Hash, v.JSON,
					textOrNull(v.Reason), textOrNull(v.RuntimeID), timeOrNull(v.CreatedAt))
			}
		}
		return nil
	},
}

var indexHealthRelation = &virtual{
	schema: "ontosql", name: "index_health",
	about: "How far the advisory index of each type reaches; answers do not depend on it.",
	columns: []virtualColumn{
		{"type_kind", column.Text, "entity or relation"},
		{"type_name", column.Text, "the type"},
		{"max_indexed_commit", column.Int64, "the last commit its index knows"},
		{"head_commit_id", column.Int64, "the last commit there is"},
		{"entries", column.Int64, "entries of the index"},
		{"files", column.Int64, "files that the manifests list for the type"},
		{"status", column.Text, "ok, lagging, missing or damaged"},
		{"problem", column.Text, "what is wrong with it"},
	},
	rows: func(ctx context.Context, s *Session, pin *resolver.Pin, b *column.Builder) error {
		health, err := s.db.storage.IndexHealth(ctx, pin)
		if err != nil {
			return err
		}
		for _, h := range health {
			b.Append(h.Type.Kind.String(), h.Type.Name, int64(h.MaxIndexed), int64(h.Head),
				int64(h.Entries), int64(h.Files), h.Status, textOrNull(h.Problem))
		}
		return nil
	},
}

var writeLockRelation = &virtual{
	schema: "ontosql", name: "write_lock",
	about: "Who holds the write lock; no row when it is free.",
	columns: []virtualColumn{
		{"owner_id", column.Text, "the holder"},
		{"acquired_at", column.TimestampTZ, "since when"},
		{"expires_at", column.TimestampTZ, "until when, unless it is renewed"},
		{"is_expired", column.Bool, "whether another writer may take it over"},
	},
	rows: func(ctx context.Context, s *Session, _ *resolver.Pin, b *column.Builder) error {
		lock, err := s.db.storage.Lock(ctx)
		if err != nil || lock == nil || lock.Released() {
			return err
		}
		b.Append(lock.OwnerID, timeOrNull(lock.AcquiredAt.Time), timeOrNull(lock.ExpiresAt.Time),
			lock.Expired(time.Now()))
		return nil
	},
}

var storageInfoRelation = &virtual{
	schema: "ontosql", name: "storage_info",
	about: "Where the ontology is kept.",
	columns: []virtualColumn{
		{"backend", column.Text, "s3, file or sqlite"},
		{"storage_uri", column.Text, "the address"},
		{"engine_version", column.Text, "layout of the store, v1 or v2"},
		{"head_commit_id", column.Int64, "the last commit; NULL before the first"},
		{"initialized", column.Bool, "whether there is an ontology at the address"},
		{"runtime_id", column.Text, "the program that moved the head last"},
	},
	rows: func(_ context.Context, s *Session, pin *resolver.Pin, b *column.Builder) error {
		b.Append(s.db.Backend, s.db.URI, pin.Engine, commitOrNull(s.horizon(pin)), true, textOrNull(pin.Head.RuntimeID))
		return nil
	},
}

var settingsRelation = &virtual{
	schema: "ontosql", name: "settings",
	about: "The options the gateway runs with.",
	columns: []virtualColumn{
		{"name", column.Text, "the option"},
		{"value", column.Text, "its value"},
		{"unit", column.Text, "what the value counts"},
		{"source", column.Text, "default, flag, environment or file"},
		{"description", column.Text, "what it does"},
	},
	rows: func(_ context.Context, s *Session, _ *resolver.Pin, b *column.Builder) error {
		for _, o := range s.db.settings {
			b.Append(o.Name, textOrNull(o.Value), textOrNull(o.Unit), o.Source, o.Description)
		}
		return nil
	},
}
