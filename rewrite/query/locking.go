package query

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

const setOperators = "UNION/INTERSECT/EXCEPT"

// unlockableQuery is what FOR UPDATE does not allow in a query, because a row of it is no
// row of a table, or "" (PostgreSQL's CheckSelectLocking).
func unlockableQuery(l *scope.Level, s *pg.SelectStmt, q *SelectQuery) string {
	switch {
	case len(s.DistinctClause) > 0:
		return "DISTINCT clause"
	case len(s.GroupClause) > 0:
		return "GROUP BY clause"
	case s.HavingClause != nil:
		return "HAVING clause"
	case l.HasAggs:
		return "aggregate functions"
	case l.HasWindowFuncs:
		return "window functions"
	case slices.ContainsFunc(q.TargetList, func(tg targetEntry) bool { return tg.Expr.ReturnsSet }):
		return "set-returning functions in the target list"
	}
	return ""
}

// unlockableFrom is what FOR UPDATE does not allow in the queries among the relations.
func unlockableFrom(ns *scope.Namespace) string {
	for _, r := range ns.Ranges {
		if r.Unlockable != "" {
			return r.Unlockable
		}
	}
	return ""
}

// unlockable is what FOR UPDATE does not allow in a query of FROM.
func unlockable(q expression.Query) string {
	switch q := q.(type) {
	case *withQuery:
		return unlockable(q.Query)
	case *SelectQuery:
		return q.unlockable
	case *setQuery:
		return setOperators
	}
	return ""
}

// checkLocking checks FOR UPDATE and its like in a query that allows it but for what is
// given. The clause itself asks for nothing: what a statement reads is a commit and
// never changes.
func (b *Binder) checkLocking(clauses []*pg.Node, l *scope.Level, unlockable string) {
	for _, n := range clauses {
		c, strength := n.GetLockingClause(), syntax.LockStrength(n)
		refuse := func(with string) {
			if with != "" {
				b.Unsupported(-1, "%s is not allowed with %s", strength, with)
			}
		}
		refuse(unlockable)
		if len(c.GetLockedRels()) == 0 {
			refuse(unlockableFrom(&l.Namespace))
		}
		for _, r := range c.GetLockedRels() {
			v := r.GetRangeVar()
			if v.Schemaname != "" {
				b.Fail(pgerr.New(pgerr.SyntaxError, "%s must specify unqualified relation names", strength), v.Location)
			}
			i := slices.IndexFunc(l.Namespace.Ranges, func(r *scope.RangeEntry) bool { return r.Alias == v.Relname })
			if i < 0 {
				b.Fail(pgerr.New(pgerr.UndefinedTable, "relation %q in %s clause not found in FROM clause", v.Relname, strength), v.Location)
			}
			if made := l.Namespace.Ranges[i].MadeBy; made != "" {
				b.Unsupported(v.Location, "%s cannot be applied to %s", strength, made)
			}
			refuse(l.Namespace.Ranges[i].Unlockable)
		}
	}
}
