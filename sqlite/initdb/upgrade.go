package initdb

import (
	"fmt"
	"slices"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Upgrade updates the tables of an older file (seed 002 section 5.2), in the transaction of
// the first commit. A file without a history is not turned into an ontology: the errors are
// those of a pin.
func Upgrade(w *sqlconn.Writer, now format.Time) error {
	if _, err := w.HasTable("commits"); err != nil || w.UpgradedCookie == w.SchemaCookie {
		return err
	}
	if _, err := dbschema.Read(w.Conn); err != nil {
		return fmt.Errorf("%s: %w", w.Path, err)
	}
	before := w.SchemaCookie
	if err := makeMissing(w, now); err != nil {
		return err
	}
	if err := checkColumns(w); err != nil {
		return err
	}
	if _, err := w.HasTable("commits"); err != nil { // a new cookie, if anything was created
		return err
	}
	if w.SchemaCookie == before {
		w.UpgradedCookie = before
	}
	return nil
}

// checkColumns returns an error if a table lacks a column that every version of the original
// has.
func checkColumns(w *sqlconn.Writer) error {
	for _, s := range slices.Concat(dbschema.RequiredShapes, dbschema.LaterShapes) {
		there := map[string]bool{}
		err := w.Each("SELECT name FROM pragma_table_info(?)", func(row *lite.Stmt) error {
			there[row.ColumnText(0)] = true
			return nil
		}, s.Name)
		if err != nil {
			return err
		}
		for _, column := range s.Columns {
			if !there[column] {
				return ontosql.Corrupt(s.Name, column, "the table has no such column, so that nothing can be written")
			}
		}
	}
	return nil
}

func makeMissing(w *sqlconn.Writer, now format.Time) error {
	for _, t := range dbschema.OntologyTables {
		if err := dbschema.MakeTable(w, t); err != nil {
			return err
		}
	}
	engine, err := dbschema.EngineOf(w)
	if err != nil {
		return err
	}
	if engine == format.EngineV2 {
		if err := dbschema.MakeTable(w, dbschema.LayoutCatalog); err != nil {
			return err
		}
	}
	for _, add := range []struct{ table, column, ddl string }{
		{"entity_history", "schema_version_id", "ALTER TABLE entity_history ADD COLUMN schema_version_id INTEGER"},
		{"relation_history", "schema_version_id", "ALTER TABLE relation_history ADD COLUMN schema_version_id INTEGER"},
		{"relation_history", "instance_key", "ALTER TABLE relation_history ADD COLUMN instance_key TEXT NOT NULL DEFAULT ''"},
	} {
		_, there, err := w.Int64("SELECT 1 FROM pragma_table_info(?) WHERE name = ?", add.table, add.column)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		if err := w.Exec(add.ddl); err != nil {
			return err
		}
		if add.column == "instance_key" { // the old index lacks the column
			if err := w.Exec("DROP INDEX IF EXISTS idx_relation_history_lookup"); err != nil {
				return err
			}
		}
	}
	for _, ddl := range dbschema.HistoryIndexes {
		if err := w.Exec(ddl); err != nil {
			return err
		}
	}
	return addFirstVersions(w, now)
}

// addFirstVersions creates first versions of the registry's types, without a runtime id, as
// the original does if there are no versions (seed 002 section 5.1).
func addFirstVersions(w *sqlconn.Writer, now format.Time) error {
	if _, some, err := w.Int64("SELECT 1 FROM schema_versions LIMIT 1"); err != nil || some {
		return err
	}
	type found struct{ kind, name, text string }
	var registered []found
	err := w.Each("SELECT type_kind, type_name, schema_json FROM schema_registry ORDER BY type_kind, type_name", func(row *lite.Stmt) error {
		registered = append(registered, found{row.ColumnText(0), row.ColumnText(1), row.ColumnText(2)})
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range registered {
		text, err := format.SchemaJSON([]byte(r.text))
		if err != nil {
			continue // readers skip such rows
		}
		hash, err := format.SchemaHash([]byte(r.text))
		if err != nil {
			continue
		}
		reason := "bootstrap"
		v := format.SchemaVersion{CreatedAt: now, Reason: &reason, SchemaHash: hash, SchemaJSON: text, SchemaVersionID: 1}
		if err := dbschema.AddVersion(w, r.kind, r.name, &v); err != nil {
			return err
		}
	}
	return nil
}
