package ontosql

import (
	"errors"
	"fmt"
)

// Conditions that more than one room branches on. gateway turns each into a
// SQLSTATE and cmd/ontosql into an exit code.
var (
	// ErrNotInitialised: there is no ontology at this address (no head object).
	ErrNotInitialised = errors.New("storage is not initialised")
	// ErrHeadMoved: another commit took our number; nothing of ours is visible,
	// so it is safe to rebase and try again.
	ErrHeadMoved = errors.New("head moved")
	// ErrOutcomeUnknown: a head swap was sent and its outcome could not be determined. It does
	// not mean that the commit failed.
	ErrOutcomeUnknown = errors.New("outcome of the commit is unknown")
	// ErrBusy: another process held the file of the ontology locked for as long as
	// was to be waited. Nothing was written.
	ErrBusy = errors.New("another process holds the database file")
	// ErrFull: there is no room where the ontology is kept. Nothing was written.
	ErrFull = errors.New("no room where the ontology is kept")
	// ErrReadOnly: the ontology cannot be written from here.
	ErrReadOnly = errors.New("storage is read-only")
	// ErrStorage: the file of the ontology could not be read or written, or no longer exists.
	ErrStorage = errors.New("storage failed")
)

// CorruptError is a stored object that contradicts the format or another
// object. Field may be empty when the object as a whole is at fault.
type CorruptError struct {
	Key   string // object key, relative to the store's prefix
	Field string // JSON path or column
	Err   error
}

func (e *CorruptError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s: %v", e.Key, e.Err)
	}
	return fmt.Sprintf("%s: %s: %v", e.Key, e.Field, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// Corrupt says that field of the object at key is not what it must be.
func Corrupt(key, field, format string, args ...any) error {
	return &CorruptError{Key: key, Field: field, Err: fmt.Errorf(format, args...)}
}
