package tables

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// Drop executes DROP of ordinary tables, their indexes and sequences, DROP VIEW, DROP MATERIALIZED
// VIEW, and DROP SCHEMA. ours is false if the statement names none of them.
func Drop(ctx context.Context, s *session.Session, st *syntax.Statement, by InUse) (ours bool, err error) {
	drops, err := ddlstmt.ParseDrops(st)
	switch {
	case err != nil:
		return false, err
	case drops.Object == "index":
		return dropIndexes(ctx, s, st, drops)
	case drops.Object == "sequence":
		return sequences.DropAll(ctx, s, st, drops)
	case drops.Object == "schema":
		return DropSchemas(ctx, s, st, drops)
	case drops.Object != "table" && drops.Object != "view" && drops.Object != "materialized view":
		return false, nil
	case !slices.ContainsFunc(drops.Names, func(ref syntax.Ref) bool { return namespace.MayName(s, ref) || sequences.Find(s, ref) != nil }):
		if !allMissing(ctx, s, drops.Names) {
			return false, nil
		}
	}
	if err := s.CheckReadWrite(st.Tag); err != nil {
		return true, err
	}
	d := &drop{session: s, st: st, drops: drops}
	for i := range drops.Names {
		if err := d.find(ctx, i); err != nil {
			return true, err
		}
	}
	if len(d.tables)+len(d.views) == 0 {
		return true, nil
	}
	if err := d.cascade(ctx); err != nil {
		return true, err
	}
	if err := checkNotInUse(d.tables, by, strings.ToUpper("DROP "+drops.Object)); err != nil {
		return true, err
	}
	if err := modify.CheckNotAwaited(s, d.tables, "DROP TABLE"); err != nil {
		return true, err
	}
	for _, v := range d.views {
		s.Tables.RemoveView(v)
	}
	for _, t := range d.tables {
		s.Tables.Remove(t)
	}
	return true, nil
}

// allMissing reports whether a transaction that has written the workspace names relations that do
// not exist: the ontology would refuse the statement because of what was written.
func allMissing(ctx context.Context, s *session.Session, refs []syntax.Ref) bool {
	if !s.Tables.Wrote() {
		return false
	}
	return !slices.ContainsFunc(refs, func(ref syntax.Ref) bool {
		_, err := namespace.Existing(ctx, s, ref)
		return !isMissing(err)
	})
}

// drop is a DROP of tables or views.
type drop struct {
	session *session.Session
	st      *syntax.Statement
	drops   *ddlstmt.Drops
	tables  []*workspace.Table
	views   []*workspace.View
}

// find finds the relation of name i and locks it.
func (d *drop) find(ctx context.Context, i int) error {
	s, ref := d.session, d.drops.Names[i]
	t, err := namespace.FindLocked(ctx, s, ref, database.AccessExclusive)
	if err != nil {
		return err
	}
	v, err := namespace.FindViewLocked(ctx, s, ref)
	switch {
	case err != nil:
		return err
	case t == nil && v == nil && sequences.Find(s, ref) != nil:
		article := map[string]string{"table": "a table", "view": "a view"}[d.drops.Object]
		return pgerr.New(pgerr.WrongObjectType, "%q is not %s", ref.Name, article).WithHint("Use DROP SEQUENCE to remove a sequence.")
	case t == nil && v == nil:
		return d.missing(ctx, ref)
	case t != nil && d.drops.Object != t.Kind():
		return d.wrong(t.Name, t.Kind())
	case v != nil && d.drops.Object != "view":
		return d.wrong(v.Name, "view")
	case t != nil && !slices.Contains(d.tables, t):
		d.tables = append(d.tables, t)
		return namespace.CheckChange(ctx, s, d.st.Tag, t.Schema, access.OfTable(t))
	case v != nil && !slices.Contains(d.views, v):
		d.views = append(d.views, v)
		return namespace.CheckChange(ctx, s, d.st.Tag, v.Schema, access.OfView(v))
	}
	return nil
}

// wrong is the error of a relation of another kind than the statement drops.
func (d *drop) wrong(name, kind string) error {
	return pgerr.New(pgerr.WrongObjectType, "%q is not a %s", name, d.drops.Object).WithHint("Use DROP %s to remove a %s.", strings.ToUpper(kind), kind)
}

// names reports whether the statement itself names a view or a materialized view.
func (d *drop) names(v *workspace.View) bool {
	return slices.Contains(d.views, v) || slices.ContainsFunc(d.tables, func(t *workspace.Table) bool { return t.View == v })
}

// missing is the error, or the notice, of a name that is of no ordinary relation.
func (d *drop) missing(ctx context.Context, ref syntax.Ref) error {
	err := namespace.MustExist(ctx, d.session, ref)
	if err == nil {
		return namespace.Mixed(d.st)
	}
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code != pgerr.UndefinedTable && e.Code != pgerr.InvalidSchemaName {
		return err
	}
	if e.Code == pgerr.UndefinedTable {
		e = pgerr.New(pgerr.UndefinedTable, "%s %q does not exist", d.drops.Object, ref.Name)
	}
	if d.drops.IfExists {
		d.session.Notice(sqlstate.Notice("%s, skipping", e.Message))
		return nil
	}
	return e
}

// cascade adds the views that depend on what is dropped. Without CASCADE they are an error
// (PostgreSQL manual, 5.14).
func (d *drop) cascade(ctx context.Context) error {
	all, of := d.session.Tables.Everything(), namespace.NewDependents(d.session)
	add := func(kind, schema, name string) {
		for _, v := range all.Dependents(schema, name) {
			if !d.names(v.View) {
				of.AddDependent(v, kind, schema, name)
			}
		}
	}
	var names []string
	for _, t := range d.tables {
		add(t.Kind(), t.Schema, t.Name)
		names = append(names, t.Kind()+" "+of.Shown(t.Schema, t.Name))
	}
	owned := sequences.AddOwned(d.session, of, d.tables)
	of.AddReferences(d.tables)
	for _, v := range d.views {
		add("view", v.Schema, v.Name)
		names = append(names, "view "+of.Shown(v.Schema, v.Name))
	}
	what := "desired object(s) because other objects depend on them"
	if len(names) == 1 {
		what = strings.Join(names, "") + " because other objects depend on it"
	}
	if err := of.Report(what, d.drops.Cascade); err != nil {
		return err
	}
	for _, v := range of.Views {
		if err := namespace.LockView(ctx, d.session, v); err != nil {
			return err
		}
	}
	d.views = append(d.views, of.Views...)
	if err := of.DropKeys(ctx); err != nil {
		return err
	}
	for _, q := range owned {
		if err := sequences.Remove(ctx, d.session, q); err != nil {
			return err
		}
	}
	return nil
}
