package syntax

import (
	pg "github.com/pganalyze/pg_query_go/v6"
)

// LockStrength is how a row is locked (PostgreSQL manual, 13.3.2).
type LockStrength uint8

// The strengths, weakest first.
const (
	ForKeyShare LockStrength = 1 + iota
	ForShare
	ForNoKeyUpdate
	ForUpdate
)

// lockClauses are the clauses of SELECT.
var lockClauses = [...]string{ForKeyShare: "FOR KEY SHARE", ForShare: "FOR SHARE", ForNoKeyUpdate: "FOR NO KEY UPDATE", ForUpdate: "FOR UPDATE"}

// String is the clause of SELECT.
func (s LockStrength) String() string { return lockClauses[s] }

// lockStrengths are the strengths of the parser.
var lockStrengths = map[pg.LockClauseStrength]LockStrength{
	pg.LockClauseStrength_LCS_FORKEYSHARE:    ForKeyShare,
	pg.LockClauseStrength_LCS_FORSHARE:       ForShare,
	pg.LockClauseStrength_LCS_FORNOKEYUPDATE: ForNoKeyUpdate,
	pg.LockClauseStrength_LCS_FORUPDATE:      ForUpdate,
}

// LockStrengthOf is the strength of a locking clause of a query.
func LockStrengthOf(clause *pg.Node) LockStrength {
	return lockStrengths[clause.GetLockingClause().GetStrength()]
}
