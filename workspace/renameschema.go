package workspace

import "slices"

// RenameSchema gives a schema of the store another name. What names its relations follows:
// foreign keys, views and, by rename, the SQL texts of defaults.
func (t *Session) RenameSchema(from, to string, rename func(text string) string) {
	r := schemaRename{from, to, rename}
	all, d := t.Everything(), *t.Shared().Schema(from)
	d.Name = to
	t.PutSchema(&d)
	for _, table := range all.All() {
		next, changed := r.table(table)
		if next.Schema != table.Schema {
			t.Remove(table)
		}
		if changed {
			t.Put(next)
		}
	}
	for _, v := range all.Views() {
		if v.Materialized { // it was among the tables
			continue
		}
		next, changed := r.view(v)
		if next.Schema != v.Schema {
			t.RemoveView(v)
		}
		if changed {
			t.PutView(next)
		}
	}
	for _, q := range all.Sequences() {
		if q.Schema == from {
			next := *q
			next.Schema = to
			t.RemoveSequence(q)
			t.PutSequence(&next)
		}
	}
	t.DropSchema(from)
}

// schemaRename is the change of a schema's name.
type schemaRename struct {
	from, to string
	text     func(string) string
}

// replace changes a name or text, and reports whether it was another one.
func replace(at *string, to string) bool {
	changed := *at != to
	*at = to
	return changed
}

// schema changes the name of a schema, if it is the one that gets another name.
func (r *schemaRename) schema(at *string) bool { return *at == r.from && replace(at, r.to) }

// table is a table after the change.
func (r *schemaRename) table(t *Table) (_ *Table, changed bool) {
	next := *t
	changed = r.schema(&next.Schema)
	next.Columns, next.ForeignKeys = slices.Clone(t.Columns), slices.Clone(t.ForeignKeys)
	for i := range next.Columns {
		c := &next.Columns[i]
		changed = replace(&c.Default, r.text(c.Default)) || changed
	}
	for i := range next.ForeignKeys {
		changed = r.schema(&next.ForeignKeys[i].Schema) || changed
	}
	if t.View != nil {
		of, other := r.view(t.View)
		next.View, changed = of, changed || other
	}
	return &next, changed
}

// view is a view after the change.
func (r *schemaRename) view(v *View) (_ *View, changed bool) {
	next := *v
	changed = r.schema(&next.Schema)
	next.Columns, next.Uses = slices.Clone(v.Columns), slices.Clone(v.Uses)
	for i := range next.Columns {
		c := &next.Columns[i]
		changed = replace(&c.Default, r.text(c.Default)) || changed
	}
	for i := range next.Uses {
		changed = r.schema(&next.Uses[i].Schema) || changed
	}
	return &next, changed
}
