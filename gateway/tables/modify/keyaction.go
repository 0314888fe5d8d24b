package modify

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// keyName is the name of column i of a query of keys, newKeyName that of the key that takes its
// place.
func keyName(i int) string    { return "k" + strconv.Itoa(i) }
func newKeyName(i int) string { return "n" + strconv.Itoa(i) }

// keyNames are the columns of a query of keys, with a qualifier.
func keyNames(qualifier string, n int) (out []string) {
	for i := range n {
		out = append(out, qualifier+keyName(i))
	}
	return out
}

// related are the tables that a write to a table looks at or changes because of foreign keys,
// besides the table itself. ends is set if the write may end rows.
func related(s *session.Session, t *workspace.Table, ends bool) (out []*workspace.Table) {
	add := func(t *workspace.Table) (is bool) {
		if t == nil || slices.Contains(out, t) {
			return false
		}
		out = append(out, t)
		return true
	}
	var visit func(t *workspace.Table, ends bool)
	visited := map[*workspace.Table]bool{}
	visit = func(t *workspace.Table, ends bool) {
		if visited[t] {
			return
		}
		visited[t] = true
		for i := range t.ForeignKeys {
			add(s.Tables.Table(t.ForeignKeys[i].Schema, t.ForeignKeys[i].Table))
		}
		if !ends {
			return
		}
		for _, r := range s.Tables.Of(t.Schema).ReferencesTo(t.Schema, t.Name) {
			add(r.Table)
			if r.Key.OnDelete > workspace.NoAction && r.Key.OnDelete != workspace.Restrict || r.Key.OnUpdate > workspace.NoAction && r.Key.OnUpdate != workspace.Restrict {
				visit(r.Table, true)
			}
		}
	}
	visit(t, ends)
	return slices.DeleteFunc(out, func(o *workspace.Table) bool { return o == t })
}

// lockRelated locks the tables that a write looks at, until their definitions stand.
func lockRelated(ctx context.Context, s *session.Session, w *planner.Write) ([]*workspace.Table, error) {
	t := s.Tables.Table(w.Table.Schema, w.Table.Name)
	if t == nil {
		return nil, nil
	}
	for locked := 0; ; {
		tables := related(s, t, w.Scoped.Matches)
		if len(tables) <= locked {
			return tables, nil
		}
		locked = len(tables)
		for _, o := range tables {
			if err := namespace.Lock(ctx, s, o, database.RowShare); err != nil {
				return nil, err
			}
		}
	}
}

// checkForeignKeys checks the new rows of the write against the foreign keys of the table.
func (c *Changes) checkForeignKeys(ctx context.Context, rows string, whole bool) error {
	t := c.Write.Table
	for i := range t.ForeignKeys {
		f := newKeyCheck(c.Session, c.Conn, t, &t.ForeignKeys[i])
		if !c.assigns(f.key.Columns, dml.Inserts, dml.Updates) {
			continue
		}
		if c.defers(f.id(), f.key.Deferral, whole) {
			c.Session.Tables.AwaitRows(f.id())
			continue
		}
		if err := f.present(ctx, rows, c.columns("", f.key.Columns)); err != nil {
			return err
		}
	}
	return nil
}

// defers reports whether a check waits: for the end of a statement whose parts write, or for
// that of the transaction. A statement outside of a transaction block is checked at its end.
func (c *Changes) defers(id workspace.ConstraintID, d workspace.Deferral, whole bool) bool {
	return c.Session.Tables.Held() || !whole && c.Session.Tx.Block() && c.Session.Tables.Constraints.Defers(id, d)
}

// assigns reports whether an action of some kinds gives one of the columns a value.
func (c *Changes) assigns(columns []int, kinds ...dml.ActionKind) bool {
	return slices.ContainsFunc(c.Write.Scoped.Actions, func(a dml.Action) bool {
		if !slices.Contains(kinds, a.Kind) {
			return false
		}
		if a.Kind != dml.Updates || a.Assigned == nil {
			return true
		}
		return slices.ContainsFunc(columns, func(number int) bool {
			return a.Assigned[slices.IndexFunc(c.Write.Table.Columns, func(k workspace.Column) bool { return k.Number == number })]
		})
	})
}

// followReferences does what the foreign keys that lead to the table say about the rows that
// the write has ended.
func (c *Changes) followReferences(ctx context.Context, id workspace.XID, whole bool) error {
	t := c.Write.Table
	for _, r := range c.Session.Tables.Of(t.Schema).ReferencesTo(t.Schema, t.Name) {
		f := newKeyCheck(c.Session, c.Conn, r.Table, r.Key)
		if deletes := c.is(dml.Deletes); deletes != "false" {
			if err := c.follow(ctx, id, f, r.Key.OnDelete, c.goneKeys(r.Key, deletes, false), false, whole); err != nil {
				return err
			}
		}
		if updates := c.is(dml.Updates); updates != "false" && c.assigns(r.Key.References, dml.Updates) {
			if err := c.follow(ctx, id, f, r.Key.OnUpdate, c.goneKeys(r.Key, updates, true), true, whole); err != nil {
				return err
			}
		}
	}
	return nil
}

