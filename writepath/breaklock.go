package writepath

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// ObservedLock is a write lock as somebody saw it who does not hold it.
type ObservedLock struct {
	format.Lock
	// Version changes whenever the lock does, renewals included.
	Version string
	// Free: nobody holds it, and its object only waits for the next one.
	Free bool
}

// Token names the lock as it was seen: its owner, when he took it, and its
// version. Whoever breaks a lock proves with it which one he means.
func (s *ObservedLock) Token() string {
	sum := sha256.Sum256([]byte(s.OwnerID + "\n" + s.AcquiredAt.String() + "\n" + s.Version))
	return hex.EncodeToString(sum[:8])
}

// ErrLockChanged: the write lock is not the one that was to be broken. Its owner
// renewed it, and so is alive, or another one has it, or nobody.
var ErrLockChanged = errors.New("the lock has changed since it was seen")

// Check is nil for the token of the lock, else an error that is ErrLockChanged and
// says who has the lock. It may be asked of a nil lock.
func (s *ObservedLock) Check(token string) error {
	switch {
	case s == nil || s.Free:
		return fmt.Errorf("%w: nobody holds it", ErrLockChanged)
	case s.Token() != token:
		return fmt.Errorf("%w: %s has it until %s", ErrLockChanged, s.OwnerID, s.ExpiresAt)
	}
	return nil
}

// ReadLock is the write lock of a store as it stands, nil where there is none. One
// that cannot be read is free, as it is for every writer. The error is ontosql.ErrNotInitialised where there is no ontology, or the bucket's.
func ReadLock(ctx context.Context, b objstore.Bucket) (*ObservedLock, error) {
	_, _, err := b.Get(ctx, format.HeadKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, ontosql.ErrNotInitialised
	}
	if err != nil {
		return nil, fmt.Errorf("read head: %w", err)
	}
	body, version, err := b.Get(ctx, format.LockKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read lock: %w", err)
	}
	seen := &ObservedLock{Version: string(version)}
	if lock, err := format.DecodeLock(format.LockKey, body); err == nil {
		seen.Lock = *lock
	}
	seen.Free = seen.Released()
	return seen, nil
}

// BreakLock takes the write lock away from its owner, if it is still the one that
// token was made of; else the error is ErrLockChanged. It returns the lock that was
// broken. An owner who is alive after all finds his lease lost: what he has not
// swapped is not committed, and should his swap be under way, the condition on the
// head still decides.
//
// The object is left standing and given back (decision A30), because an original
// that waits would crash if it vanished under its eyes.
func BreakLock(ctx context.Context, b objstore.Bucket, token string) (*ObservedLock, error) {
	seen, err := ReadLock(ctx, b)
	if err != nil {
		return nil, err
	}
	if err := seen.Check(token); err != nil {
		return nil, fmt.Errorf("break lock: %w", err)
	}
	free := seen.Lock
	free.ExpiresAt = free.AcquiredAt
	l := lock{bucket: b}
	if _, err := l.write(ctx, objstore.Version(seen.Version), &free); err != nil {
		if refused(err) {
			err = fmt.Errorf("%w: %w", ErrLockChanged, err)
		}
		return nil, fmt.Errorf("break lock: %w", err)
	}
	return seen, nil
}
