package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// viewActions executes ALTER VIEW with defaults of columns, which INSERT into the view uses, and
// options.
func viewActions(s *session.Session, st *syntax.Statement, v *workspace.View) error {
	actions, err := ddlstmt.ParseViewActions(st, v.Name)
	if err != nil {
		return err
	}
	next := *v
	next.Columns = slices.Clone(v.Columns)
	for i := range actions {
		a := &actions[i]
		if a.Column == "" {
			next.Options = a.Options.Apply(next.Options)
			query, err := syntax.ViewQuery(v.Text, 0)
			if err == nil {
				err = checkUpdatable(&next, query)
			}
			if err != nil {
				return err
			}
			continue
		}
		at := slices.IndexFunc(next.Columns, func(c workspace.ViewColumn) bool { return c.Name == a.Column })
		if at < 0 {
			return pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", a.Column, v.Name)
		}
		c := &next.Columns[at]
		c.Default = ""
		if a.Default != nil {
			if c.Default, err = a.Default.DefaultOf(c.Name, c.Type, s.NewEnv()); err != nil {
				return inDefinition(err, 0)
			}
		}
	}
	s.Tables.PutView(&next)
	return nil
}

// moveView executes SET SCHEMA. The view is locked.
func moveView(ctx context.Context, s *session.Session, v *workspace.View, schema string) error {
	if schema == v.Schema && schema != workspace.TempSchema {
		return nil
	}
	if err := namespace.CheckMove(ctx, s, v.Schema, schema, v.Name); err != nil {
		return err
	}
	moved := *v
	moved.Schema = schema
	s.Tables.RemoveView(v)
	s.Tables.RenameUses(v.Schema, v.Name, moved.Schema, moved.Name)
	s.Tables.PutView(&moved)
	return nil
}
