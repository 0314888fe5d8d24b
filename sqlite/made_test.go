package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/resolver"
)

// ddl are the tables as the original makes them (COMPAT 4.1), but those of events.
const ddl = `
CREATE TABLE commits (id INTEGER PRIMARY KEY AUTOINCREMENT, created_at TEXT NOT NULL, metadata_json TEXT);
CREATE TABLE entity_history (id INTEGER PRIMARY KEY AUTOINCREMENT, entity_type TEXT NOT NULL, entity_key TEXT NOT NULL,
	fields_json TEXT NOT NULL, commit_id INTEGER NOT NULL, schema_version_id INTEGER, FOREIGN KEY (commit_id) REFERENCES commits(id));
CREATE INDEX idx_entity_history_lookup ON entity_history(entity_type, entity_key, commit_id DESC);
CREATE TABLE relation_history (id INTEGER PRIMARY KEY AUTOINCREMENT, relation_type TEXT NOT NULL, left_key TEXT NOT NULL,
	right_key TEXT NOT NULL, fields_json TEXT NOT NULL, commit_id INTEGER NOT NULL, schema_version_id INTEGER,
	instance_key TEXT NOT NULL DEFAULT '', FOREIGN KEY (commit_id) REFERENCES commits(id));
CREATE INDEX idx_relation_history_lookup ON relation_history(relation_type, left_key, right_key, instance_key, commit_id DESC);
CREATE TABLE schema_registry (type_kind TEXT NOT NULL, type_name TEXT NOT NULL, schema_json TEXT NOT NULL, PRIMARY KEY (type_kind, type_name));
CREATE TABLE schema_versions (id INTEGER PRIMARY KEY AUTOINCREMENT, type_kind TEXT NOT NULL, type_name TEXT NOT NULL,
	schema_version_id INTEGER NOT NULL, schema_json TEXT NOT NULL, schema_hash TEXT NOT NULL, created_at TEXT NOT NULL,
	runtime_id TEXT, reason TEXT, UNIQUE(type_kind, type_name, schema_version_id));
CREATE TABLE locks (lock_name TEXT PRIMARY KEY, owner_id TEXT NOT NULL, acquired_at TEXT NOT NULL, expires_at TEXT NOT NULL);
`

// schemaOf is the schema of an entity type with a key and more text fields.
func schemaOf(name string, fields ...string) string {
	text := `{"entity_name": "` + name + `", "fields": {"id": {"primary_key": true, "index": false, "type": "<class ''str''>", "type_spec": {"kind": "primitive", "name": "str"}}`
	for _, f := range fields {
		text += `, "` + f + `": {"primary_key": false, "index": false, "type": "<class ''str''>", "type_spec": {"kind": "primitive", "name": "str"}}`
	}
	return text + `}}`
}

// connection is another process's, as far as SQLite can tell: it runs scripts on
// the file at path, which it makes if need be.
func connection(tb testing.TB, path string, scripts ...string) *lite.Conn {
	tb.Helper()
	c, err := lite.OpenConn(path, lite.OpenReadWrite, lite.OpenCreate)
	if err != nil {
		tb.Fatalf("connect: %v", err)
	}
	c.SetBusyTimeout(5 * time.Second)
	for _, script := range scripts {
		execute(tb, c, script)
	}
	tb.Cleanup(func() { _ = c.Close() }) // a test may have closed it
	return c
}

// execute runs statements.
func execute(tb testing.TB, c *lite.Conn, script string) {
	tb.Helper()
	for script = strings.TrimSpace(script); script != ""; {
		stmt, rest, err := c.PrepareTransient(script)
		if err != nil {
			tb.Fatalf("%v in\n%s", err, script)
		}
		for {
			more, err := stmt.Step()
			if err != nil {
				tb.Fatalf("%v in\n%s", err, script)
			}
			if !more {
				break
			}
		}
		if err := stmt.Finalize(); err != nil {
			tb.Fatal(err)
		}
		script = strings.TrimSpace(script[len(script)-rest:])
	}
}

