package rewrite

import (
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

func (ns *namespace) has(alias string) bool {
	for _, r := range ns.rels {
		if r.alias == alias {
			return true
		}
	}
	return false
}
