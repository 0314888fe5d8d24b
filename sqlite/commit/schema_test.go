package commit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

var bothEngines = []string{format.EngineV1, format.EngineV2}

// migrates is a transaction that gives Thing a field more and one less, and rewrites
// rows.
func migrates(pin ontosql.CommitID, from int64, rows ...writepath.Row) writepath.Tx {
	schema, extras := declared(thing)
	schema.Fields = append(schema.Fields[1:], format.NewField("tier", format.FieldStr, false)) // a has been removed
	extras.Kind, extras.Type = "entity", "Thing"
	extras.Columns = columns("n", "id", "tier")
	tx := writepath.Tx{
		Pin: pin,
		Schema: func(s *migration.State) error {
			if err := s.Migrate(from, &schema, nil, migration.ReasonMigration); err != nil {
				return err
			}
			return s.Describe(extras)
		},
		Migrated: []format.Migrated{{Type: thing, From: from, To: from + 1, Rows: int64(len(rows))}},
	}
	if len(rows) > 0 {
		d := dataOf(thing, rows...)
		d.Fields, d.SchemaVersion = format.DataFields(schema.Fields), from+1
		tx.Data = []writepath.Data{d}
	}
	return tx
}

// writesTiered is a transaction that writes one row by the schema of migrates.
func writesTiered(pin ontosql.CommitID, id string) writepath.Tx {
	tx := migrates(pin, 1, tiered(id, 1))
	tx.Schema, tx.Migrated = nil, nil
	return tx
}

func tiered(id string, n int) writepath.Row {
	return writepath.Row{Row: format.Row{Key: id, Fields: fmt.Appendf(nil, `{"id":%q,"n":%d,"tier":"gold"}`, id, n)}}
}

