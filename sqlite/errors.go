package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql"
)

// ErrForeign: the file is no ontology: no database, or another application's.
var ErrForeign = errors.New("not an ontology")

// ErrEngine: the marker of the engine is of none that this program knows. A newer
// one is no damage.
var ErrEngine = errors.New("the engine of the ontology is not known")

// DatabaseFile is the key of a *ontosql.CorruptError that is about the pages of the
// file, and not about what stands in its tables.
const DatabaseFile = "database file"

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

// ended is why a context ended.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
