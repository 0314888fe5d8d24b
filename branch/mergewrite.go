package branch

import (
	"fmt"
	"iter"
	"maps"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// transaction is the commit of the merge.
func (m *merge) transaction() writepath.Tx {
	from := m.ancestry.first
	metadata := map[string]string{format.MetadataMessage: fmt.Sprintf("merge %s at commit %d", m.from.Address, from.Head.Commit)}
	maps.Copy(metadata, m.o.Metadata)
	tx := writepath.Tx{
		Pin: m.ancestry.second.Head.Commit, Actor: m.o.Actor, Metadata: metadata,
		Merge: &format.Merge{From: m.from.Address, Commit: from.Head.Commit, Digest: from.View.Commit(from.Head.Commit).Digest(), Base: m.done.Base},
	}
	for _, d := range m.data {
		if d.list.Len() == 0 {
			continue
		}
		tx.Data = append(tx.Data, writepath.Data{
			Type: d.typ.Ref, Fields: fieldsIn(d.typ), SchemaVersion: d.typ.SchemaID, Rows: d.written(),
		})
	}
	if len(m.done.Types) == 0 {
		return tx
	}
	tx.Schema = func(state *migration.State) error { return applyTypes(state, m.types) }
	for _, t := range m.types {
		if after, ok := m.catalog.Type(t.ref); ok && t.define && after.SchemaID != t.ours.typ.SchemaID {
			tx.Migrated = append(tx.Migrated, format.Migrated{Type: t.ref, From: t.ours.typ.SchemaID, To: after.SchemaID, Rows: int64(m.rowsOf(t.ref))})
		}
	}
	return tx
}

func (m *merge) rowsOf(ref ontosql.TypeRef) int {
	for _, d := range m.data {
		if d.typ.Ref == ref {
			return d.list.Len()
		}
	}
	return 0
}

// written are the rows for a transaction.
func (d *mergedRows) written() iter.Seq2[writepath.Row, error] {
	return func(yield func(writepath.Row, error) bool) {
		for row, err := range d.list.Rows() {
			expected := row.Commit
			row.Commit = 0
			if !yield(writepath.Row{Row: row, Expected: expected}, err) {
				return
			}
		}
	}
}

// fieldsIn are the fields of the data files of a type.
func fieldsIn(t *catalog.Type) []format.DataField {
	for i := range t.Versions {
		if t.Versions[i].ID == t.SchemaID {
			if schema, err := t.Versions[i].Schema(t.Ref); err == nil {
				return t.DataFields(t.SchemaID, schema.Fields)
			}
		}
	}
	return nil // fields_json has what no column has
}