// TestSchemaOneCommit: all changes of a schema are one commit with the tables of types, which a
// reader and the original agree on.
func TestSchemaOneCommit(t *testing.T) {
	for _, engine := range bothEngines {
		t.Run(engine, func(t *testing.T) {
			s := openSite(t, sqlitetest.NewFile(t, engine))
			s.must(creates(0, thing, other, links))
			sqlitetest.Told(t, "registry", sqlitetest.Ask(t, s.path, "SELECT * FROM schema_registry ORDER BY type_kind, type_name"),
				`entity|Other|{"entity_name": "Other", "fields": {`+
					`"n": {"primary_key": false, "index": false, "type": "<class 'int'>", "type_spec": {"kind": "primitive", "name": "int"}}, `+
					`"id": {"primary_key": true, "index": false, "type": "<class 'str'>", "type_spec": {"kind": "primitive", "name": "str"}}, `+
					`"a": {"primary_key": false, "index": false, "type": "str | None", "type_spec": {"kind": "primitive", "name": "str | None"}}}}`,
				`entity|Thing|{"entity_name": "Thing", "fields": {`+
					`"n": {"primary_key": false, "index": false, "type": "<class 'int'>", "type_spec": {"kind": "primitive", "name": "int"}}, `+
					`"id": {"primary_key": true, "index": false, "type": "<class 'str'>", "type_spec": {"kind": "primitive", "name": "str"}}, `+
					`"a": {"primary_key": false, "index": false, "type": "str | None", "type_spec": {"kind": "primitive", "name": "str | None"}}}}`,
				`relation|Links|{"relation_name": "Links", "left_type": "Thing", "right_type": "Other", "instance_key_field": "slot", "fields": {`+
					`"slot": {"index": false, "type": "<class 'str'>", "type_spec": {"kind": "primitive", "name": "str"}}, `+
					`"n": {"index": false, "type": "<class 'int'>", "type_spec": {"kind": "primitive", "name": "int"}}, `+
					`"a": {"index": false, "type": "str | None", "type_spec": {"kind": "primitive", "name": "str | None"}}}}`)
			s.must(writes(1, "k", 1, thing, links))
			s.must(migrates(2, 1, tiered("k", 1)))

			sqlitetest.Told(t, "versions", sqlitetest.Ask(t, s.path, "SELECT type_kind, type_name, schema_version_id, reason, runtime_id FROM schema_versions ORDER BY id"),
				"entity|Other|1|initial|site", "entity|Thing|1|initial|site", "relation|Links|1|initial|site", "entity|Thing|2|migration|site")
			sqlitetest.Told(t, "rows of the migration", sqlitetest.Ask(t, s.path, "SELECT fields_json, commit_id, schema_version_id FROM entity_history WHERE commit_id = 3"),
				`{"n": 1, "id": "k", "tier": "gold"}|3|2`)
			metadata := sqlitetest.Ask(t, s.path, "SELECT metadata_json FROM commits WHERE id = 3")[0]
			if want := `{"kind": "migration", "migrated_types": [{"type_kind": "entity", "type_name": "Thing", "from_schema_version_id": 1, "to_schema_version_id": 2, "rows_rewritten": 1}], "ontosql_attempt": `; !strings.HasPrefix(metadata, want) {
				t.Errorf("metadata is\n%s, want it to begin with\n%s", metadata, want)
			}
			sqlitetest.Sound(t, s.path)

			// A type and its relations are dropped and created again, with rows, in one
			// commit.
			tx := creates(3, thing)
			again := tx.Schema
			tx.Schema = func(state *migration.State) error {
				return errors.Join(state.Drop(links, true), state.Drop(thing, true), again(state))
			}
			tx.Data = []writepath.Data{dataOf(thing, version(thing, "new", 7))}
			s.must(tx)
			sqlitetest.Told(t, "all rows", sqlitetest.Ask(t, s.path, "SELECT entity_type, entity_key, commit_id, schema_version_id FROM entity_history"), "Thing|new|4|1")
			sqlitetest.Told(t, "all relations", sqlitetest.Ask(t, s.path, "SELECT * FROM relation_history"))
			sqlitetest.Told(t, "versions", sqlitetest.Ask(t, s.path, "SELECT type_name, schema_version_id, reason FROM schema_versions ORDER BY id"), "Other|1|initial", "Thing|1|initial")
			sqlitetest.Told(t, "types", sqlitetest.Ask(t, s.path, "SELECT type_name FROM schema_registry ORDER BY 1"), "Other", "Thing")
			if engine == format.EngineV2 {
				sqlitetest.Told(t, "layouts", sqlitetest.Ask(t, s.path, "SELECT type_name, schema_version_id, activation_commit_id, is_current FROM type_layout_catalog ORDER BY 1, 2"),
					"Links|1|2|0", "Thing|1|4|1", "Thing|2|3|0")
			}
			sqlitetest.Sound(t, s.path)
			pin, err := s.db.PinFresh(t.Context())
			if err != nil || len(pin.Warnings) > 0 {
				t.Fatalf("pin: %v, warnings %q", err, pin.Warnings)
			}
			var shown []string
			for _, c := range pin.Catalog.Types[1].Columns {
				shown = append(shown, c.Name)
			}
			if diff := cmp.Diff([]string{"id", "n", "a"}, shown[:3]); diff != "" {
				t.Errorf("columns of Thing (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSchemaChangedSince: a transaction whose types were changed, dropped or created again
// since its pin is refused, and so is one that read them.
func TestSchemaChangedSince(t *testing.T) {
	drop := func(pin ontosql.CommitID) writepath.Tx {
		return writepath.Tx{Pin: pin, Schema: func(s *migration.State) error { return s.Drop(thing, true) }}
	}
	for _, c := range []struct {
		story string
		since []func(pin ontosql.CommitID) writepath.Tx
		tx    func() writepath.Tx
		want  error
	}{
		{
			"migrated",
			[]func(ontosql.CommitID) writepath.Tx{func(pin ontosql.CommitID) writepath.Tx { return migrates(pin, 1) }},
			func() writepath.Tx { return writes(1, "k", 1, thing) }, &writepath.SchemaChangedError{Type: thing, Expected: 1, Actual: 2},
		},
		{
			"dropped",
			[]func(ontosql.CommitID) writepath.Tx{drop},
			func() writepath.Tx { return writes(1, "k", 1, thing) }, &writepath.SchemaChangedError{Type: thing, Expected: 1},
		},
		{
			"made anew",
			[]func(ontosql.CommitID) writepath.Tx{drop, func(pin ontosql.CommitID) writepath.Tx { return creates(pin, thing) }},
			func() writepath.Tx { return writes(1, "k", 1, thing) }, &writepath.SchemaChangedError{Type: thing, Expected: 1},
		},
		{
			"read",
			[]func(ontosql.CommitID) writepath.Tx{func(pin ontosql.CommitID) writepath.Tx { return migrates(pin, 1) }},
			func() writepath.Tx {
				tx := writes(1, "k", 1, other)
				tx.Reads = []ontosql.TypeRef{thing}
				return tx
			},
			&writepath.ReadConflictError{Type: thing, Pin: 1, Actual: 2, Altered: true},
		},
		{
			"a migration from another version",
			[]func(ontosql.CommitID) writepath.Tx{func(pin ontosql.CommitID) writepath.Tx { return migrates(pin, 1) }},
			func() writepath.Tx { return migrates(1, 1) }, &migration.VersionError{Type: thing, Expected: 1, Actual: 2},
		},
	} {
		for _, by := range []string{"itself", "another"} {
			t.Run(c.story+" by "+by, func(t *testing.T) {
				s := openSite(t, sqlitetest.NewFile(t, format.EngineV2))
				s.must(creates(0, thing, other))
				who := s
				if by == "another" {
					who = openSite(t, s.path)
				}
				for i, since := range c.since {
					who.must(since(ontosql.CommitID(i + 1)))
				}
				_, err := s.Commit(t.Context(), c.tx())
				if !says(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
				sqlitetest.Sound(t, s.path)
			})
		}
	}
}

// TestExtrasLast: what SQL declares of a type is there for the next change, and
// does not come back once the type was dropped.
func TestExtrasLast(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	s := openSite(t, path)
	s.must(creates(0, thing))
	s.must(writepath.Tx{Pin: 1, Schema: func(state *migration.State) error {
		x := state.Extras[thing]
		x.Comment = "things"
		return state.Describe(x)
	}})
	elsewhere := openSite(t, path) // who has to read them from the file
	var seen format.Extras
	elsewhere.must(writepath.Tx{Pin: 2, Schema: func(state *migration.State) error {
		seen = state.Extras[thing]
		schema, extras := declared(other)
		return state.Create(&schema, extras)
	}})
	if seen.Comment != "things" || len(seen.Columns) != 3 {
		t.Errorf("the next change finds %+v", seen)
	}
	s.must(writepath.Tx{Pin: 3, Schema: func(state *migration.State) error {
		schema, _ := declared(thing)
		return errors.Join(state.Drop(thing, true), state.Create(&schema, format.Extras{}))
	}})
	s.must(writepath.Tx{Pin: 4, Schema: func(state *migration.State) error {
		if x, there := state.Extras[thing]; there {
			t.Errorf("the type that was made anew has %+v", x)
		}
		return state.Drop(other, false)
	}})
	sqlitetest.Sound(t, path)
}

// TestFailedSchemaChange leaves nothing behind.
func TestFailedSchemaChange(t *testing.T) {
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV2))
	s.must(creates(0, thing))
	s.must(writes(1, "k", 1, thing))
	before := sqlitetest.Ask(t, s.path, "SELECT * FROM schema_versions UNION ALL SELECT type_kind, type_name, schema_json, 1, 1, 1, 1, 1, 1 FROM schema_registry")
	tx := migrates(2, 1, tiered("k", 1))
	tx.Data[0].Rows = failing(tx.Data[0].Rows, 0)
	if _, err := s.Commit(t.Context(), tx); !errors.Is(err, errRows) {
		t.Errorf("got %v, want the error of the rows", err)
	}
	tx = migrates(2, 1, tiered("k", 1), tiered("other", 2))
	tx.Data[0].Rows = inOrder([]writepath.Row{tiered("k", 1), {Row: format.Row{Key: "other", Fields: []byte("no JSON")}}})
	if _, err := s.Commit(t.Context(), tx); err == nil {
		t.Error("rows that are no JSON were committed")
	}
	sqlitetest.Told(t, "schema", sqlitetest.Ask(t, s.path, "SELECT * FROM schema_versions UNION ALL SELECT type_kind, type_name, schema_json, 1, 1, 1, 1, 1, 1 FROM schema_registry"), before...)
	sqlitetest.Told(t, "layouts", sqlitetest.Ask(t, s.path, "SELECT schema_version_id, is_current FROM type_layout_catalog"), "1|1")
	s.must(writes(2, "by the old schema", 2, thing))
	s.must(migrates(3, 1, tiered("k", 1)))
	sqlitetest.Told(t, "layouts", sqlitetest.Ask(t, s.path, "SELECT schema_version_id, is_current FROM type_layout_catalog"), "1|0", "2|1")
	s.must(writesTiered(4, "by the new one"))
	sqlitetest.Sound(t, s.path)
}

// TestWritesToOldFile brings the tables of a file from an old version of the
// original up to date with the first commit, and not before.
func TestWritesToOldFile(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	s := openSite(t, path)
	s.must(creates(0, thing, other, links))
	s.must(writes(1, "k", 1, thing, links))
	s.close()
	sqlitetest.Edit(t, path, `
		PRAGMA foreign_keys = OFF;
		DROP TABLE schema_versions; DROP TABLE locks; DROP TABLE storage_meta;
		DROP INDEX idx_relation_history_lookup;
		ALTER TABLE entity_history DROP COLUMN schema_version_id;
		ALTER TABLE relation_history DROP COLUMN schema_version_id;
		ALTER TABLE relation_history DROP COLUMN instance_key;
		UPDATE commits SET metadata_json = NULL;
		CREATE INDEX idx_relation_history_lookup ON relation_history(relation_type, left_key, right_key, commit_id DESC);`)
	old := openSite(t, path)
	tx := writes(2, "k2", 2, thing, links)
	tx.Data[0].SchemaVersion = 9
	if _, err := old.Commit(t.Context(), tx); err == nil {
		t.Fatal("rows of a schema version that there is not were committed")
	}
	sqlitetest.Told(t, "columns after a refused commit", sqlitetest.Ask(t, path, "SELECT count(*) FROM pragma_table_info('relation_history') WHERE name = 'instance_key'"), "0")
	at := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	tx = writes(2, "k2", 2, thing, links)
	tx.At = at
	old.must(tx)
	sqlitetest.Told(t, "entities", sqlitetest.Ask(t, path, "SELECT entity_key, schema_version_id FROM entity_history ORDER BY id"), "k|", "k2|1")
	sqlitetest.Told(t, "relations", sqlitetest.Ask(t, path, "SELECT left_key, instance_key, schema_version_id FROM relation_history ORDER BY id"), "k||", "k2|s|1")
	sqlitetest.Told(t, "versions", sqlitetest.Ask(t, path, "SELECT type_kind, type_name, schema_version_id, runtime_id, reason FROM schema_versions ORDER BY id"),
		"entity|Other|1||bootstrap", "entity|Thing|1||bootstrap", "relation|Links|1||bootstrap")
	sqlitetest.Told(t, "index", sqlitetest.Ask(t, path, "SELECT group_concat(name) FROM pragma_index_info('idx_relation_history_lookup')"), "relation_type,left_key,right_key,instance_key,commit_id")
}
