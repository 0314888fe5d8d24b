package tables

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/tables/sequences"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Comment executes COMMENT ON TABLE, VIEW, MATERIALIZED VIEW or COLUMN of an ordinary table or a view. ours is false if the
// statement names none.
func Comment(ctx context.Context, s *session.Session, st *syntax.Statement) (ours bool, err error) {
	c, err := ddlstmt.ParseComment(st)
	if err != nil {
		return false, err
	}
	if c.On == "sequence" {
		return sequences.Comment(ctx, s, st, c)
	}
	t, err := namespace.FindLocked(ctx, s, c.Table, database.ShareUpdateExclusive)
	if err != nil {
		return true, err
	}
	if t == nil {
		return commentView(ctx, s, st, c)
	}
	if c.On != "" && c.On != t.Kind() {
		return true, notA(t.Name, c.On)
	}
	if err := namespace.CheckChange(s, st.Tag, t.Schema); err != nil {
		return true, err
	}
	next, text := *t, ""
	if c.Text != nil {
		text = *c.Text
	}
	if c.Column == "" {
		next.Comment = text
	} else {
		next.Columns = slices.Clone(t.Columns)
		k := next.Column(c.Column)
		if k == nil {
			return true, pgerr.New(pgerr.UndefinedColumn, "column %q of relation %q does not exist", c.Column, sqlstate.RelationName(c.Table))
		}
		k.Comment = text
	}
	s.Tables.Put(&next)
	return true, nil
}
