package sqlite

import (
	"fmt"
	"slices"
	"strings"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// tables are the columns of the file's tables by name. Files that an old version
// of the original made lack some (seed 002 section 5.2); a reader makes up for
// them.
type tables map[string]map[string]bool

// needed are the columns without which a table is not the original's.
var needed = map[string][]string{
	"commits":          {"id", "created_at"},
	"entity_history":   {"id", "entity_type", "entity_key", "fields_json", "commit_id"},
	"relation_history": {"id", "relation_type", "left_key", "right_key", "fields_json", "commit_id"},
	"schema_registry":  {"type_kind", "type_name", "schema_json"},
	"schema_versions":  {"id", "type_kind", "type_name", "schema_version_id", "schema_json", "schema_hash", "created_at"},
	"storage_meta":     {"key", "value"},
	"locks":            {"lock_name", "owner_id", "acquired_at", "expires_at"},
	layoutTable.name:   {"type_kind", "type_name", "schema_version_id", "activation_commit_id", "is_current"},
}

// eventTables may be in a file in which no ontology has been begun.
var eventTables = []string{"events", "event_claims", "dead_letters", "sessions"}

// readTables reads what tables there are and makes sure that they are an
// ontology's.
func readTables(c *lite.Conn) (tables, error) {
	t := tables{}
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
		if len(t.histories()) > 0 || t["schema_registry"] != nil {
			return nil, ontosql.Corrupt("sqlite_schema", "", "the table of commits is gone")
		}
		for table := range t {
			if needed[table] == nil && !slices.Contains(eventTables, table) {
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

// column is the SQL of a column of a table, otherwise where an old file lacks it.
func (t tables) column(table, name, otherwise string) string {
	if t[table][name] {
		return name
	}
	return otherwise
}

// history is how the rows of one kind of types are read.
type history struct {
	kind  ontosql.Kind
	table string
	of    string   // the column of the type's name
	keys  []string // the SQL of the identity
	// version is the SQL of the schema version, NULL in a file that has none.
	version string

	// What reads the rows with one text of keys[0], by ascending ids from the one behind
	// ?5 on; of an entity perhaps those of the newest commit alone. The plus keeps SQLite
	// from going by ids.
	byKey, newestByKey string
}

// histories are those that the file has.
func (t tables) histories() []history {
	var all []history
	for _, h := range []history{
		{kind: ontosql.Entity, table: "entity_history", of: "entity_type", keys: []string{"entity_key"}},
		{kind: ontosql.Relation, table: "relation_history", of: "relation_type", keys: []string{"left_key", "right_key", t.column("relation_history", "instance_key", "''")}},
	} {
		if t[h.table] != nil {
			h.version = t.column(h.table, "schema_version_id", "NULL")
			identity := fmt.Sprintf("%s = ?1 AND %s = ?2", h.of, h.keys[0])
			window := identity + " AND commit_id > ?3 AND commit_id <= ?4"
			h.byKey = fmt.Sprintf("SELECT %s FROM %s WHERE %s AND +id > ?5 ORDER BY +id", h.columns(), h.table, window)
			h.newestByKey = fmt.Sprintf("SELECT %s FROM %s WHERE %s AND commit_id = (SELECT commit_id FROM %s WHERE %s ORDER BY commit_id DESC LIMIT 1) AND id > ?5 ORDER BY id",
				h.columns(), h.table, identity, h.table, window)
			all = append(all, h)
		}
	}
	return all
}

// history is that of a kind, ok is false where the file has none.
func (t tables) history(kind ontosql.Kind) (history, bool) { return historyOf(kind, t.histories()) }

func historyOf(kind ontosql.Kind, all []history) (history, bool) {
	for _, h := range all {
		if h.kind == kind {
			return h, true
		}
	}
	return history{}, false
}

// columns is the SQL of what a cursor reads of a row.
func (h history) columns() string {
	return strings.Join(h.keys, ", ") + ", commit_id, " + h.version + ", fields_json, id"
}

// readEngine reads the engine marker; a file without one, or without its table, is
// v1 (COMPAT 4.2).
func readEngine(c *lite.Conn, marked bool) (string, error) {
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

// engineOf is readEngine for a writer.
func engineOf(w *sqlconn.Writer) (string, error) {
	marked, err := w.HasTable(metaTable.name)
	if err != nil {
		return "", err
	}
	return readEngine(w.Conn, marked)
}
