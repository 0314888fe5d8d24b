package expression

import (
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// refuseSetReturning refuses a set-returning function among arguments, where PostgreSQL does.
func (b *Binder) refuseSetReturning(es []scope.Expr, format string, args ...any) {
	for _, e := range es {
		if e.ReturnsSet {
			b.Fail(pgerr.New(pgerr.FeatureNotSupported, format, args...).
				WithHint("You might be able to move the set-returning function into a LATERAL FROM item."), e.Location)
		}
	}
}

// Star is what * or t.* covers.
func (b *Binder) Star(c *pg.ColumnRef, l *scope.Level) []*scope.Column {
	if len(c.Fields) == 1 {
		if len(l.Namespace.Ranges) == 0 {
			b.Fail(pgerr.New(pgerr.SyntaxError, "SELECT * with no tables specified is not valid"), c.Location)
		}
		return l.Namespace.Columns
	}
	names := syntax.Strings(c.Fields[:len(c.Fields)-1])
	r, _ := b.Qualifier(names, l, c.Location)
	return r.Columns
}

// Condition resolves a boolean expression of a clause. where is the clause's
// name in error messages.
func (b *Binder) Condition(n *pg.Node, l *scope.Level, clause string) scope.Expr {
	saved := l.Clause
	if saved == "" && clause != "CASE/WHEN" { // which expressions CASE allows depends on the clause around it
		l.Clause = clause
	}
	b.markFilters(n)
	e := b.Expr(n, l)
	l.Clause = saved
	if e.Type.OID != types.Bool && e.Type.OID != types.Unknown {
		word := clause
		if word == "" {
			word = "HAVING"
		}
		b.Fail(pgerr.New(pgerr.DatatypeMismatch, "argument of %s must be type boolean, not type %s", word, e.Type), syntax.Location(n))
	}
	return b.Coerce(e, types.Of(types.Bool), types.ImplicitCast)
}

// SortDirection prints ASC or DESC and the place of NULLs of a sort key.
func SortDirection(b *Binder, s *pg.SortBy) string {
	dir := ""
	desc := s.SortbyDir == pg.SortByDir_SORTBY_DESC
	if s.SortbyDir == pg.SortByDir_SORTBY_USING {
		switch op := syntax.Strings(s.UseOp); op[len(op)-1] {
		case "<":
		case ">":
			desc = true
		default:
			b.Unsupported(s.Location, "ORDER BY USING is supported with < and > only")
		}
	}
	if desc {
		dir = " DESC"
	}
	switch s.SortbyNulls {
	case pg.SortByNulls_SORTBY_NULLS_FIRST:
		return dir + " NULLS FIRST"
	case pg.SortByNulls_SORTBY_NULLS_LAST:
		return dir + " NULLS LAST"
	}
	// In PostgreSQL NULL is larger than every value. The order is printed explicitly, so that
	// it does not depend on a setting of the engine.
	if desc {
		return dir + " NULLS FIRST"
	}
	return dir + " NULLS LAST"
}

// ValueOrDefault is what a list of values has for a column: an expression, or DEFAULT,
// which is NULL.
func (b *Binder) ValueOrDefault(n *pg.Node, l *scope.Level) scope.Expr {
	if d := n.GetSetToDefault(); d != nil {
		return scope.Expr{SQL: "NULL", Type: types.Of(types.Unknown), UntypedNull: true, Location: d.Location}
	}
	return b.Expr(n, l)
}
