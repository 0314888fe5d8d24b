package branch

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/transfer"
)

// mergedRows are the rows of a type that a merge writes. Commit of a row is the version in into that
// it replaces.
type mergedRows struct {
	typ  *catalog.Type
	list *transfer.RowList
}

// planRows finds the rows of a type that the merge writes.
func (m *merge) planRows(ctx context.Context, t *typeMerge) error {
	if t.action == dropType || t.action == leaveType {
		return nil
	}
	result, ok := m.catalog.Type(t.ref)
	if !ok {
		return fmt.Errorf("%s cannot be read after the merge", t.ref)
	}
	d := &mergedRows{typ: result, list: transfer.NewRowList(m.into.Temp)}
	m.data = append(m.data, d)
	if t.action != mergeRows {
		return m.takeAll(ctx, t, d)
	}
	j := &join{Ancestry: m.ancestry, bases: m.bases, first: m.from.source(m.ancestry.first), second: m.into.source(m.ancestry.second), temp: m.into.Temp, result: result}
	after := t.ours
	if t.define {
		after = t.theirs
	}
	if err := j.names(t, after); err != nil {
		return err
	}
	return j.each(ctx, t.ref, t.theirs.typ, func(row *joined) error {
		merged, write, collisions := mergeRow(row.bases, row.ours, row.theirs, m.o.Choice)
		for _, c := range collisions {
			m.conflict(Conflict{
				Type: t.ref, Key: keyOf(t.ref, row.row), Field: c.field,
				Base: jsonOf(c.base), Ours: jsonOf(c.ours), Theirs: jsonOf(c.theirs),
			})
		}
		if !write {
			m.agreed = m.agreed || !row.unchanged()
			return nil
		}
		return m.add(d, row.row, merged, row.commit)
	})
}

// names prepares a join for types whose fields have other names, or are others, after the merge.
func (j *join) names(t *typeMerge, after *definition) error {
	if sameDefinition(t.ours, t.theirs) {
		return nil
	}
	schema, err := after.decode()
	if err != nil {
		return err
	}
	j.only = map[string]bool{}
	for _, f := range schema.Fields {
		j.only[f.Name] = true
	}
	j.rename = renaming(t.theirs, after)
	return nil
}

// takeAll takes all rows of a type that comes as a whole.
func (m *merge) takeAll(ctx context.Context, t *typeMerge, d *mergedRows) error {
	pin := m.ancestry.first
	all, err := transfer.ReadNewest(ctx, m.from.source(pin), t.ref, 0, pin.Head.Commit, nil, m.into.Temp)
	if err != nil {
		return err
	}
	defer all.Close()
	j := &join{}
	for row, err := range all.Rows() {
		if err != nil {
			return err
		}
		v, err := j.convert(row, t.theirs.typ, nil)
		if err != nil {
			return err
		}
		if err := m.add(d, row, v, 0); err != nil {
			return err
		}
	}
	return nil
}

// add adds a row that the merge writes; expected is the commit of the version that it replaces.
func (m *merge) add(d *mergedRows, identity *format.Row, fields *format.Value, expected ontosql.CommitID) error {
	if expected == 0 {
		m.done.Inserted++
	} else {
		m.done.Updated++
	}
	row := *identity
	row.Commit, row.SchemaVersionID, row.Fields = expected, 0, fields.Append(nil, format.Canonical)
	return d.list.Add(&row)
}

// keyOf are the texts of the identity of a row.
func keyOf(ref ontosql.TypeRef, row *format.Row) []string {
	texts := row.KeyTexts(ref.Kind)
	if n := len(texts); n == 3 && texts[2] == "" {
		return texts[:2]
	}
	return texts
}

// jsonOf is the text of a value; nil for null.
func jsonOf(v format.Value) json.RawMessage {
	if v.IsNull() {
		return nil
	}
	return v.Append(nil, format.Canonical)
}
