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

// ObservedLock is a write lock as read by a process that does not hold it.
type ObservedLock struct {
	format.Lock
	// Version changes with every write of the lock, renewals included.
	Version string
	// Free is set if nobody holds the lock; its object remains for the next holder.
	Free bool
}

// Token identifies the observed state of the lock: its owner, acquisition time and version.
// BreakLock requires it, so that only the observed lock is broken.
func (s *ObservedLock) Token() string {
	sum := sha256.Sum256([]byte(s.OwnerID + "\n" + s.AcquiredAt.String() + "\n" + s.Version))
	return hex.EncodeToString(sum[:8])
}

// ErrLockChanged is returned if the write lock is not the observed one: its owner renewed it
// and is therefore alive, or it has another holder or none.
var ErrLockChanged = errors.New("the lock has changed since it was seen")

// Check returns nil if token is that of the lock; otherwise an ErrLockChanged that names the
// holder. The receiver may be nil.
func (s *ObservedLock) Check(token string) error {
	switch {
	case s == nil || s.Free:
		return fmt.Errorf("%w: it is not held", ErrLockChanged)
	case s.Token() != token:
		return fmt.Errorf("%w: %s has it until %s", ErrLockChanged, s.OwnerID, s.ExpiresAt)
	}
	return nil
}

// ReadLock reads the write lock of a store; nil if there is none. A lock that cannot be
// decoded is free, as for every writer. The error is ontosql.ErrNotInitialised if there is no
// ontology, or the bucket's.
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

// BreakLock releases the write lock on behalf of its owner, if it still has the given token;
// otherwise the error is ErrLockChanged. It returns the broken lock. If the owner is alive it
// loses its lease: nothing that it has not swapped is committed, and a swap in flight is
// decided by its condition on the head.
//
// The object is not deleted but marked as released (decision A30), because an original that
// waits for it would crash if it disappeared.
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
	l := lock{bucket: b, key: format.LockKey}
	if _, err := l.write(ctx, objstore.Version(seen.Version), &free); err != nil {
		if refused(err) {
			err = fmt.Errorf("%w: %w", ErrLockChanged, err)
		}
		return nil, fmt.Errorf("break lock: %w", err)
	}
	return seen, nil
}
