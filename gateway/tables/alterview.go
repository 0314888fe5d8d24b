package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

func notView(name string) error {
	return pgerr.New(pgerr.WrongObjectType, "%q is not a view", name)
}

// alterView executes ALTER VIEW and ALTER TABLE of a view: RENAME TO and RENAME COLUMN. ours is
// false if the statement names no view.
func alterView(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	v, err := findView(ctx, s, *st.Target)
	if v == nil || err != nil {
		return false, err
	}
	if err := checkChange(s, st.Tag, v.Schema); err != nil {
		return true, err
	}
	rename := ddlstmt.ParseRename(st)
	if rename == nil {
		return true, sqlstate.NotSupportedYet(st.Tag + " of a view")
	}
	next := *v
	if rename.Column == "" {
		if err := lockView(ctx, s, &workspace.View{Schema: v.Schema, Name: rename.To}); err != nil {
			return true, err
		}
		if namesIn(s.Tables.Of(v.Schema), v.Schema).relations[rename.To] {
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
	v, err := findView(ctx, s, c.Table)
	switch {
	case err != nil:
		return true, err
	case v == nil && c.View:
		return true, noView(ctx, s, st, c.Table)
	case v == nil:
		return false, nil
	case !c.View && c.Column == "":
		return true, pgerr.New(pgerr.WrongObjectType, "%q is not a table", v.Name)
	}
	if err := checkChange(s, st.Tag, v.Schema); err != nil {
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

// noView is the error of a reference that names no view that a client has created.
func noView(ctx context.Context, s *session.Session, st *syntax.Statement, ref syntax.Ref) error {
	pin, err := s.Pin(ctx)
	if err != nil {
		return err
	}
	r, err := s.Resolver().Named(pin, ref)
	switch {
	case err != nil:
		return err
	case r.Stored != nil || r.Type != nil && r.Shape.Schema == "public":
		return notView(ref.Name)
	}
	return sqlstate.NotSupportedYet(st.Tag + " ON VIEW of a view of the ontology")
}
