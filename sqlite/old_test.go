package sqlite

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// TestOldFile reads a file as the first versions of the original made one: without
// versions of schemas, locks, instance keys and a marker. Its schemas are numbered
// as the original does when it opens one, in memory.
func TestOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "onto.db")
	c := connection(t, path, `
		CREATE TABLE commits (id INTEGER PRIMARY KEY AUTOINCREMENT, created_at TEXT NOT NULL, metadata_json TEXT);
		CREATE TABLE entity_history (id INTEGER PRIMARY KEY AUTOINCREMENT, entity_type TEXT NOT NULL, entity_key TEXT NOT NULL, fields_json TEXT NOT NULL, commit_id INTEGER NOT NULL);
		CREATE TABLE relation_history (id INTEGER PRIMARY KEY AUTOINCREMENT, relation_type TEXT NOT NULL, left_key TEXT NOT NULL, right_key TEXT NOT NULL, fields_json TEXT NOT NULL, commit_id INTEGER NOT NULL);
		CREATE TABLE schema_registry (type_kind TEXT NOT NULL, type_name TEXT NOT NULL, schema_json TEXT NOT NULL, PRIMARY KEY (type_kind, type_name));
		INSERT INTO schema_registry VALUES ('entity', 'A', '`+schemaOf("A")+`'), ('relation', 'R', '{"relation_name": "R", "left_type": "A", "right_type": "A", "fields": {}}');
		INSERT INTO commits (created_at) VALUES ('2020-01-01T00:00:00+00:00');
		INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id) VALUES ('A', 'a', '{"id": "a"}', 1);
		INSERT INTO relation_history (relation_type, left_key, right_key, fields_json, commit_id) VALUES ('R', 'a', 'b', '{}', 1);`)
	db := openDB(t, Options{Path: path})
	pin := pinOf(t, db)
	if pin.Engine != format.EngineV1 || len(pin.Warnings) > 0 {
		t.Errorf("engine %s, warnings %q", pin.Engine, pin.Warnings)
	}
	w := ontosql.Window{Mode: ontosql.History, Upper: 1}
	for _, want := range []struct {
		kind ontosql.Kind
		name string
		rows []version
	}{
		{ontosql.Entity, "A", []version{{Keys: []string{"a"}, Commit: 1, Image: `{"id": "a"}`, ID: 1}}},
		{ontosql.Relation, "R", []version{{Keys: []string{"a", "b", ""}, Commit: 1, Image: `{}`, ID: 1}}},
	} {
		typ := typeOf(t, pin, want.kind, want.name)
		for _, keys := range [][]string{nil, {"a"}} {
			if diff := cmp.Diff(want.rows, mustVersions(t, db, pin, typ, w, keys...)); diff != "" {
				t.Errorf("%s, keys %q (-want +got):\n%s", typ.Ref, keys, diff)
			}
		}
		if typ.SchemaID != 1 || len(typ.Versions) != 1 || typ.Versions[0].Reason != "bootstrap" || typ.Versions[0].RuntimeID != "" {
			t.Errorf("%s has schema %d of %+v, want version 1 of a bootstrap", typ.Ref, typ.SchemaID, typ.Versions)
		}
	}
	if lock, err := db.Lock(t.Context()); lock != nil || err != nil {
		t.Errorf("lock %+v, %v of a file without locks", lock, err)
	}
	// The next writer, as the original, adds what is missing.
	execute(t, c, `ALTER TABLE entity_history ADD COLUMN schema_version_id INTEGER; DROP TABLE relation_history;
		INSERT INTO commits (created_at) VALUES ('2020-01-02T00:00:00+00:00');
		INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES ('A', 'b', '{"id": "b"}', 2, 1);`)
	pin = pinOf(t, db)
	rows := mustVersions(t, db, pin, typeOf(t, pin, ontosql.Entity, "A"), ontosql.Window{Mode: ontosql.History, Upper: 2})
	if len(rows) != 2 || rows[0].Version != 0 || rows[1].Version != 1 {
		t.Errorf("rows %+v after the column came, want one without a version and one of version 1", rows)
	}
}

