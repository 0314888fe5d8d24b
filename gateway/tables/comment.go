package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// Comment executes COMMENT ON an ordinary table, a view or a sequence, one of their columns,
// constraints or indexes, or a schema of the workspace. ours is false if the statement names none.
func Comment(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	c, err := ddlstmt.ParseComment(st)
	if err != nil {
		return false, err
	}
	text := ""
	if c.Text != nil {
		text = *c.Text
	}
	switch c.On {
	case "sequence":
		return sequences.Comment(ctx, s, st, c)
	case "schema":
		return true, commentSchema(ctx, s, st.Tag, c.Name, text)
	case "index":
		return true, commentIndex(ctx, s, st, c.Table, text)
	}
	t, err := namespace.FindLocked(ctx, s, c.Table, database.ShareUpdateExclusive)
	if err != nil {
		return true, err
	}
	switch {
	case t == nil && c.On == "constraint":
		return commentOnNone(ctx, s, c)
	case t == nil:
		return commentView(ctx, s, st, c)
	}
	if c.On != "" && c.On != "constraint" && c.On != t.Kind() {
		return true, namespace.NotA(t.Name, c.On)
	}
	if err := namespace.CheckChange(ctx, s, st.Tag, t.Schema, access.OfTable(t)); err != nil {
		return true, err
	}
	next := *t
	switch {
	case c.On == "constraint":
		err = commentConstraint(&next, c.Name, text)
	case c.Column == "":
		next.Comment = text
	default:
		next.Columns = slices.Clone(t.Columns)
		k := next.Column(c.Column)
		if k == nil {
			return true, pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", c.Column, sqlstate.RelationName(c.Table))
		}
		k.Comment = text
	}
	if err == nil {
		s.Tables.Put(&next)
	}
	return true, err
}

// commentOnNone is the error of COMMENT ON CONSTRAINT of a relation that is no table. ours is false
// if it is a type.
func commentOnNone(ctx context.Context, s *session.Session, c *ddlstmt.Comment) (ours bool, err error) {
	if err := namespace.MustExist(ctx, s, c.Table); err != nil {
		return true, err
	}
	v, err := namespace.FindView(ctx, s, c.Table)
	if v != nil && err == nil {
		err = noConstraintFor(c.Table.Name, c.Name)
	}
	return v != nil, err
}

func noConstraintFor(table, name string) error {
	return pgerr.New(pgerr.UndefinedObject, "constraint %q for table %q does not exist", name, table)
}

// commentConstraint sets the comment of a constraint in a definition.
func commentConstraint(t *workspace.Table, name, text string) error {
	switch {
	case !namespace.HasConstraint(t, name):
		return noConstraintFor(t.Name, name)
	case namespace.ForeignKey(t, name) != nil:
		t.ForeignKeys = slices.Clone(t.ForeignKeys)
		namespace.ForeignKey(t, name).Comment = text
	}
	t.Checks = slices.Clone(t.Checks)
	for i := range t.Checks {
		if t.Checks[i].Name == name {
			t.Checks[i].Comment = text
		}
	}
	changeKey(t, name, func(u *workspace.Unique) { u.Comment = text })
	return nil
}

// changeKey changes the PRIMARY KEY or UNIQUE constraint of a name in a definition, if it has it.
func changeKey(t *workspace.Table, name string, change func(*workspace.Unique)) {
	if t.Key != nil && t.Key.Name == name {
		key := *t.Key
		change(&key)
		t.Key = &key
	}
	t.Uniques = slices.Clone(t.Uniques)
	for i := range t.Uniques {
		if t.Uniques[i].Name == name {
			change(&t.Uniques[i])
		}
	}
}

// commentIndex executes COMMENT ON INDEX.
func commentIndex(ctx context.Context, s *session.Session, st *syntax.Statement, ref syntax.Ref, text string) error {
	t, at, err := lockIndex(ctx, s, st, ref)
	if t == nil && err == nil {
		if err = namespace.MustExist(ctx, s, ref); err == nil {
			err = namespace.NotA(ref.Name, "index")
		}
	}
	if err != nil {
		return err
	}
	next := *t
	if at < 0 {
		changeKey(&next, ref.Name, func(u *workspace.Unique) { u.IndexComment = text })
	} else {
		next.Indexes = slices.Clone(t.Indexes)
		next.Indexes[at].Comment = text
	}
	s.Tables.Put(&next)
	return nil
}

// commentSchema executes COMMENT ON SCHEMA.
func commentSchema(ctx context.Context, s *session.Session, tag, name, text string) error {
	if slices.Contains(catalog.Schemas, name) {
		return pgerr.Unsupported("COMMENT ON SCHEMA %s is not supported", namespace.QuotedName("", name))
	}
	if err := namespace.LockSchema(ctx, s, name, database.ShareUpdateExclusive); err != nil {
		return err
	}
	d := s.Tables.Shared().Schema(name)
	if d == nil {
		return sqlstate.UndefinedSchema(name)
	}
	if err := namespace.CheckShared(s, tag); err != nil {
		return err
	}
	if err := namespace.CheckOwner(ctx, s, access.OfSchema(d, name)); err != nil {
		return err
	}
	next := *d
	next.Comment = text
	s.Tables.PutSchema(&next)
	return nil
}
