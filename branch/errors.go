package branch

import (
	"errors"
	"fmt"

	"github.com/ontosql/ontosql"
)

var (
	// ErrTaken is returned if the place of a new branch holds something else. Nothing was written.
	ErrTaken = errors.New("there is something else at the address of the branch")
	// ErrOtherKind is returned if one store is a bucket and the other a SQLite file, so that the
	// commits of one cannot be those of the other. Nothing was written.
	ErrOtherKind = errors.New("one store is a SQLite file and the other is not")
	// ErrUnrelated is returned if two stores have no commit in common, so that they are not branches
	// of one ontology.
	ErrUnrelated = errors.New("the two stores have no commit in common")
	// ErrPurged is returned if rows of a type were removed from a SQLite file after the point of a
	// new branch. Nothing was written.
	ErrPurged = errors.New("rows of the point were purged")
)

// UnknownCommitError is a point that a store does not have.
type UnknownCommitError struct {
	Address      string
	Commit, Head ontosql.CommitID
}

func (e *UnknownCommitError) Error() string {
	return fmt.Sprintf("%s has no commit %d: its head is commit %d", e.Address, e.Commit, e.Head)
}
