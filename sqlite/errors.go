package sqlite

import (
	"errors"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Errors that the rooms below return for a file.
var (
	// ErrForeign: the file is not an ontology: it is no database, or another
	// application's.
	ErrForeign = sqlconn.ErrForeign
	// ErrEngine: the file names a storage engine that this program does not know. A
	// newer engine is no damage.
	ErrEngine = sqlconn.ErrEngine
)

// DatabaseFile is the Key of a *ontosql.CorruptError that is about the pages of the
// file and not about the content of a table.
const DatabaseFile = sqlconn.DatabaseFile

// ErrReplaced: the file no longer holds the history that a pin belongs to. The file was
// replaced or restored to an earlier state, or the pinned commit was not complete.
var ErrReplaced = errors.New("the history in the file is another one than when the transaction began")

// DroppedError: the pinned rows of a type are gone, because a later commit dropped the
// type. The original library deletes the rows of a dropped type.
type DroppedError struct {
	Type   ontosql.TypeRef
	Commit ontosql.CommitID // the one that dropped it
}

func (e *DroppedError) Error() string {
	return fmt.Sprintf("the rows of %s are gone: commit %d dropped the type", e.Type, e.Commit)
}
