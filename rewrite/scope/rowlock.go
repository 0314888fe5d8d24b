package scope

import "github.com/ontosql/ontosql/rewrite/syntax"

// RowLock says that a query locks the rows of a reference (SELECT FOR UPDATE and its like).
type RowLock struct {
	Ref      int
	Strength syntax.LockStrength
	Wait     LockWait
}

// RowID is the hidden column of an ordinary table that tells its rows apart while a statement
// runs.
const RowID = "rowid"

// LockWait says what happens to a row that another transaction has locked.
type LockWait uint8

// What can happen. Of two clauses for one table the greater one holds.
const (
	WaitForLock LockWait = iota
	SkipLocked
	NoWait
)

// AddRowLock notes that the rows of a reference are locked. It returns the number of the lock in
// Scoped.RowLocks.
func (b *State) AddRowLock(l RowLock) int {
	b.rowLocks = append(b.rowLocks, l)
	return len(b.rowLocks) - 1
}
