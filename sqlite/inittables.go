package sqlite

import (
	"fmt"
	"slices"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// newTable is one that a writer makes where it is missing, as the original's come to
// stand on the disk (COMPAT 4.1).
type newTable struct {
	name string
	ddl  string
}

var newTables = []newTable{
	{"commits", `CREATE TABLE commits (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		created_at TEXT NOT NULL,
		metadata_json TEXT
	)`},
	{"entity_history", `CREATE TABLE entity_history (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		entity_type TEXT NOT NULL,
		entity_key TEXT NOT NULL,
		fields_json TEXT NOT NULL,
		commit_id INTEGER NOT NULL, schema_version_id INTEGER,
		FOREIGN KEY (commit_id) REFERENCES commits(id)
	)`},
	{"relation_history", `CREATE TABLE relation_history (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		relation_type TEXT NOT NULL,
		left_key TEXT NOT NULL,
		right_key TEXT NOT NULL,
		fields_json TEXT NOT NULL,
		commit_id INTEGER NOT NULL, schema_version_id INTEGER, instance_key TEXT NOT NULL DEFAULT '',
		FOREIGN KEY (commit_id) REFERENCES commits(id)
	)`},
	{"schema_registry", `CREATE TABLE schema_registry (
		type_kind TEXT NOT NULL,
		type_name TEXT NOT NULL,
		schema_json TEXT NOT NULL,
		PRIMARY KEY (type_kind, type_name)
	)`},
	{"schema_versions", `CREATE TABLE schema_versions (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		type_kind TEXT NOT NULL,
		type_name TEXT NOT NULL,
		schema_version_id INTEGER NOT NULL,
		schema_json TEXT NOT NULL,
		schema_hash TEXT NOT NULL,
		created_at TEXT NOT NULL,
		runtime_id TEXT,
		reason TEXT,
		UNIQUE(type_kind, type_name, schema_version_id)
	)`},
	{"locks", `CREATE TABLE locks (
		lock_name TEXT PRIMARY KEY,
		owner_id TEXT NOT NULL,
		acquired_at TEXT NOT NULL,
		expires_at TEXT NOT NULL
	)`},
}

var metaTable = newTable{"storage_meta", `CREATE TABLE storage_meta (
		key TEXT PRIMARY KEY,
		value TEXT NOT NULL
	)`}

// layoutTable is what engine v2 has beside the others.
var layoutTable = newTable{"type_layout_catalog", `CREATE TABLE type_layout_catalog (
		type_kind TEXT NOT NULL,
		type_name TEXT NOT NULL,
		schema_version_id INTEGER NOT NULL,
		table_name TEXT NOT NULL,
		activation_commit_id INTEGER NOT NULL,
		is_current INTEGER NOT NULL DEFAULT 0,
		created_at TEXT NOT NULL DEFAULT (datetime('now')),
		PRIMARY KEY (type_kind, type_name, schema_version_id)
	)`}

var indexes = []string{
	`CREATE INDEX IF NOT EXISTS idx_entity_history_lookup ON entity_history(entity_type, entity_key, commit_id DESC)`,
	`CREATE INDEX IF NOT EXISTS idx_relation_history_lookup
		ON relation_history(relation_type, left_key, right_key, instance_key, commit_id DESC)`,
}

// make makes a table, if it is missing.
func (w *writer) make(t newTable) error {
	there, err := w.has(t.name)
	if err != nil || there {
		return err
	}
	return w.exec(t.ddl)
}

// migrate brings the tables of an older file up to date (seed 002 section 5.2), in
// the transaction of the first commit. A file that has no history is not ours to
// make one of: the errors are those of a pin.
func (w *writer) migrate(now format.Time) error {
	if _, err := w.has("commits"); err != nil || w.modern == w.cookie {
		return err
	}
	if _, err := readTables(&conn{Conn: w.Conn}); err != nil {
		return fmt.Errorf("%s: %w", w.path, err)
	}
	before := w.cookie
	if err := w.modernise(now); err != nil {
		return err
	}
	if err := w.complete(); err != nil {
		return err
	}
	if _, err := w.has("commits"); err != nil { // a new cookie, if anything was made
		return err
	}
	if w.cookie == before {
		w.modern = before
	}
	return nil
}

// complete fails where a table lacks a column that a writer writes and that no
// version of the original was without.
func (w *writer) complete() error {
	for _, s := range slices.Concat(wantedShapes, laterShapes) {
		there := map[string]bool{}
		err := w.each("SELECT name FROM pragma_table_info(?)", func(row *lite.Stmt) error {
			there[row.ColumnText(0)] = true
			return nil
		}, s.name)
		if err != nil {
			return err
		}
		for _, column := range s.columns {
			if !there[column] {
				return ontosql.Corrupt(s.name, column, "the table has no such column, so that nothing can be written")
			}
		}
	}
	return nil
}

func (w *writer) modernise(now format.Time) error {
	for _, t := range newTables {
		if err := w.make(t); err != nil {
			return err
		}
	}
	engine, err := w.engine()
	if err != nil {
		return err
	}
	if engine == format.EngineV2 {
		if err := w.make(layoutTable); err != nil {
			return err
		}
	}
	for _, add := range []struct{ table, column, ddl string }{
		{"entity_history", "schema_version_id", "ALTER TABLE entity_history ADD COLUMN schema_version_id INTEGER"},
		{"relation_history", "schema_version_id", "ALTER TABLE relation_history ADD COLUMN schema_version_id INTEGER"},
		{"relation_history", "instance_key", "ALTER TABLE relation_history ADD COLUMN instance_key TEXT NOT NULL DEFAULT ''"},
	} {
		_, there, err := w.number("SELECT 1 FROM pragma_table_info(?) WHERE name = ?", add.table, add.column)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		if err := w.exec(add.ddl); err != nil {
			return err
		}
		if add.column == "instance_key" { // the index of before has no place for it
			if err := w.exec("DROP INDEX IF EXISTS idx_relation_history_lookup"); err != nil {
				return err
			}
		}
	}
	for _, ddl := range indexes {
		if err := w.exec(ddl); err != nil {
			return err
		}
	}
	return w.bootstrap(now)
}

// bootstrap makes what only the registry has the first versions, by nobody, as the
// original does where there are none at all (seed 002 section 5.1).
func (w *writer) bootstrap(now format.Time) error {
	if _, some, err := w.number("SELECT 1 FROM schema_versions LIMIT 1"); err != nil || some {
		return err
	}
	type found struct{ kind, name, text string }
	var registered []found
	err := w.each("SELECT type_kind, type_name, schema_json FROM schema_registry ORDER BY type_kind, type_name", func(row *lite.Stmt) error {
		registered = append(registered, found{row.ColumnText(0), row.ColumnText(1), row.ColumnText(2)})
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range registered {
		text, err := format.SchemaJSON([]byte(r.text))
		if err != nil {
			continue // no reader takes it for a type
		}
		hash, err := format.SchemaHash([]byte(r.text))
		if err != nil {
			continue
		}
		reason := "bootstrap"
		v := format.SchemaVersion{CreatedAt: now, Reason: &reason, SchemaHash: hash, SchemaJSON: text, SchemaVersionID: 1}
		if err := w.addVersion(r.kind, r.name, &v); err != nil {
			return err
		}
	}
	return nil
}

// engine is the engine's marker; a file without one is v1 (COMPAT 4.2).
func (w *writer) engine() (string, error) {
	there, err := w.has(metaTable.name)
	if err != nil || !there {
		return format.EngineV1, err
	}
	engine := format.EngineV1
	err = w.each("SELECT value FROM storage_meta WHERE key = 'engine_version'", func(row *lite.Stmt) error {
		engine = row.ColumnText(0)
		return nil
	})
	if err == nil && engine != format.EngineV1 && engine != format.EngineV2 {
		err = fmt.Errorf("%w: engine_version in storage_meta is %q, want %q or %q", ErrEngine, engine, format.EngineV1, format.EngineV2)
	}
	return engine, err
}