// TestOddHistories reads files that no writer makes: the readable rows are returned, with a
// warning about the rest.
func TestOddHistories(t *testing.T) {
	for _, c := range []struct {
		name, script string
		head         int
		rows         []string
		warnings     []string
	}{
		{
			"gap in ids", "DELETE FROM commits WHERE id IN (2, 4); DELETE FROM entity_history WHERE commit_id = 4", 5,
			[]string{"1@1", "2@2", "3@3", "5@5"},
			[]string{"commit 2 is missing", "commit 4 is missing"},
		},
		{
			"no first commits", "DELETE FROM commits WHERE id < 4", 5,
			[]string{"1@1", "2@2", "3@3", "4@4", "5@5"},
			[]string{"commits 1 to 3 are missing"},
		},
		{
			"times run backwards", "UPDATE commits SET created_at = '2020-01-01T00:00:00+00:00' WHERE id = 4", 5,
			[]string{"1@1", "2@2", "3@3", "4@4", "5@5"},
			nil,
		},
		{
			"no time", "UPDATE commits SET created_at = 'yesterday' WHERE id = 4", 5,
			[]string{"1@1", "2@2", "3@3", "4@4", "5@5"},
			[]string{"created_at of commit 4 is no time"},
		},
		{
			"metadata no JSON", "UPDATE commits SET metadata_json = '{' WHERE id = 4", 5,
			[]string{"1@1", "2@2", "3@3", "4@4", "5@5"},
			[]string{"metadata_json of commit 4 cannot be read"},
		},
		{
			"metadata no object", "UPDATE commits SET metadata_json = '[1]' WHERE id = 4", 5,
			[]string{"1@1", "2@2", "3@3", "4@4", "5@5"},
			[]string{"metadata_json of commit 4 cannot be read"},
		},
		{
			"rows of no commit", "DELETE FROM commits WHERE id = 5", 4,
			[]string{"1@1", "2@2", "3@3", "4@4"},
			[]string{"rows of commit 5 are not shown"},
		},
		{
			"commit below the first", "INSERT INTO commits (id, created_at) VALUES (-1, '2020-01-01'); UPDATE entity_history SET commit_id = 0 WHERE commit_id = 2", 5,
			[]string{"1@1", "3@3", "4@4", "5@5"},
			[]string{"rows of commit 0 are not shown"},
		},
		{
			"kind of no type", "INSERT INTO schema_registry VALUES ('view', 'V', '{}'); INSERT INTO schema_versions (type_kind, type_name, schema_version_id, schema_json, schema_hash, created_at) VALUES ('view', 'V', 1, '{}', '', '')", 5,
			[]string{"1@1", "2@2", "3@3", "4@4", "5@5"},
			[]string{`schema_registry: "V" is left out`, `schema_versions: "V" is left out`},
		},
		{
			"schema no JSON", "UPDATE schema_registry SET schema_json = '{' WHERE type_name = 'B'; UPDATE schema_versions SET schema_json = '{' WHERE type_name = 'B'", 5,
			[]string{"1@1", "2@2", "3@3", "4@4", "5@5"},
			[]string{`schema_registry row 2: schema_json of entity "B" cannot be read`, "entity:B is left out"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := makeFile(t, "WAL")
			for i := range 5 {
				m.commit("", fmt.Sprintf("A %d", i+1))
			}
			m.exec("PRAGMA foreign_keys = OFF")
			running := openDB(t, Options{Path: m.path})
			pinOf(t, running)
			m.exec(c.script)
			if pin := pinOf(t, running); int(pin.Head.Commit) != c.head {
				t.Errorf("head %d where the file was read before, want %d", pin.Head.Commit, c.head)
			}
			db := openDB(t, Options{Path: m.path})
			pin := pinOf(t, db)
			if int(pin.Head.Commit) != c.head || pin.View.Len() != c.head {
				t.Errorf("head %d, want %d", pin.Head.Commit, c.head)
			}
			if diff := cmp.Diff(c.rows, all(t, db, pin, "A")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(pin.Warnings) != len(c.warnings) {
				t.Fatalf("warnings %q, want %q", pin.Warnings, c.warnings)
			}
			for i, want := range c.warnings {
				if !strings.HasPrefix(pin.Warnings[i], want) {
					t.Errorf("warning %q, want %q", pin.Warnings[i], want)
				}
			}
		})
	}
}

// TestRowsBeforeTheirCommit writes rows before their commit, as no writer does.
func TestRowsBeforeTheirCommit(t *testing.T) {
	m := makeFile(t, "WAL")
	m.exec("PRAGMA foreign_keys = OFF")
	m.commit("", "A 1")
	m.exec(insertion("A 2", "2"))
	db := openDB(t, Options{Path: m.path})
	if diff := cmp.Diff([]string{"1@1"}, all(t, db, pinOf(t, db), "A")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	m.commit("", "A 3")
	pin := pinOf(t, db)
	if diff := cmp.Diff([]string{"1@1", "2@2", "3@2"}, all(t, db, pin, "A")); diff != "" || len(pin.Warnings) > 0 {
		t.Errorf("with the commit, warnings %q (-want +got):\n%s", pin.Warnings, diff)
	}
}

// TestBadRows reads rows that are no JSON and no UTF-8: they come all the same, for
// the engine to count.
func TestBadRows(t *testing.T) {
	m := makeFile(t, "WAL")
	m.commit("", "A 1", "A 2", "A 3", "A 4", "A 5")
	m.exec(`UPDATE entity_history SET fields_json = '{"id": ' WHERE entity_key = '1';
		UPDATE entity_history SET fields_json = CAST(x'7b22696422203a2022ff227d' AS TEXT) WHERE entity_key = '2';
		UPDATE entity_history SET fields_json = 17, schema_version_id = NULL WHERE entity_key = '3';
		UPDATE entity_history SET fields_json = '' WHERE entity_key = '4';
		UPDATE entity_history SET entity_key = CAST(x'66ff' AS TEXT) WHERE entity_key = '5'`)
	db := openDB(t, Options{Path: m.path})
	pin := pinOf(t, db)
	rows := mustVersions(t, db, pin, typeOf(t, pin, ontosql.Entity, "A"), ontosql.Window{Mode: ontosql.History, Upper: 1})
	if len(rows) != 5 {
		t.Fatalf("%d rows, want 5", len(rows))
	}
	for i, want := range []version{
		{Keys: []string{"1"}, Commit: 1, Version: 1, Image: `{"id": `, ID: 1},
		{Keys: []string{"2"}, Commit: 1, Version: 1, Image: string(notUTF8), ID: 2},
		{Keys: []string{"3"}, Commit: 1, Image: `17`, ID: 3},
		{Keys: []string{"4"}, Commit: 1, Version: 1, ID: 4},
		{Keys: []string{"f\uFFFD"}, Commit: 1, Version: 1, Image: rows[4].Image, ID: 5},
	} {
		if diff := cmp.Diff(want, rows[i]); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", i+1, diff)
		}
	}
	if json.Valid(notUTF8) {
		t.Errorf("%s is JSON", notUTF8)
	}
}
