package transfer

import (
	"errors"

	"github.com/ontosql/ontosql"
)

var (
	// ErrOtherOntology is returned if the target is not an earlier state of the source.
	// Nothing was written.
	ErrOtherOntology = errors.New("the target holds another ontology, or commits that the source does not have")
	// ErrNotEmpty is returned if the target has contents that are neither an ontology nor an
	// interrupted copy. Nothing was written.
	ErrNotEmpty = errors.New("the target is not empty")
	// ErrUnstable is returned if the schema changed at every attempt to read it.
	ErrUnstable = errors.New("the schema of the source kept changing while it was read")
)

// CopyOptions are the options of all copies.
type CopyOptions struct {
	Temp string // directory for data that does not fit into memory
	// Progress, if not nil, returns the function to call with the progress of a step.
	Progress func(step string) func(done, total int)
}

// step returns the counter of one step.
func (o *CopyOptions) step(name string, total int) *counter {
	c := &counter{total: total}
	if o.Progress != nil {
		c.report = o.Progress(name)
	}
	return c
}

// Copied is the result of a copy. Commits, Objects, Rows and Bytes count this run only: a run
// that resumes an interrupted one has less to do.
type Copied struct {
	Head    ontosql.CommitID // of the target
	Commits int              // that became visible
	Objects int              // written
	Rows    int64            // written, where rows had to be converted
	Bytes   int64            // written as objects
	Events  int              // event data: events, claims, dead letters and sessions
	Types   int              // number of types compared
	Points  int              // number of commits compared
}

// mismatch is the error for a target that differs from the source.
type mismatch struct{ what string }

func (e *mismatch) Error() string {
	return "the copy differs from its source: " + e.what + "; the head was not moved"
}
