package transfer

import (
	"errors"

	"github.com/ontosql/ontosql"
)

var (
	// ErrOtherOntology: what lies at the target is not an earlier state of what is
	// copied there. Nothing was written.
	ErrOtherOntology = errors.New("the target holds another ontology, or commits that the source does not have")
	// ErrNotEmpty: the target holds something that is no ontology and no copy that
	// was broken off. Nothing was written.
	ErrNotEmpty = errors.New("the target is not empty")
	// ErrUnstable: somebody changed the schema again and again while it was read.
	ErrUnstable = errors.New("the schema of the source did not stand still")
)

// CopyOptions are those of every copy.
type CopyOptions struct {
	Temp string // directory for what does not fit memory
	// Progress is told how far a step is; nil for nobody.
	Progress func(step string) func(done, total int)
}

// step is the counter of one step.
func (o *CopyOptions) step(name string, total int) *counter {
	c := &counter{total: total}
	if o.Progress != nil {
		c.report = o.Progress(name)
	}
	return c
}

// Copied says what a copy did. Commits, Objects, Rows and Bytes are those of this
// run: one that goes on where another stopped has less to do.
type Copied struct {
	Head    ontosql.CommitID // of the target
	Commits int              // that became visible
	Objects int              // written
	Rows    int64            // written, where rows had to be converted
	Bytes   int64            // written as objects
	Events  int              // event data: events, claims, dead letters and sessions
	Types   int              // that were compared
	Points  int              // commits at each of which they were compared
}

// mismatch is a target that is not what was copied.
type mismatch struct{ what string }

func (e *mismatch) Error() string {
	return "the copy differs from its source: " + e.what + "; the head was not moved"
}
