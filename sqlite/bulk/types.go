package bulk

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/codec"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Type is a type as of the last commit.
type Type struct {
	Schema   format.Schema // the current schema, with fields in declared order
	Versions []format.SchemaVersion
	// Layouts has the activating commit of each version with a layout (engine v2 only).
	Layouts map[int64]ontosql.CommitID
}

// Finish replaces the file's types by the given ones, deletes the rows of dropped types (from
// before the commits in floors), and commits.
func (h *Writer) Finish(types []Type, floors map[ontosql.TypeRef]ontosql.CommitID) error {
	err := h.schema(types, floors)
	for _, ddl := range dbschema.HistoryIndexes {
		if err == nil {
			err = h.w.Exec(ddl)
		}
	}
	if err != nil {
		return sqlconn.StorageError("finish history", err)
	}
	return h.Commit()
}

// Commit commits what was written, with unchanged types, durably and checkpointed to the file.
func (h *Writer) Commit() error {
	err := h.w.Exec("COMMIT")
	if err == nil {
		if err = h.w.Checkpoint(); sqlconn.IsBusy(err) {
			err = nil // a reader needs the log
		}
	}
	return sqlconn.StorageError("finish history", err)
}

func (h *Writer) schema(types []Type, floors map[ontosql.TypeRef]ontosql.CommitID) error {
	spelled := map[ontosql.TypeRef]string{} // which has the order of TypedDicts too
	for _, t := range types {
		text, err := dbschema.RegisteredSchema(h.w, t.Schema.Ref)
		if err != nil {
			return err
		}
		spelled[t.Schema.Ref] = text
	}
	v2, err := h.w.HasTable(dbschema.LayoutCatalog.Name)
	if err != nil {
		return err
	}
	tables := []string{"schema_registry", "schema_versions"}
	if v2 {
		tables = append(tables, dbschema.LayoutCatalog.Name)
	}
	for _, table := range tables {
		if err := h.w.Exec("DELETE FROM " + table); err != nil {
			return err
		}
	}
	for i := range types {
		if err := h.writeType(&types[i], spelled[types[i].Schema.Ref], v2); err != nil {
			return fmt.Errorf("%s: %w", types[i].Schema.Ref, err)
		}
	}
	for ref, floor := range floors {
		table := "entity"
		if ref.Kind == ontosql.Relation {
			table = "relation"
		}
		if err := h.w.Exec(fmt.Sprintf("DELETE FROM %[1]s_history WHERE %[1]s_type = ? AND commit_id < ?", table), ref.Name, floor); err != nil {
			return err
		}
	}
	return nil
}

func (h *Writer) writeType(t *Type, spelled string, v2 bool) error {
	ref := t.Schema.Ref
	order := &format.Extras{}
	for _, f := range t.Schema.Fields {
		order.Columns = append(order.Columns, format.ColumnExtras{Field: f.Name})
	}
	text, err := codec.RegistryJSON(&t.Schema, order, spelled)
	if err != nil {
		return err
	}
	if err := h.w.Exec("INSERT INTO schema_registry (type_kind, type_name, schema_json) VALUES (?, ?, ?)", ref.Kind.String(), ref.Name, text); err != nil {
		return err
	}
	for i := range t.Versions {
		v := &t.Versions[i]
		if err := dbschema.AddVersion(h.w, ref.Kind.String(), ref.Name, v); err != nil {
			return err
		}
		activated, there := t.Layouts[v.SchemaVersionID]
		if !v2 || !there {
			continue
		}
		current := int64(0)
		if i == len(t.Versions)-1 {
			current = 1
		}
		label := strings.Join([]string{ref.Kind.String(), ref.Name, fmt.Sprintf("v%d", v.SchemaVersionID)}, "_")
		err := h.w.Exec(`INSERT INTO type_layout_catalog (type_kind, type_name, schema_version_id, table_name, activation_commit_id, is_current)
			VALUES (?, ?, ?, ?, ?, ?)`, ref.Kind.String(), ref.Name, v.SchemaVersionID, label, activated, current)
		if err != nil {
			return err
		}
	}
	return nil
}
