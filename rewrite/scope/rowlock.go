package scope

// RowID is the hidden column of an ordinary table that tells its rows apart while a statement
// runs.
const RowID = "rowid"

// RowLock is what a locking clause of a SELECT asks for of one ordinary table (PostgreSQL manual,
// SELECT, "The Locking Clause").
type RowLock struct {
	Ref    int    // the reference; -1 for every reference of the statement, where the clause is of a view or a subquery
	Clause string // "FOR UPDATE"
	Wait   LockWait
	// Output is the column with the ids of the rows, counted from the end of Columns, behind which
	// it is; -1 where the rows of the clause's query are not those of the statement.
	Output int
}

// LockWait is what a locking clause says about rows that another transaction has locked.
type LockWait uint8

// The ways to treat them.
const (
	WaitForLock LockWait = iota
	SkipLocked
	NoWait
)
