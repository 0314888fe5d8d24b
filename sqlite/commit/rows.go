package commit

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/codec"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/writepath"
)

// insert inserts the rows of one type into its history.
func (t *transaction) insert(ctx context.Context, d *prepared, id ontosql.CommitID) (n int64, err error) {
	typ, err := t.currentType(d, id)
	if err != nil {
		return 0, err
	}
	query := `INSERT INTO entity_history (fields_json, commit_id, schema_version_id, entity_type, entity_key) VALUES (?, ?, ?, ?, ?)`
	if d.Type.Kind == ontosql.Relation {
		query = `INSERT INTO relation_history (fields_json, commit_id, schema_version_id, relation_type, left_key, right_key, instance_key)
			VALUES (?, ?, ?, ?, ?, ?, ?)`
	}
	stmt, err := t.w.Prepare(query)
	if err != nil {
		return 0, err
	}
	// Equal for every row; bindings persist.
	stmt.BindInt64(2, int64(id))
	stmt.BindInt64(3, d.SchemaVersion)
	stmt.BindText(4, d.Type.Name)
	var text []byte
	err = d.each(ctx, func(row *writepath.Row) error {
		if text, err = typ.encoder.Append(text[:0], row.Fields); err != nil {
			return err
		}
		stmt.BindText(1, string(text))
		if d.Type.Kind == ontosql.Relation {
			stmt.BindText(5, row.Left)
			stmt.BindText(6, row.Right)
			stmt.BindText(7, row.Instance)
		} else {
			stmt.BindText(5, row.Key)
		}
		if _, err := stmt.Step(); err != nil {
			return err
		}
		n++
		return stmt.Reset()
	})
	return n, err
}

// currentType returns how rows made for a schema version are written, if that version is
// current. From the commit id on its layout is current too.
func (t *transaction) currentType(d *prepared, id ontosql.CommitID) (*writtenType, error) {
	typ := t.baseline.types[d.Type]
	if typ == nil {
		typ = &writtenType{}
		var err error
		if typ.version, err = currentVersion(t.w, d.Type); err != nil {
			return nil, err
		}
	}
	if typ.version != d.SchemaVersion {
		return nil, &writepath.SchemaChangedError{Type: d.Type, Expected: d.SchemaVersion, Actual: typ.version}
	}
	if typ.encoder != nil {
		return typ, nil
	}
	if err := t.activate(d.Type, d.SchemaVersion, id); err != nil {
		return nil, err
	}
	spelling, err := dbschema.RegisteredSchema(t.w, d.Type)
	if err != nil {
		return nil, err
	}
	order, err := codec.FieldOrder(spelling)
	if err != nil {
		return nil, err
	}
	typ.encoder = codec.NewFieldsEncoder(order)
	t.baseline.types[d.Type] = typ
	return typ, nil
}

// schemaChange runs a transaction's schema function.
func (t *transaction) schemaChange(p *pending, created format.Time) (*format.SchemaChange, error) {
	if p.Schema == nil {
		return nil, nil
	}
	state := migration.NewState(created, t.o.RuntimeID)
	if err := readState(t.w, state); err != nil {
		return nil, err
	}
	last, id, err := t.baseline.lastSchemaChange()
	if err != nil {
		return nil, err
	}
	state.Declared(last, func(ref ontosql.TypeRef) bool { return t.baseline.droppedAt(ref) > id })
	if err := p.Schema(state); err != nil {
		return nil, err
	}
	return state.Change(), nil
}
