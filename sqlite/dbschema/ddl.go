package dbschema

import "github.com/ontosql/ontosql/sqlite/sqlconn"

// Table is a table and the statement that creates it, as the original library's is stored
// (COMPAT 4.1).
type Table struct {
	Name string
	DDL  string
}

// OntologyTables are the tables that a writer creates where they are missing.
var OntologyTables = []Table{
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

// StorageMeta names the storage engine. Files that the original library made without its
// init command lack it.
var StorageMeta = Table{"storage_meta", `CREATE TABLE storage_meta (
		key TEXT PRIMARY KEY,
		value TEXT NOT NULL
	)`}

// LayoutCatalog is the additional table of engine v2.
var LayoutCatalog = Table{"type_layout_catalog", `CREATE TABLE type_layout_catalog (
		type_kind TEXT NOT NULL,
		type_name TEXT NOT NULL,
		schema_version_id INTEGER NOT NULL,
		table_name TEXT NOT NULL,
		activation_commit_id INTEGER NOT NULL,
		is_current INTEGER NOT NULL DEFAULT 0,
		created_at TEXT NOT NULL DEFAULT (datetime('now')),
		PRIMARY KEY (type_kind, type_name, schema_version_id)
	)`}

// HistoryIndexes create the indexes by which rows are looked up.
var HistoryIndexes = []string{
	`CREATE INDEX IF NOT EXISTS idx_entity_history_lookup ON entity_history(entity_type, entity_key, commit_id DESC)`,
	`CREATE INDEX IF NOT EXISTS idx_relation_history_lookup
		ON relation_history(relation_type, left_key, right_key, instance_key, commit_id DESC)`,
}

// EventDDL creates the tables of events and their indexes as the original library does.
var EventDDL = []string{
	`CREATE TABLE IF NOT EXISTS events (
		id TEXT PRIMARY KEY,
		namespace TEXT NOT NULL,
		type TEXT NOT NULL,
		payload TEXT NOT NULL,
		created_at TEXT NOT NULL,
		priority INTEGER NOT NULL DEFAULT 100,
		root_event_id TEXT NOT NULL,
		chain_depth INTEGER NOT NULL DEFAULT 0
	)`,
	`CREATE INDEX IF NOT EXISTS idx_events_namespace_type_order ON events(namespace, type, priority DESC, created_at ASC, id ASC)`,
	`CREATE TABLE IF NOT EXISTS event_claims (
		event_id TEXT NOT NULL,
		handler_id TEXT NOT NULL,
		session_id TEXT NOT NULL,
		claimed_at TEXT NOT NULL,
		lease_until TEXT NOT NULL,
		ack_at TEXT,
		attempts INTEGER NOT NULL DEFAULT 0,
		available_at TEXT NOT NULL,
		last_error TEXT,
		dead_lettered_at TEXT,
		PRIMARY KEY (event_id, handler_id)
	)`,
	`CREATE INDEX IF NOT EXISTS idx_event_claims_handler_state ON event_claims(handler_id, ack_at, dead_lettered_at, lease_until, available_at)`,
	`CREATE INDEX IF NOT EXISTS idx_event_claims_event ON event_claims(event_id)`,
	`CREATE TABLE IF NOT EXISTS dead_letters (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		event_id TEXT NOT NULL,
		handler_id TEXT NOT NULL,
		namespace TEXT NOT NULL,
		failed_at TEXT NOT NULL,
		attempts INTEGER NOT NULL,
		last_error TEXT NOT NULL,
		event_type TEXT NOT NULL,
		event_payload TEXT NOT NULL,
		root_event_id TEXT NOT NULL,
		chain_depth INTEGER NOT NULL
	)`,
	`CREATE INDEX IF NOT EXISTS idx_dead_letters_namespace_failed ON dead_letters(namespace, failed_at DESC)`,
	`CREATE TABLE IF NOT EXISTS sessions (
		session_id TEXT PRIMARY KEY,
		namespace TEXT NOT NULL,
		started_at TEXT NOT NULL,
		last_heartbeat TEXT NOT NULL,
		metadata TEXT
	)`,
	`CREATE INDEX IF NOT EXISTS idx_sessions_heartbeat ON sessions(last_heartbeat)`,
	`CREATE INDEX IF NOT EXISTS idx_sessions_namespace ON sessions(namespace)`,
}

// MakeTable creates a table, if it is missing.
func MakeTable(w *sqlconn.Writer, t Table) error {
	there, err := w.HasTable(t.Name)
	if err != nil || there {
		return err
	}
	return w.Exec(t.DDL)
}
