package writepath

import (
	"fmt"

	"github.com/ontosql/ontosql"
)

// ConflictError: another commit wrote an identity after the transaction's pin
// (first committer wins). Nothing of the transaction is visible.
type ConflictError struct {
	Type     ontosql.TypeRef
	Key      string           // see Identity
	Expected ontosql.CommitID // the version the transaction saw, 0 for none
	Actual   ontosql.CommitID // the commit that came first
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s %q was written by commit %d, expected %d", e.Type, e.Key, e.Actual, e.Expected)
}

// ReadConflictError: another commit wrote rows of a type that the transaction had
// read (Tx.Reads), or changed its schema. Nothing of the transaction is visible.
type ReadConflictError struct {
	Type    ontosql.TypeRef // zero where the transaction hangs on every commit
	Pin     ontosql.CommitID
	Actual  ontosql.CommitID // the commit that came first
	Altered bool             // it changed the schema of the type
}

func (e *ReadConflictError) Error() string {
	if e.Type == (ontosql.TypeRef{}) {
		return fmt.Sprintf("commit %d came after commit %d, at which the ontology was read", e.Actual, e.Pin)
	}
	done := "written"
	if e.Altered {
		done = "altered"
	}
	return fmt.Sprintf("%s was %s by commit %d, and read at commit %d", e.Type, done, e.Actual, e.Pin)
}

// SchemaChangedError: the schema of a type is no longer the one that the rows
// were made for. Nothing of the transaction is visible.
type SchemaChangedError struct {
	Type     ontosql.TypeRef
	Expected int64
	Actual   int64 // 0 where the type does not exist, or another of its name does
}

func (e *SchemaChangedError) Error() string {
	return fmt.Sprintf("schema of %s is version %d, expected %d", e.Type, e.Actual, e.Expected)
}

// HeadConflictError: the commit before is another one than the transaction
// expected (Tx.ExpectHead). Nothing of the transaction is visible, and it is not
// tried again: its condition is about the very commit it is not fit for.
type HeadConflictError struct {
	Expected ontosql.CommitID
	Actual   ontosql.CommitID
}

func (e *HeadConflictError) Error() string {
	return fmt.Sprintf("the head is commit %d, expected %d", e.Actual, e.Expected)
}

// UnknownOutcomeError is an ontosql.ErrOutcomeUnknown with what finds the
// commit, should it have landed: it is then the commit of that id whose
// metadata names the attempt.
type UnknownOutcomeError struct {
	Commit  ontosql.CommitID
	Attempt string
	Err     error // why nobody could say
}

func (e *UnknownOutcomeError) Error() string {
	return fmt.Sprintf("%v: attempt %s: %v", ontosql.ErrOutcomeUnknown, e.Text(), e.Err)
}

// Text names the attempt for the client, who can ask what became of it with it
// (AttemptStatus), from anywhere and at any time: "42-9f3c1d2e".
func (e *UnknownOutcomeError) Text() string { return fmt.Sprintf("%d-%s", e.Commit, e.Attempt) }

// Unwrap is ontosql.ErrOutcomeUnknown and the reason.
func (e *UnknownOutcomeError) Unwrap() []error { return []error{ontosql.ErrOutcomeUnknown, e.Err} }
