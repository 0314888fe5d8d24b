package sqlconn

import (
	"context"
	"errors"
	"fmt"
	"os"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
)

// StorageError says what a result code of SQLite means for an ontology: err
// wrapped with what was being done, and with one of the dictionary's conditions
// where there is one; a damaged file is a *ontosql.CorruptError. nil stays nil.
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

// IsBusy reports whether a statement failed because another connection has a lock.
func IsBusy(err error) bool {
	return lite.ErrCode(err).ToPrimary() == lite.ResultBusy
}

// CommitUnconfirmed reports whether a failed COMMIT may have left the transaction where a
// recovery finds it: all of it was written, and only that it would last was not
// confirmed.
func CommitUnconfirmed(err error) bool {
	switch lite.ErrCode(err) {
	case lite.ResultIOErrFsync, lite.ResultIOErrDirFsync:
		return true
	}
	return false
}

// ErrForeign: the file is no ontology: no database, or another application's.
var ErrForeign = errors.New("not an ontology")

// ErrEngine: the marker of the engine is of none that this program knows. A newer
// one is no damage.
var ErrEngine = errors.New("the engine of the ontology is not known")

// DatabaseFile is the key of a *ontosql.CorruptError that is about the pages of the
// file, and not about what stands in its tables.
const DatabaseFile = "database file"

// ContextError is why a context ended.
func ContextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
