package sqlite

import (
	"errors"
	"fmt"

	"github.com/ontosql/ontosql"
)

// ErrReplaced: the history that a pin is of is no longer in the file. It was
// replaced or put back to an earlier state, or the commit that the pin has seen
// was not complete.
var ErrReplaced = errors.New("the history in the file is another one than when the transaction began")

// DroppedError: the rows that a pin shows of a type are gone, because a later
// commit dropped it and the original removes the rows then.
type DroppedError struct {
	Type   ontosql.TypeRef
	Commit ontosql.CommitID // the one that dropped it
}

func (e *DroppedError) Error() string {
	return fmt.Sprintf("the rows of %s are gone: commit %d dropped the type", e.Type, e.Commit)
}