// goneKeys is the query of the keys that the rows of some actions had, and with updates of those
// that they got instead.
func (c *Changes) goneKeys(k *workspace.ForeignKey, actions string, updates bool) string {
	old := workspace.ColumnNames("old.", k.References)
	news := c.columns("w.", k.References)
	var items, changed []string
	for i := range old {
		items = append(items, old[i]+" AS "+keyName(i))
		changed = append(changed, old[i]+" IS DISTINCT FROM "+news[i])
	}
	where := actions + " AND " + NotNull(old)
	if updates {
		for i := range news {
			items = append(items, news[i]+" AS "+newKeyName(i))
		}
		where += " AND (" + strings.Join(changed, " OR ") + ")"
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM " + c.Name + " AS w JOIN " + c.Write.Table.Heap.SQL() + " AS old ON old.rowid = w." + Item(1) + " WHERE " + where
}

// follow applies a referential action to the rows that reference the keys of a query.
func (c *Changes) follow(ctx context.Context, id workspace.XID, f *keyCheck, action workspace.KeyAction, keys string, update, whole bool) error {
	switch action {
	case workspace.NoAction:
		if c.defers(f.id(), f.key.Deferral, whole) {
			c.Session.Tables.Constraints.Await(f.id())
			return nil
		}
		return f.unused(ctx, f.absentKeys(keys))
	case workspace.Restrict:
		return f.unused(ctx, keys)
	}
	n, err := c.referencing(ctx, f, action, keys, update)
	if err != nil {
		return err
	}
	defer n.Drop(context.WithoutCancel(ctx)) //nolint:errcheck // after an error the engine has rolled back
	return n.inside(ctx, id, whole)
}

// referencing are the changes of the rows that reference keys of a query.
func (c *Changes) referencing(ctx context.Context, f *keyCheck, action workspace.KeyAction, keys string, update bool) (*Changes, error) {
	now := c.Session.Tables.Newest()
	from := " FROM (" + keys + ") AS g JOIN (" + f.child.Heap.LatestRows(now) + ") AS c ON " + workspace.Equal(workspace.ColumnNames("c.", f.key.Columns), keyNames("g.", len(f.key.Columns)))
	if err := c.checkOthers(ctx, f, from, &now); err != nil {
		return nil, err
	}
	act := dml.Action{Kind: dml.Updates}
	kind := syntax.Update
	if action == workspace.Cascade && !update {
		act.Kind, kind = dml.Deletes, syntax.Delete
	}
	set := f.key.Columns
	if !update && f.key.SetColumns != nil {
		set = f.key.SetColumns
	}
	items := []string{"CAST(0 AS BIGINT)", "c.row"}
	for _, k := range f.child.Columns {
		value := "c." + workspace.ColumnName(k.Number)
		assigned := act.Kind == dml.Updates && slices.Contains(set, k.Number)
		act.Assigned = append(act.Assigned, assigned || k.Generated != nil)
		if assigned {
			switch action {
			case workspace.Cascade:
				value = "CAST(g." + newKeyName(slices.Index(f.key.Columns, k.Number)) + " AS " + k.Type.EngineType() + ")"
			case workspace.SetNull:
				value = "CAST(NULL AS " + k.Type.EngineType() + ")"
			}
		}
		items = append(items, value)
	}
	query := "SELECT " + strings.Join(items, ", ") + from
	if action == workspace.SetDefault {
		var err error
		if query, err = withDefaults(c.Session, f.child, set, query); err != nil {
			return nil, err
		}
	}
	if act.Kind == dml.Updates {
		var err error
		if query, err = withGenerated(c.Session, f.child, query); err != nil {
			return nil, err
		}
	}
	n := &Changes{Conn: c.Conn, Session: c.Session, Snapshot: c.Snapshot, Name: c.Session.Temp.Name("w"), Write: &planner.Write{
		Kind: kind, Table: f.child, StoredColumns: 1, Scoped: &dml.Scoped{Matches: true, Once: true, Actions: []dml.Action{act}},
	}}
	return n, n.Conn.Exec(ctx, n.Load(query))
}

// checkOthers returns a conflict if another transaction, which runs, has made or ended one of
// the rows, or if a transaction that keeps its snapshot does not see one.
func (c *Changes) checkOthers(ctx context.Context, f *keyCheck, from string, now *workspace.Snapshot) error {
	if !f.child.Heap.Shared() {
		return nil
	}
	var met error
	err := c.Conn.Each(ctx, "SELECT DISTINCT "+strings.Join(workspace.Times("c."), ", ")+from, nil, func(b *column.Batch, i int) {
		made, ended := workspace.XID(b.Cols[0].I64[i]), workspace.XID(b.Cols[1].I64[i])
		own := slices.Contains(now.Own, made)
		switch {
		case slices.Contains(now.Running, made), c.Session.KeepsSnapshot() && !own && !c.Snapshot.Sees(made):
			met = &conflict{made}
		case ended != 0:
			met = &conflict{ended}
		}
	})
	if err != nil {
		return err
	}
	return met
}

// inside checks and writes the changes within the transaction of another write, with its
// number.
func (c *Changes) inside(ctx context.Context, id workspace.XID, whole bool) error {
	n, nulls, err := c.survey(ctx)
	if err != nil || n == 0 {
		return err
	}
	rows := "(SELECT * FROM " + c.Name + ")"
	if nulls {
		if err := c.checkNotNull(ctx, rows); err != nil {
			return err
		}
	}
	if c.Write.Kind == syntax.Update {
		if err := c.checkConditions(ctx, rows); err != nil {
			return err
		}
	}
	c.Session.Tables.WroteTo(c.Write.Table.Heap)
	return c.write(ctx, id, rows, n, whole)
}
