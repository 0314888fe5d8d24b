package workspace

// Kind is what the table is, as messages name it.
func (t *Table) Kind() string {
	if t.View != nil {
		return t.View.Kind()
	}
	return "table"
}

// Kind is what the view is, as messages name it.
func (v *View) Kind() string {
	if v.Materialized {
		return "materialized view"
	}
	return "view"
}

// ColumnNames are the names of the columns.
func (t *Table) ColumnNames() []string {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

// ColumnNames are the names of the columns.
func (v *View) ColumnNames() []string {
	var names []string
	for _, c := range v.Columns {
		names = append(names, c.Name)
	}
	return names
}

// Frozen is the id of a transaction that all snapshots see. The rows of a new materialized view
// have it, because no one can read its heap before it is complete. PostgreSQL freezes such rows,
// too.
const Frozen XID = 0

// query is the view or the query of the materialized view of a name, nil for none.
func (o *Objects) query(schema, relation string) *View {
	return find(o.views, name{schema, relation})
}

// withQuery are the objects with the query of a materialized view.
func (o *Objects) withQuery(v *View) *Objects {
	t := o.Table(v.Schema, v.Name)
	if t == nil {
		return o
	}
	next := *t
	next.View = v
	return o.With(&next)
}

// settled is the table with a query that has the table's name and a number.
func (t *Table) settled(o *Objects) *Table {
	v := t.View
	if v == nil || v.Number != 0 && v.Schema == t.Schema && v.Name == t.Name {
		return t
	}
	named := *v
	named.Schema, named.Name = t.Schema, t.Name
	if named.Number == 0 {
		named = *o.numbered(&named)
	}
	next := *t
	next.View = &named
	return &next
}
