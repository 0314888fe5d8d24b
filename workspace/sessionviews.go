package workspace

// Everything are the session's own objects and those of the store together: what a relation
// may depend on.
func (t *Session) Everything() *Objects {
	all := t.Shared().clone()
	for _, table := range t.Objects.All() {
		all = all.With(table)
	}
	for _, v := range t.Objects.Views() {
		all = all.WithView(v)
	}
	for _, q := range t.Objects.Sequences() {
		all = all.WithSequence(q)
	}
	return all
}

// PutView adds a view, or puts it in the place of the one of its name. Of a materialized view,
// which exists, it changes the query.
func (t *Session) PutView(v *View) {
	if v.Materialized {
		next := *t.Table(v.Schema, v.Name)
		next.View = v
		t.Put(&next)
		return
	}
	if v.Number == 0 {
		v = t.Of(v.Schema).numbered(v)
	}
	if v.Schema == TempSchema {
		t.Set(t.Objects.WithView(v))
		return
	}
	t.edit(edit{putView: v})
}

// RemoveView removes a view, or a materialized view with its rows.
func (t *Session) RemoveView(v *View) {
	if v.Materialized {
		t.Remove(t.Table(v.Schema, v.Name))
		return
	}
	if v.Schema == TempSchema {
		t.Set(t.Objects.WithoutView(v))
		return
	}
	t.edit(edit{removeView: v})
}

// RenameUses makes the views that name a relation name it by another name.
func (t *Session) RenameUses(schema, relation, toSchema, to string) {
	all := t.Everything()
	next := all.Renamed(schema, relation, toSchema, to)
	for _, v := range all.UsedBy(schema, relation) {
		t.PutView(next.query(v.Schema, v.Name))
	}
}
