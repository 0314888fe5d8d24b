package sqlconn

import (
	"context"
	"errors"
	"fmt"
	"os"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
)

// StorageError wraps err with the step that failed and, where the result code has one,
// with the dictionary's error for it (Condition). A damaged file is a
// *ontosql.CorruptError. nil stays nil.
func StorageError(doing string, err error) error {
	if err == nil {
		return nil
	}
	if lite.ErrCode(err).ToPrimary() == lite.ResultCorrupt {
		err = &ontosql.CorruptError{Key: DatabaseFile, Err: err}
	}
	condition := Condition(err)
	if condition == nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return fmt.Errorf("%s: %w: %w", doing, condition, err)
}

// Condition is the dictionary's error for a result code of SQLite, such as ontosql.ErrBusy;
// nil where there is none, or where err already is one of them.
func Condition(err error) error {
	for _, known := range []error{ontosql.ErrBusy, ontosql.ErrFull, ontosql.ErrReadOnly, ontosql.ErrStorage, ontosql.ErrNotInitialised, ErrForeign, ErrEngine} {
		if errors.Is(err, known) {
			return nil // it is said already
		}
	}
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
		return ontosql.ErrStorage
	}
	code := lite.ErrCode(err)
	if code == lite.ResultIOErrSHMSize { // the index of the log, which readers need as well, could not be made long enough
		return ontosql.ErrFull
	}
	switch code.ToPrimary() {
	case lite.ResultBusy, lite.ResultLocked:
		return ontosql.ErrBusy
	case lite.ResultFull:
		return ontosql.ErrFull
	case lite.ResultReadOnly:
		return ontosql.ErrReadOnly
	case lite.ResultIOErr, lite.ResultCantOpen, lite.ResultNotADB, lite.ResultProtocol, lite.ResultNoLFS, lite.ResultPerm:
		return ontosql.ErrStorage
	}
	return nil
}

// IsBusy reports whether a statement failed because another connection holds a lock.
func IsBusy(err error) bool {
	return lite.ErrCode(err).ToPrimary() == lite.ResultBusy
}

// CommitUnconfirmed reports whether a failed COMMIT may still be recovered: the whole
// transaction was written, but the system did not confirm that it is durable.
func CommitUnconfirmed(err error) bool {
	switch lite.ErrCode(err) {
	case lite.ResultIOErrFsync, lite.ResultIOErrDirFsync:
		return true
	}
	return false
}

// ErrForeign: the file is not an ontology: it is no database, or another application's.
var ErrForeign = errors.New("not an ontology")

// ErrEngine: the file names a storage engine that this program does not know. A newer
// engine is no damage.
var ErrEngine = errors.New("the engine of the ontology is not known")

// DatabaseFile is the Key of a *ontosql.CorruptError that is about the pages of the file
// and not about the content of a table.
const DatabaseFile = "database file"

// ContextError is the cause of a context that has ended, with ctx.Err() in its chain.
func ContextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