// made is a file that another connection writes, as the original does.
type made struct {
	tb   testing.TB
	path string
	conn *lite.Conn
	n    int // commits, of which each has a time of its own
}

// makeFile makes a file with the entity types A and B and the relation type R,
// and no commit.
func makeFile(tb testing.TB, journal string) *made {
	tb.Helper()
	m := &made{tb: tb, path: filepath.Join(tb.TempDir(), "onto.db")}
	m.conn = connection(tb, m.path, "PRAGMA journal_mode = "+journal, ddl)
	for _, name := range []string{"A", "B"} {
		m.register("entity", name, schemaOf(name, "note"))
	}
	m.register("relation", "R", `{"relation_name": "R", "left_type": "A", "right_type": "B", "instance_key_field": null, "fields": {}}`)
	return m
}

// register registers a type, which needs no commit.
func (m *made) register(kind, name, schema string) {
	m.tb.Helper()
	m.exec(fmt.Sprintf(`INSERT INTO schema_registry VALUES ('%[1]s', '%[2]s', '%[3]s');
		INSERT INTO schema_versions (type_kind, type_name, schema_version_id, schema_json, schema_hash, created_at, reason)
		VALUES ('%[1]s', '%[2]s', 1, '%[3]s', 'hash', '2026-01-01T00:00:00.000000+00:00', 'initial')`, kind, name, schema))
}

func (m *made) exec(script string) {
	m.tb.Helper()
	execute(m.tb, m.conn, script)
}

// commit makes a commit of entity rows, each "type key", with metadata, "" for
// NULL.
func (m *made) commit(metadata string, rows ...string) {
	m.tb.Helper()
	m.n++
	if metadata == "" {
		metadata = "NULL"
	} else {
		metadata = "'" + metadata + "'"
	}
	script := fmt.Sprintf("BEGIN IMMEDIATE; INSERT INTO commits (created_at, metadata_json) VALUES ('2026-01-01T00:%02d:%02d.000000+00:00', %s);", m.n/60%60, m.n%60, metadata)
	for _, row := range rows {
		script += insertion(row, "(SELECT max(id) FROM commits)")
	}
	m.exec(script + "COMMIT")
}

// close ends the connection.
func (m *made) close() {
	m.tb.Helper()
	if err := m.conn.Close(); err != nil {
		m.tb.Fatal(err)
	}
}

// insertion inserts a row "type key" of a commit.
func insertion(row, commit string) string {
	typ, key, _ := strings.Cut(row, " ")
	return fmt.Sprintf(`INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id)
		VALUES ('%[1]s', '%[2]s', '{"id": "%[2]s", "note": "' || %[3]s || '"}', %[3]s, 1);`, typ, key, commit)
}

// drop drops an entity type as the original does, with its rows or without.
func (m *made) drop(name string, purge bool) {
	m.tb.Helper()
	m.n++
	script := fmt.Sprintf(`BEGIN IMMEDIATE; INSERT INTO commits (created_at, metadata_json) VALUES ('2026-01-01T00:%02d:%02d.000000+00:00',
		'{"operation": "schema_drop", "target_kind": "entity", "target_type": "%[3]s"}');
		DELETE FROM schema_registry WHERE type_name = '%[3]s'; DELETE FROM schema_versions WHERE type_name = '%[3]s';`, m.n/60%60, m.n%60, name)
	if purge {
		script += fmt.Sprintf("DELETE FROM entity_history WHERE entity_type = '%s';", name)
	}
	m.exec(script + "COMMIT")
}

// show are versions as "type-key@commit" texts, in their order.
func show(rows []version) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, fmt.Sprintf("%s@%d", strings.Join(r.Keys, "/"), r.Commit))
	}
	return out
}

// all are the versions of an entity type that a pin shows.
func all(tb testing.TB, db *DB, pin *resolver.Pin, name string) []string {
	tb.Helper()
	return show(mustVersions(tb, db, pin, typeOf(tb, pin, ontosql.Entity, name), ontosql.Window{Mode: ontosql.History, Upper: pin.Head.Commit}))
}
