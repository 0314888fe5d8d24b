package syntax

import (
	pg "github.com/pganalyze/pg_query_go/v6"
)

// lockStrengths are the locking clauses as error messages name them.
var lockStrengths = map[pg.LockClauseStrength]string{
	pg.LockClauseStrength_LCS_FORKEYSHARE:    "FOR KEY SHARE",
	pg.LockClauseStrength_LCS_FORSHARE:       "FOR SHARE",
	pg.LockClauseStrength_LCS_FORNOKEYUPDATE: "FOR NO KEY UPDATE",
	pg.LockClauseStrength_LCS_FORUPDATE:      "FOR UPDATE",
}

// LockStrength is the locking clause of a node in words: "FOR UPDATE".
func LockStrength(clause *pg.Node) string {
	return lockStrengths[clause.GetLockingClause().GetStrength()]
}
