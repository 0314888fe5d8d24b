package commit

import (
	"encoding/json"
	"fmt"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/codec"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// In SQLite the tables of types are changed in the transaction of the commit with the schema
// change, so that they never lag behind (decision A13).

// readState reads the current schema into an empty State, except for what Declared adds.
func readState(w *sqlconn.Writer, state *migration.State) error {
	err := w.Each("SELECT type_kind, type_name, schema_json FROM schema_registry", func(row *lite.Stmt) error {
		ref, err := dbschema.RefOf(row)
		if err != nil {
			return nil //nolint:nilerr // readers skip such rows
		}
		text := []byte(row.ColumnText(2))
		if canonical, err := format.Canonicalize(text); err == nil {
			text = canonical
		}
		state.Types[ref] = text
		return nil
	})
	if err != nil {
		return err
	}
	return w.Each(`SELECT type_kind, type_name, schema_version_id, schema_json, schema_hash, created_at, runtime_id, reason
		FROM schema_versions ORDER BY type_kind, type_name, schema_version_id`, func(row *lite.Stmt) error {
		ref, err := dbschema.RefOf(row)
		if err != nil {
			return nil //nolint:nilerr // as above
		}
		v := format.SchemaVersion{
			SchemaVersionID: row.ColumnInt64(2), SchemaJSON: row.ColumnText(3), SchemaHash: row.ColumnText(4),
			RuntimeID: dbschema.TextOrNil(row, 6), Reason: dbschema.TextOrNil(row, 7),
		}
		v.CreatedAt, _ = format.ParseTime(row.ColumnText(5)) // the time is informational
		state.Versions[ref] = append(state.Versions[ref], v)
		if text, ok := schemaText(ref, v.SchemaJSON); ok {
			state.Types[ref] = text
		}
		return nil
	})
}

// schemaText converts a stored schema for a State; false if it cannot be parsed.
func schemaText(ref ontosql.TypeRef, stored string) (json.RawMessage, bool) {
	schema, err := format.DecodeSchema("schema_versions", "schema_json", []byte(stored))
	if err != nil || schema.Ref.Kind != ref.Kind {
		return nil, false
	}
	text, err := format.Canonicalize([]byte(stored))
	return text, err == nil
}

// currentVersion returns the id of a type's current schema version, 0 for none.
func currentVersion(w *sqlconn.Writer, ref ontosql.TypeRef) (int64, error) {
	id, _, err := w.Int64(`SELECT schema_version_id FROM schema_versions
		WHERE type_kind = ? AND type_name = ? ORDER BY schema_version_id DESC LIMIT 1`, ref.Kind.String(), ref.Name)
	return id, err
}

// project writes the schema change of commit id to the tables of types. Drops come first,
// because a type may be recreated by the same change.
func (t *transaction) project(change *format.SchemaChange, id ontosql.CommitID) error {
	for i := range change.Dropped {
		if err := t.projectDrop(&change.Dropped[i]); err != nil {
			return fmt.Errorf("drop %s: %w", change.Dropped[i].Ref(), err)
		}
	}
	for i := range change.Versions {
		v := &change.Versions[i]
		ref, err := v.Ref()
		if err != nil {
			return err
		}
		if err := t.projectVersions(ref, v.Versions, change, id); err != nil {
			return fmt.Errorf("change schema of %s: %w", ref, err)
		}
	}
	return nil
}

// projectDrop removes a type from the tables of types, with its rows if the drop purges them.
func (t *transaction) projectDrop(d *format.DroppedRef) error {
	statements := []string{
		"DELETE FROM schema_registry WHERE type_kind = ?1 AND type_name = ?2",
		"DELETE FROM schema_versions WHERE type_kind = ?1 AND type_name = ?2",
	}
	if t.baseline.engine == format.EngineV2 {
		statements = append(statements, "UPDATE type_layout_catalog SET is_current = 0 WHERE type_kind = ?1 AND type_name = ?2")
	}
	for _, statement := range statements {
		if err := t.w.Exec(statement, d.Kind, d.Type); err != nil {
			return err
		}
	}
	if !d.Purged {
		return nil
	}
	if d.Ref().Kind == ontosql.Relation {
		return t.w.Exec("DELETE FROM relation_history WHERE relation_type = ?", d.Type)
	}
	return t.w.Exec("DELETE FROM entity_history WHERE entity_type = ?", d.Type)
}

// projectVersions adds the new versions of a type and registers the last one. A migration
// activates its layout even if no row is written (COMPAT 0, rule 9).
func (t *transaction) projectVersions(ref ontosql.TypeRef, list []format.SchemaVersion, change *format.SchemaChange, id ontosql.CommitID) error {
	there := map[int64]bool{}
	err := t.w.Each("SELECT schema_version_id FROM schema_versions WHERE type_kind = ? AND type_name = ?", func(row *lite.Stmt) error {
		there[row.ColumnInt64(0)] = true
		return nil
	}, ref.Kind.String(), ref.Name)
	if err != nil {
		return err
	}
	for i := range list {
		if there[list[i].SchemaVersionID] {
			continue
		}
		if err := dbschema.AddVersion(t.w, ref.Kind.String(), ref.Name, &list[i]); err != nil {
			return err
		}
	}
	last := list[len(list)-1]
	if err := t.register(ref, last.SchemaJSON, change); err != nil {
		return err
	}
	if len(list) > 1 && !there[last.SchemaVersionID] {
		return t.activate(ref, last.SchemaVersionID, id)
	}
	return nil
}

// register makes a schema the current one of its type.
func (t *transaction) register(ref ontosql.TypeRef, text string, change *format.SchemaChange) error {
	schema, err := format.DecodeSchema("schema_versions", "schema_json", []byte(text))
	if err != nil {
		return err
	}
	stored, err := dbschema.RegisteredSchema(t.w, ref)
	if err != nil {
		return err
	}
	extras := &format.Extras{}
	for i := range change.Extras {
		if change.Extras[i].Ref() == ref {
			extras = &change.Extras[i]
		}
	}
	spelling, err := codec.RegistryJSON(schema, extras, stored)
	if err != nil {
		return err
	}
	return t.w.Exec(`INSERT INTO schema_registry (type_kind, type_name, schema_json) VALUES (?, ?, ?)
		ON CONFLICT (type_kind, type_name) DO UPDATE SET schema_json = excluded.schema_json`, ref.Kind.String(), ref.Name, spelling)
}

// activate makes the layout of a schema version current for its type from commit id on, as
// engine v2 requires before a row is written; a layout that is current is unchanged (COMPAT
// 4.4). If no layout was current, the version may have rows from when the file was v1: the
// layout is then active from the first of them, because the original would not return them
// otherwise.
func (t *transaction) activate(ref ontosql.TypeRef, version int64, id ontosql.CommitID) error {
	if t.baseline.engine != format.EngineV2 {
		return nil
	}
	kind := ref.Kind.String()
	current, some, err := t.w.Int64("SELECT schema_version_id FROM type_layout_catalog WHERE type_kind = ? AND type_name = ? AND is_current = 1", kind, ref.Name)
	if err != nil || current == version {
		return err
	}
	if !some {
		where := "entity_history WHERE entity_type = ?"
		if ref.Kind == ontosql.Relation {
			where = "relation_history WHERE relation_type = ?"
		}
		first, found, err := t.w.Int64("SELECT min(commit_id) FROM "+where+" AND schema_version_id = ? AND commit_id >= ?", ref.Name, version, t.baseline.droppedAt(ref))
		if err != nil {
			return err
		}
		if found {
			id = min(id, ontosql.CommitID(first))
		}
	}
	if err := t.w.Exec("UPDATE type_layout_catalog SET is_current = 0 WHERE type_kind = ? AND type_name = ?", kind, ref.Name); err != nil {
		return err
	}
	return t.w.Exec(`INSERT INTO type_layout_catalog (type_kind, type_name, schema_version_id, table_name, activation_commit_id, is_current)
		VALUES (?, ?, ?, ?, ?, 1)
		ON CONFLICT (type_kind, type_name, schema_version_id)
		DO UPDATE SET table_name = excluded.table_name, activation_commit_id = excluded.activation_commit_id, is_current = 1`,
		kind, ref.Name, version, fmt.Sprintf("%s_%s_v%d", kind, ref.Name, version), id)
}
