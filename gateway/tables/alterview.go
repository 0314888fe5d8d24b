package tables

import (
	"context"
	"errors"
	"slices"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// alterView executes ALTER VIEW and ALTER TABLE of a view. ours is false if the statement names
// no view.
func alterView(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	v, err := namespace.FindViewLocked(ctx, s, *st.Target)
	if v == nil || err != nil {
		return false, err
	}
	if kind := ddlstmt.Altered(st); kind != "" && kind != "view" {
		return true, namespace.NotA(v.Name, kind)
	}
	if err := namespace.CheckChange(ctx, s, st.Tag, v.Schema, access.OfView(v)); err != nil {
		return true, err
	}
	if to := ddlstmt.NewOwners(st); to != nil {
		return true, namespace.Give(s, access.OfView(v), v.Schema, to, func(owner string, grants acl.Grants) { giveView(s, v, owner, grants) })
	}
	rename := ddlstmt.ParseRename(st)
	switch {
	case st.Node.GetAlterTableStmt() != nil:
		return true, viewActions(s, st, v)
	case st.Node.GetAlterObjectSchemaStmt() != nil:
		return true, moveView(ctx, s, v, st.Node.GetAlterObjectSchemaStmt().GetNewschema())
	case rename == nil:
		return true, sqlstate.NotSupportedYet(st.Tag + " of a view")
	}
	next := *v
	if rename.Column == "" {
		if err := namespace.LockView(ctx, s, &workspace.View{Schema: v.Schema, Name: rename.To}); err != nil {
			return true, err
		}
		if namespace.NamesIn(s.Tables.Of(v.Schema), v.Schema).HasRelation(rename.To) {
			return true, pgerr.New(pgerr.DuplicateTable, "relation %q already exists", rename.To)
		}
		next.Name = rename.To
		s.Tables.RemoveView(v)
		s.Tables.RenameUses(v.Schema, v.Name, next.Schema, next.Name)
		s.Tables.PutView(&next)
		return true, nil
	}
	at := slices.IndexFunc(v.Columns, func(c workspace.ViewColumn) bool { return c.Name == rename.Column })
	switch {
	case at < 0:
		return true, pgerr.New(pgerr.UndefinedColumn, "column %q does not exist", rename.Column)
	case slices.ContainsFunc(v.Columns, func(c workspace.ViewColumn) bool { return c.Name == rename.To }):
		return true, pgerr.New(pgerr.DuplicateColumn, "column %q of relation %q already exists", rename.To, v.Name)
	}
	next.Columns = slices.Clone(v.Columns)
	next.Columns[at].Name = rename.To
	s.Tables.PutView(&next)
	return true, nil
}

// commentView executes COMMENT ON VIEW, and COMMENT ON COLUMN of a view. ours is false if the
// statement names no view and COMMENT ON VIEW does not say so.
func commentView(ctx context.Context, s *session.Session, st *syntax.Statement, c *ddlstmt.Comment) (ours bool, err error) {
	v, err := namespace.FindViewLocked(ctx, s, c.Table)
	switch {
	case err != nil:
		return true, err
	case v == nil && (c.On == "view" || c.On == "materialized view"):
		return true, noView(ctx, s, st, c.Table, c.On)
	case v == nil:
		if !allMissing(ctx, s, []syntax.Ref{c.Table}) {
			return false, nil
		}
		return true, noView(ctx, s, st, c.Table, c.On)
	case c.On != "" && c.On != "view":
		return true, namespace.NotA(v.Name, c.On)
	}
	if err := namespace.CheckChange(ctx, s, st.Tag, v.Schema, access.OfView(v)); err != nil {
		return true, err
	}
	next, text := *v, ""
	if c.Text != nil {
		text = *c.Text
	}
	if c.Column == "" {
		next.Comment = text
	} else {
		next.Columns = slices.Clone(v.Columns)
		at := slices.IndexFunc(next.Columns, func(k workspace.ViewColumn) bool { return k.Name == c.Column })
		if at < 0 {
			return true, pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", c.Column, v.Name)
		}
		next.Columns[at].Comment = text
	}
	s.Tables.PutView(&next)
	return true, nil
}

// noView is the error of a reference that names no view, or materialized view, that a client has
// created.
func noView(ctx context.Context, s *session.Session, st *syntax.Statement, ref syntax.Ref, kind string) error {
	r, err := namespace.Existing(ctx, s, ref)
	switch {
	case err != nil:
		return err
	case r.Shape.Kind == scope.View || r.Type != nil && r.Shape.Schema != catalog.SchemaPublic || r.Catalog != nil && r.Catalog.View || r.Virtual != nil:
		if kind == "view" {
			return sqlstate.NotSupportedYet(st.Tag + " of a view of the ontology")
		}
	}
	return namespace.NotA(ref.Name, kind)
}

// alterMissing is the answer of an ALTER that names no relation which a client has created: of an
// ALTER VIEW or ALTER MATERIALIZED VIEW, and of every other in a transaction that has written the
// workspace. ours is false for another statement.
func alterMissing(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	kind := ddlstmt.Altered(st)
	if kind != "view" && kind != "materialized view" {
		if !allMissing(ctx, s, []syntax.Ref{*st.Target}) {
			return false, nil
		}
	}
	err = noView(ctx, s, st, *st.Target, kind)
	if ddlstmt.IfExists(st) && isMissing(err) {
		s.Notice(sqlstate.Notice("relation %q does not exist, skipping", st.Target.Name))
		return true, nil
	}
	return true, err
}

// isMissing reports whether an error says that a relation or its schema does not exist.
func isMissing(err error) bool {
	var e *pgerr.Error
	return errors.As(err, &e) && (e.Code == pgerr.UndefinedTable || e.Code == pgerr.InvalidSchemaName)
}
