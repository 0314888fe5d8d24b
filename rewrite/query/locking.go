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

// checkLocking checks FOR UPDATE and its like in a query that allows it but for what is
// given. For types the clause asks for nothing: what a statement reads is a commit and never
// changes.
func (b *Binder) checkLocking(clauses []*pg.Node, l *scope.Level, unlockable string) {
	for _, n := range clauses {
		c, strength := n.GetLockingClause(), syntax.LockStrengthOf(n)
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

// lockRequest is a locking clause of a query.
type lockRequest struct {
	of       []string // aliases, nil for all
	strength syntax.LockStrength
	wait     scope.LockWait
}

// levelLocks are the locking clauses of a query, and what its FROM has for them.
type levelLocks struct {
	requests []lockRequest
	found    []lockedRange
	required map[*scope.RangeEntry]bool // WHERE names a column of it
}

// lockedRange is a relation whose rows are locked: a reference or a query.
type lockedRange struct {
	relation *scope.RangeEntry
	lock     scope.RowLock
	row      string // the row id as SQL, "" where a query below locks the rows
}

// lockedRows are the rows that a SELECT locks.
type lockedRows struct {
	alias      string
	rows       []string // their ids as SQL
	conditions []string // over the outputs with the ids
}

// waitOf are the values of pg.LockWaitPolicy.
var waitOf = map[pg.LockWaitPolicy]scope.LockWait{
	pg.LockWaitPolicy_LockWaitBlock: scope.WaitForLock, pg.LockWaitPolicy_LockWaitSkip: scope.SkipLocked, pg.LockWaitPolicy_LockWaitError: scope.NoWait,
}

// takeInherited are the clauses that the query around has for the query that begins.
func (b *Binder) takeInherited() []lockRequest {
	inherited := b.inherited
	b.inherited = nil
	return inherited
}

// beginLocking makes the clauses of a query hold for the relations that are resolved, until end.
func (b *Binder) beginLocking(s *pg.SelectStmt) (end func()) {
	around, requests := b.locking, b.takeInherited()
	for _, n := range s.LockingClause {
		c := n.GetLockingClause()
		r := lockRequest{strength: syntax.LockStrengthOf(n), wait: waitOf[c.WaitPolicy]}
		for _, of := range c.LockedRels {
			r.of = append(r.of, of.GetRangeVar().GetRelname())
		}
		requests = append(requests, r)
	}
	b.locking = nil
	if len(requests) > 0 {
		b.locking = &levelLocks{requests: requests, required: map[*scope.RangeEntry]bool{}}
	}
	return func() { b.locking = around }
}

// of is the strongest of the clauses that hold for an alias. ok is false if none does.
func (l *levelLocks) of(alias string) (lock scope.RowLock, ok bool) {
	if l == nil {
		return lock, false
	}
	for _, r := range l.requests {
		if r.of == nil || slices.Contains(r.of, alias) {
			lock.Strength, lock.Wait, ok = max(lock.Strength, r.strength), max(lock.Wait, r.wait), true
		}
	}
	return lock, ok
}

// lockReference locks the rows of a reference to an ordinary table if a clause asks for it.
func (b *Binder) lockReference(r *scope.RangeEntry) {
	lock, ok := b.locking.of(r.Alias)
	if !ok {
		return
	}
	if b.Uses[r.Ref].Locked = true; b.Shapes[r.Ref].Kind != scope.StoredTable {
		return
	}
	lock.Ref = r.Ref
	b.Uses[r.Ref].System[scope.RowID] = true
	row := enginesql.Quote(r.EngineAlias) + "." + enginesql.Quote(b.SystemAlias(r.Ref, scope.RowID))
	b.locking.found = append(b.locking.found, lockedRange{r, lock, row})
}

// lockBelow hands the clauses that hold for a query of FROM on to it, which is resolved next: they
// lock all of its relations.
func (b *Binder) lockBelow(r *scope.RangeEntry) {
	lock, ok := b.locking.of(r.Alias)
	if !ok {
		return
	}
	b.inherited = []lockRequest{{strength: lock.Strength, wait: lock.Wait}}
	if lock.Ref = r.Ref; r.Ref >= 0 {
		b.AddRowLock(lock) // the planner refuses those of some views
	}
	b.locking.found = append(b.locking.found, lockedRange{r, lock, ""})
}

// filtered notes which relations have a column in WHERE.
func (l *levelLocks) filtered(uses []scope.ColumnUse) {
	if l == nil {
		return
	}
	for _, u := range uses {
		if u.Column != nil && u.Column.Range != nil {
			l.required[u.Column.Range] = true
		}
	}
}

// rowLocks are the rows that the query locks, nil for none. PostgreSQL refuses relations that an
// outer join may leave without a row. It makes an inner join of some, and this does not tell
// which: a relation that WHERE names is accepted.
func (b *Binder) rowLocks() *lockedRows {
	if b.locking == nil {
		return nil
	}
	out := &lockedRows{}
	for _, f := range b.locking.found {
		if f.relation.Nullable && !b.locking.required[f.relation] {
			b.Unsupported(-1, "%s cannot be applied to the nullable side of an outer join", f.lock.Strength)
		}
		if f.row == "" {
			continue
		}
		if out.alias == "" {
			out.alias = b.UniqueAlias("locked")
		}
		name := enginesql.Quote(out.alias) + "." + lockedRow(len(out.rows))
		out.rows = append(out.rows, f.row)
		out.conditions = append(out.conditions, b.RowLocked(b.AddRowLock(f.lock), name))
	}
	if len(out.rows) == 0 {
		return nil
	}
	return out
}

// lockedRow is the name of output i with a row id: no query of a client has such a name.
func lockedRow(i int) string { return enginesql.Quote("ontosql locked " + strconv.Itoa(i)) }

// outputs are the row ids behind the outputs of a SELECT. Each is the result of a volatile
// function, so that the engine evaluates the conditions on them only for rows of the SELECT, and
// not for each row that it reads.
func (k *lockedRows) outputs() string {
	if k == nil {
		return ""
	}
	var out strings.Builder
	for i, row := range k.rows {
		out.WriteString(", CAST(" + row + " AS BIGINT) + CAST(floor(random()) AS BIGINT) AS " + lockedRow(i))
	}
	return out.String()
}

// columns are the columns of outputs.
func (k *lockedRows) columns() (cols []scope.OutputColumn) {
	if k == nil {
		return nil
	}
	for i := range k.rows {
		cols = append(cols, scope.OutputColumn{EngineName: "ontosql locked " + strconv.Itoa(i)})
	}
	return cols
}

// around prints the query around the rows of a SELECT that tells the session which rows are
// locked: those that LIMIT has left.
func (k *lockedRows) around(q *SelectQuery, rows string) string {
	if k == nil {
		return rows
	}
	var names []string
	for _, tg := range q.TargetList {
		names = append(names, enginesql.Quote(tg.EngineName))
	}
	for _, i := range q.exposed {
		names = append(names, enginesql.Quote(textColumnName(i)))
	}
	if len(q.TargetList) == 0 {
		names = []string{"NULL"}
	}
	return "SELECT " + strings.Join(names, ", ") + " FROM (" + rows + ") AS " + enginesql.Quote(k.alias) + " WHERE " + strings.Join(k.conditions, " AND ")
}
