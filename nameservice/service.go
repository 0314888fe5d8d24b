package nameservice

import (
	"context"
	"errors"
)

var (
	// ErrNotFound: there is no such record. A record that is there and has no data yet is unborn,
	// which is no error.
	ErrNotFound = errors.New("no such record")
	// ErrExists: there is a record with this alias already, maybe a retracted one.
	ErrExists = errors.New("the record exists")
	// ErrType: the type or the dependencies of a record do not fit its alias.
	ErrType = errors.New("the type does not fit the alias")
)

// Service keeps records. Other processes work on the same records. All methods are safe for
// concurrent use. Callers may change the records that they get, but not the payloads.
//
// An alias that the store cannot keep is a *NameError. A stored record that is damaged is a
// *ontosql.CorruptError that names it, or the file. If the answer of the store was lost and looking
// does not tell what became of a write, the error wraps ontosql.ErrOutcomeUnknown. Other errors are
// those of the store. Errors wrap the alias they are about.
type Service interface {
	// Create stores a new record, unborn, with the status ready. The error is ErrExists if there is
	// one, of any state; ErrType; or a *NameError.
	Create(ctx context.Context, n New) (*Record, error)
	// Get returns the record with all that was written before the call. The error is ErrNotFound if
	// there is none.
	Get(ctx context.Context, a Alias) (*Record, error)
	// List returns the records of a type, or all for "", by their pk, retracted ones too. Damaged
	// records are left out and reported (see the implementation); they fail nothing. A record that
	// is created or removed meanwhile may be in the list or not.
	List(ctx context.Context, kind string) ([]*Record, error)

	// Write makes an edit if its condition holds: NewPush, NewFastForward, NewRetract. It never
	// creates a record: without one the result is a conflict without an actual value. It touches
	// nothing but the concern of the edit. The error wraps ErrPayload if the value cannot be stored.
	Write(ctx context.Context, a Alias, e Edit) (Result, error)

	// Purge removes a retracted record for good, if nothing of it was written since it was seen
	// (MayPurge). What it refers to stays. After a conflict the actual value is the status.
	Purge(ctx context.Context, seen *Record) (Result, error)
	// Migrate stores a record of version 1 as version 2. false means that it was version 2 already.
	// The error is ErrNotFound if there is no record.
	Migrate(ctx context.Context, a Alias) (bool, error)
}
