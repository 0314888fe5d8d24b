package query

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
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

// locking checks FOR UPDATE and its like in a query that allows it but for what is given, and
// notes the ordinary tables whose rows it locks. Of a type it asks for nothing: what a statement
// reads of it is a commit and never changes. q is nil for a query that allows no clause.
func (b *Binder) locking(clauses []*pg.Node, l *scope.Level, q *SelectQuery, unlockable string) {
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
			for _, r := range l.Namespace.Ranges {
				b.lockRows(c, strength, r, q)
			}
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
			b.lockRows(c, strength, l.Namespace.Ranges[i], q)
		}
	}
}

var lockWaits = map[pg.LockWaitPolicy]scope.LockWait{pg.LockWaitPolicy_LockWaitSkip: scope.SkipLocked, pg.LockWaitPolicy_LockWaitError: scope.NoWait}

// lockRows notes that a clause of a query locks rows of one of its relations. A clause of a view
// or a subquery locks those of the tables below.
func (b *Binder) lockRows(c *pg.LockingClause, strength string, r *scope.RangeEntry, q *SelectQuery) {
	lock := scope.RowLock{Ref: r.Ref, Clause: strength, Wait: lockWaits[c.WaitPolicy], Output: -1}
	switch {
	case r.MadeBy != "":
		return
	case r.Ref < 0, r.Shape.Kind == scope.View:
		lock.Ref = -1
	case r.Shape.Kind != scope.StoredTable:
		return
	default:
		q.locked = append(q.locked, lockedRange{len(b.RowLocks), r})
	}
	b.RowLocks = append(b.RowLocks, lock)
}

// lockedRange is a relation of a query whose rows are locked, and its place in State.RowLocks.
type lockedRange struct {
	lock int
	of   *scope.RangeEntry
}

// returnRowIDs makes the query of a statement return the ids of the rows that it locks, behind
// its columns.
func (b *Binder) returnRowIDs(q expression.Query) {
	if with, ok := q.(*withQuery); ok {
		q = with.Query
	}
	sel, ok := q.(*SelectQuery)
	if !ok || sel.ties != nil || sel.alias != "" {
		return
	}
	for i, r := range sel.locked {
		b.RowLocks[r.lock].Output = i
		b.Uses[r.of.Ref].System[scope.RowID] = true
		sel.rowIDs = append(sel.rowIDs, enginesql.Quote(r.of.EngineAlias)+"."+enginesql.Quote(b.SystemAlias(r.of.Ref, scope.RowID)))
	}
}

// rowIDOutputs are the ids of the locked rows behind the outputs of a SELECT.
func (q *SelectQuery) rowIDOutputs() string {
	var out strings.Builder
	for i, id := range q.rowIDs {
		out.WriteString(", " + id + " AS " + enginesql.Quote("ontosql row "+strconv.Itoa(i+1)))
	}
	return out.String()
}
