package sqlite

import (
	"context"
	"encoding/json"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// insert writes the rows of one type into its history.
func (t *transaction) insert(ctx context.Context, d *prepared, id ontosql.CommitID) (n int64, err error) {
	actual, err := t.w.schemaVersion(d.Type)
	if err != nil {
		return 0, err
	}
	if actual != d.SchemaVersion {
		return 0, &writepath.SchemaChangedError{Type: d.Type, Expected: d.SchemaVersion, Actual: actual}
	}
	if err := t.activate(d.Type, d.SchemaVersion, id); err != nil {
		return 0, err
	}
	encoder, err := t.encoder(d.Type)
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
	// These are the same for every row, and bindings stay.
	stmt.BindInt64(2, int64(id))
	stmt.BindInt64(3, d.SchemaVersion)
	stmt.BindText(4, d.Type.Name)
	var text []byte
	err = d.each(ctx, func(row *writepath.Row) error {
		if text, err = encoder.append(text[:0], row.Fields); err != nil {
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

// typeEncoder is the encoder of the rows of a type, and the spelling of the schema
// that it is for.
type typeEncoder struct {
	spelling string
	encoder  *fieldsEncoder
}

// encoder is that of the type as the registry spells it now.
func (t *transaction) encoder(ref ontosql.TypeRef) (*fieldsEncoder, error) {
	spelling, err := t.w.registered(ref)
	if err != nil {
		return nil, err
	}
	if e := t.encoders[ref]; e.encoder != nil && e.spelling == spelling {
		return e.encoder, nil
	}
	order, err := fieldOrder(spelling)
	if err != nil {
		return nil, err
	}
	e := typeEncoder{spelling, newFieldsEncoder(order)}
	t.encoders[ref] = e
	return e.encoder, nil
}

// schemaChange asks a transaction for its schema change.
func (t *transaction) schemaChange(p *pending, created format.Time) (*format.SchemaChange, error) {
	if p.Schema == nil {
		return nil, nil
	}
	state := migration.NewState(created, t.o.RuntimeID)
	if err := t.w.readState(state); err != nil {
		return nil, err
	}
	last, id, err := t.known.lastChange()
	if err != nil {
		return nil, err
	}
	state.Extras = migration.ExtrasOf(last, func(ref ontosql.TypeRef) json.RawMessage {
		if t.known.dropped(ref) > id {
			return nil // dropped since
		}
		return state.Types[ref]
	})
	if err := p.Schema(state); err != nil {
		return nil, err
	}
	return state.Change(), nil
}
