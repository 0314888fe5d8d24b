package writepath

import (
	"fmt"

	"github.com/ontosql/ontosql"
)

// ConflictError is returned if another commit wrote an identity after the transaction's pin
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

// ReadConflictError is returned if another commit wrote rows of a type that the transaction
// had read (Tx.Reads), or changed its schema. Nothing of the transaction is visible.
type ReadConflictError struct {
	Type    ontosql.TypeRef // zero if the transaction depends on every commit
	Pin     ontosql.CommitID
	Actual  ontosql.CommitID // the commit that came first
	Altered bool             // the commit changed the schema of the type
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

// SchemaChangedError is returned if a type no longer has the schema that the rows were made
// for. Nothing of the transaction is visible.
type SchemaChangedError struct {
	Type     ontosql.TypeRef
	Expected int64
	Actual   int64 // 0 if the type does not exist, or was created again
}

func (e *SchemaChangedError) Error() string {
	return fmt.Sprintf("schema of %s is version %d, expected %d", e.Type, e.Actual, e.Expected)
}

// TagConflictError is returned if another commit made, moved or removed a tag that the
// transaction changes. Nothing of the transaction is visible.
type TagConflictError struct{ Name string }

func (e *TagConflictError) Error() string {
	return fmt.Sprintf("tag %q was changed by another commit", e.Name)
}

// HeadConflictError is returned if the previous commit is not the expected one
// (Tx.ExpectHead). Nothing of the transaction is visible. It is not retried, because the
// condition cannot become true.
type HeadConflictError struct {
	Expected ontosql.CommitID
	Actual   ontosql.CommitID
}

func (e *HeadConflictError) Error() string {
	return fmt.Sprintf("the head is commit %d, expected %d", e.Actual, e.Expected)
}

// UnknownOutcomeError is an ontosql.ErrOutcomeUnknown with the id and attempt by which the
// commit can be found if it was made: its metadata names the attempt.
type UnknownOutcomeError struct {
	Commit  ontosql.CommitID
	Attempt string
	Err     error // why the outcome is unknown
}

func (e *UnknownOutcomeError) Error() string {
	return fmt.Sprintf("%v: attempt %s: %v", ontosql.ErrOutcomeUnknown, e.Text(), e.Err)
}

// Text identifies the attempt for the client, which can ask for its status (AttemptStatus) at
// any time: "42-9f3c1d2e".
func (e *UnknownOutcomeError) Text() string { return fmt.Sprintf("%d-%s", e.Commit, e.Attempt) }

// Unwrap returns ontosql.ErrOutcomeUnknown and the reason.
func (e *UnknownOutcomeError) Unwrap() []error { return []error{ontosql.ErrOutcomeUnknown, e.Err} }
