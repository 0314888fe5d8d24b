package rewrite

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// lockStrengths are the locking clauses as error messages name them.
var lockStrengths = map[pg.LockClauseStrength]string{
	pg.LockClauseStrength_LCS_FORKEYSHARE:    "FOR KEY SHARE",
	pg.LockClauseStrength_LCS_FORSHARE:       "FOR SHARE",
	pg.LockClauseStrength_LCS_FORNOKEYUPDATE: "FOR NO KEY UPDATE",
	pg.LockClauseStrength_LCS_FORUPDATE:      "FOR UPDATE",
}

// checkLocking checks the names of FOR UPDATE OF and its like. The clause itself
// asks for nothing: what a statement reads is a commit and never changes.
func (b *binder) checkLocking(clauses []*pg.Node, l *level) {
	for _, n := range clauses {
		c := n.GetLockingClause()
		strength := lockStrengths[c.GetStrength()]
		for _, r := range c.GetLockedRels() {
			v := r.GetRangeVar()
			if v.Schemaname != "" {
				b.fail(pgerr.New(pgerr.SyntaxError, "%s must specify unqualified relation names", strength), v.Location)
			}
			if !l.ns.has(v.Relname) {
				b.fail(pgerr.New(pgerr.UndefinedTable, "relation %q in %s clause not found in FROM clause", v.Relname, strength), v.Location)
			}
		}
	}
}

// refuseLocking refuses a locking clause where rows are none of a table.
func (b *binder) refuseLocking(clauses []*pg.Node, format string) {
	if len(clauses) > 0 {
		b.fail(pgerr.New(pgerr.FeatureNotSupported, format, lockStrengths[clauses[0].GetLockingClause().Strength]), -1)
	}
}

// checkLockable refuses what PostgreSQL's CheckSelectLocking refuses of a resolved SELECT.
func (b *binder) checkLockable(s *pg.SelectStmt, l *level, q *selectQuery) {
	if len(s.LockingClause) == 0 {
		return
	}
	windows, sets := false, false
	for _, n := range append(slices.Clone(s.TargetList), s.SortClause...) {
		visit(n.ProtoReflect(), func(m any) bool {
			f, ok := m.(*pg.FuncCall)
			windows = windows || ok && f.Over != nil
			_, sub := m.(*pg.SubLink)
			return !sub
		})
	}
	for _, tg := range q.targets {
		sets = sets || tg.e.set
	}
	for _, with := range []struct {
		is   bool
		what string
	}{
		{len(s.DistinctClause) > 0, "DISTINCT clause"},
		{len(s.GroupClause) > 0, "GROUP BY clause"},
		{s.HavingClause != nil, "HAVING clause"},
		{l.hasAgg, "aggregate functions"},
		{windows, "window functions"},
		{sets, "set-returning functions in the target list"},
	} {
		if with.is {
			b.refuseLocking(s.LockingClause, "%s is not allowed with "+with.what)
		}
	}
	b.checkLocking(s.LockingClause, l)
}

func (ns *namespace) has(alias string) bool {
	for _, r := range ns.rels {
		if r.alias == alias {
			return true
		}
	}
	return false
}
