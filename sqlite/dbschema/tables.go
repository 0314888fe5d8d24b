package dbschema

import (
	"fmt"
	"slices"
	"strings"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Tables has the columns of the file's tables by name. Files of old versions of the original
// lack some (seed 002 section 5.2); readers supply defaults.
type Tables map[string]map[string]bool

// needed are the columns that every file of the original has.
var needed = map[string][]string{
	"commits":          {"id", "created_at"},
	"entity_history":   {"id", "entity_type", "entity_key", "fields_json", "commit_id"},
	"relation_history": {"id", "relation_type", "left_key", "right_key", "fields_json", "commit_id"},
	"schema_registry":  {"type_kind", "type_name", "schema_json"},
	"schema_versions":  {"id", "type_kind", "type_name", "schema_version_id", "schema_json", "schema_hash", "created_at"},
	"storage_meta":     {"key", "value"},
	"locks":            {"lock_name", "owner_id", "acquired_at", "expires_at"},
	LayoutCatalog.Name: {"type_kind", "type_name", "schema_version_id", "activation_commit_id", "is_current"},
}

// EventTables may exist in a file without an ontology.
var EventTables = []string{"events", "event_claims", "dead_letters", "sessions"}

// Read reads the existing tables and checks that they are an ontology's.
func Read(c *lite.Conn) (Tables, error) {
	t := Tables{}
	err := sqlconn.Each(c, "SELECT m.name, c.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
		func(row *lite.Stmt) error {
			table := row.ColumnText(0)
			if t[table] == nil {
				t[table] = map[string]bool{}
			}
			t[table][row.ColumnText(1)] = true
			return nil
		})
	if err != nil {
		return nil, err
	}
	for table, columns := range needed {
		for _, column := range columns {
			if t[table] != nil && !t[table][column] {
				return nil, fmt.Errorf("%w: its table %s has no column %s", sqlconn.ErrForeign, table, column)
			}
		}
	}
	if t["commits"] == nil {
		if len(t.Histories()) > 0 || t["schema_registry"] != nil {
			return nil, ontosql.Corrupt("sqlite_schema", "", "the table of commits is gone")
		}
		for table := range t {
			if needed[table] == nil && !slices.Contains(EventTables, table) {
				return nil, fmt.Errorf("%w: it is another application's database, with a table %s", sqlconn.ErrForeign, table)
			}
		}
		return nil, fmt.Errorf("%w: it has no table of commits", ontosql.ErrNotInitialised)
	}
	encoding := ""
	if err := sqlconn.Each(c, "PRAGMA encoding", func(row *lite.Stmt) error {
		encoding = row.ColumnText(0)
		return nil
	}); err != nil {
		return nil, err
	}
	if encoding != "UTF-8" {
		return nil, fmt.Errorf("%w: its texts are %s, and an ontology's are UTF-8", sqlconn.ErrForeign, encoding)
	}
	return t, nil
}

// Column is the SQL of a column of a table, or otherwise if an old file lacks it.
func (t Tables) Column(table, name, otherwise string) string {
	if t[table][name] {
		return name
	}
	return otherwise
}

// History describes how the rows of one kind of types are read.
type History struct {
	Kind       ontosql.Kind
	Table      string
	TypeColumn string   // column of the type's name
	KeyColumns []string // SQL of the identity
	// version is the SQL of the schema version, NULL in a file without one.
	VersionColumn string

	// Statements for the rows with one text of keys[0], by ascending ids after ?5; for an
	// entity optionally only those of the newest commit. The unary plus keeps SQLite from
	// using the order of ids.
	ByKey, NewestByKey string
}

// Histories returns the histories of the file.
func (t Tables) Histories() []History {
	var all []History
	for _, h := range []History{
		{Kind: ontosql.Entity, Table: "entity_history", TypeColumn: "entity_type", KeyColumns: []string{"entity_key"}},
		{Kind: ontosql.Relation, Table: "relation_history", TypeColumn: "relation_type", KeyColumns: []string{"left_key", "right_key", t.Column("relation_history", "instance_key", "''")}},
	} {
		if t[h.Table] != nil {
			h.VersionColumn = t.Column(h.Table, "schema_version_id", "NULL")
			identity := fmt.Sprintf("%s = ?1 AND %s = ?2", h.TypeColumn, h.KeyColumns[0])
			window := identity + " AND commit_id > ?3 AND commit_id <= ?4"
			h.ByKey = fmt.Sprintf("SELECT %s FROM %s WHERE %s AND +id > ?5 ORDER BY +id", h.RowColumns(), h.Table, window)
			h.NewestByKey = fmt.Sprintf("SELECT %s FROM %s WHERE %s AND commit_id = (SELECT commit_id FROM %s WHERE %s ORDER BY commit_id DESC LIMIT 1) AND id > ?5 ORDER BY id",
				h.RowColumns(), h.Table, identity, h.Table, window)
			all = append(all, h)
		}
	}
	return all
}

// History returns the history of a kind; ok is false if the file has none.
func (t Tables) History(kind ontosql.Kind) (History, bool) { return HistoryOf(kind, t.Histories()) }

// HistoryOf returns the history of a kind among all; ok is false if there is none.
func HistoryOf(kind ontosql.Kind, all []History) (History, bool) {
	for _, h := range all {
		if h.Kind == kind {
			return h, true
		}
	}
	return History{}, false
}

// RowColumns is the SQL of the columns that a cursor reads.
func (h History) RowColumns() string {
	return strings.Join(h.KeyColumns, ", ") + ", commit_id, " + h.VersionColumn + ", fields_json, id"
}

// ReadEngine reads the engine marker; a file without one, or without its table, is v1 (COMPAT
// 4.2).
func ReadEngine(c *lite.Conn, marked bool) (string, error) {
	engine := format.EngineV1
	if !marked {
		return engine, nil
	}
	err := sqlconn.Each(c, "SELECT value FROM storage_meta WHERE key = 'engine_version'", func(row *lite.Stmt) error {
		engine = row.ColumnText(0)
		return nil
	})
	if err != nil {
		return "", err
	}
	if engine != format.EngineV1 && engine != format.EngineV2 {
		return "", fmt.Errorf("%w: engine_version in storage_meta is %q, want %q or %q", sqlconn.ErrEngine, engine, format.EngineV1, format.EngineV2)
	}
	return engine, nil
}

// EngineOf is readEngine for a writer.
func EngineOf(w *sqlconn.Writer) (string, error) {
	marked, err := w.HasTable(StorageMeta.Name)
	if err != nil {
		return "", err
	}
	return ReadEngine(w.Conn, marked)
}
