package writepath

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// lock is one holder's view of a store's write lock (COMPAT 3.3, decision A30), or of another
// lock object of the same form. It is not safe for concurrent use.
type lock struct {
	bucket objstore.Bucket
	key    string // of the object
	owner  string
	ttl    time.Duration
	now    func() time.Time
	log    *slog.Logger

	// freeVersion is the version of the lock object as this process released it; Absent if it
	// may have changed or does not exist.
	freeVersion objstore.Version
	// mayBeHeld is set if the object may name this process as the holder although it does not
	// hold the lock.
	mayBeHeld bool
}

// claim is the lock object as this process wrote it last.
type claim struct {
	body    format.Lock
	version objstore.Version
}

// acquire waits for the lock, polling every 10 to 30 ms as the original does. While another
// writer holds it, blocked is called with that lock before every wait; an error from it ends
// the wait.
func (l *lock) acquire(ctx context.Context, blocked func(*format.Lock) error) (*claim, error) {
	want := l.freeVersion
	for {
		c, err := l.claim(ctx, want)
		if err == nil || !refused(err) {
			return c, err
		}
		l.freeVersion = objstore.Absent
		for {
			seen, version, err := l.read(ctx)
			if err != nil {
				return nil, err
			}
			if seen == nil || l.free(seen) {
				want = version
				break
			}
			if err := blocked(seen); err != nil {
				return nil, err
			}
			if err := sleep(ctx, 10*time.Millisecond+rand.N(20*time.Millisecond)); err != nil {
				return nil, err
			}
		}
	}
}

// free reports whether this process may take the lock. A lock with its own owner id is one
// whose claim got no answer.
func (l *lock) free(seen *format.Lock) bool {
	return seen.OwnerID == l.owner || seen.Released() || seen.Expired(l.now())
}

// read reads the lock; nil if there is none. One that cannot be decoded counts as expired: it
// cannot be renewed.
func (l *lock) read(ctx context.Context) (*format.Lock, objstore.Version, error) {
	body, version, err := l.bucket.Get(ctx, l.key)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, objstore.Absent, nil
	}
	if err != nil {
		return nil, objstore.Absent, fmt.Errorf("read lock: %w", err)
	}
	seen, err := format.DecodeLock(l.key, body)
	if err != nil {
		l.log.WarnContext(ctx, "unreadable lock counts as expired", "error", err)
		return &format.Lock{}, version, nil
	}
	return seen, version, nil
}

// claim takes the lock object from version want. The lease starts before the request, so that
// it ends here no later than for other writers.
func (l *lock) claim(ctx context.Context, want objstore.Version) (*claim, error) {
	at := l.now()
	c := &claim{body: format.Lock{
		AcquiredAt: format.TimeOf(at),
		ExpiresAt:  format.TimeOf(at.Add(l.ttl)),
		LeaseTTLms: l.ttl.Milliseconds(),
		OwnerID:    l.owner,
	}}
	var err error
	if c.version, err = l.write(ctx, want, &c.body); err != nil {
		l.mayBeHeld = l.mayBeHeld || !notWritten(err)
		return nil, fmt.Errorf("take lock: %w", err)
	}
	l.mayBeHeld = false
	return c, nil
}

// renew extends the lease of c from now on.
func (l *lock) renew(ctx context.Context, c *claim) (*claim, error) {
	next := &claim{body: c.body}
	next.body.ExpiresAt = format.TimeOf(l.now().Add(l.ttl))
	var err error
	if next.version, err = l.write(ctx, c.version, &next.body); err != nil {
		return nil, fmt.Errorf("renew lock: %w", err)
	}
	return next, nil
}

// release marks the object as expired instead of deleting it: an original that waits takes it
// over, but would crash if it disappeared. A cancelled renewal may have been applied, so the
// release is repeated against any version with this owner.
func (l *lock) release(ctx context.Context, c *claim) error {
	l.freeVersion, l.mayBeHeld = objstore.Absent, true
	body, want := c.body, c.version
	body.ExpiresAt = body.AcquiredAt
	var err error
	for range 3 {
		var version objstore.Version
		if version, err = l.write(ctx, want, &body); err == nil {
			l.freeVersion, l.mayBeHeld = version, false
			return nil
		}
		seen, at, readErr := l.read(ctx)
		if readErr != nil {
			break
		}
		if seen == nil || seen.OwnerID != l.owner || seen.Released() {
			l.mayBeHeld = false
			return nil // another writer has it or may take it
		}
		want = at
	}
	return fmt.Errorf("release lock: %w", err)
}

// remove deletes the object if it is this owner's. It takes the lease first, because a store
// may compare and delete in two steps.
func (l *lock) remove(ctx context.Context) error {
	if l.mayBeHeld {
		seen, version, err := l.read(ctx)
		if err != nil {
			return err
		}
		if seen != nil && seen.OwnerID == l.owner {
			l.freeVersion = version
		}
	}
	if l.freeVersion == objstore.Absent {
		return nil
	}
	c, err := l.claim(ctx, l.freeVersion)
	l.freeVersion = objstore.Absent
	if err != nil {
		if refused(err) {
			return nil // another writer has it
		}
		return err
	}
	if err := l.bucket.DeleteIf(ctx, l.key, c.version); err != nil && !refused(err) {
		return errors.Join(fmt.Errorf("remove lock: %w", err), l.release(ctx, c))
	}
	return nil
}

// write swaps the lock object. Without a clear answer it checks whether the object has the
// content that was sent.
func (l *lock) write(ctx context.Context, want objstore.Version, body *format.Lock) (objstore.Version, error) {
	text := format.EncodeLock(body)
	version, err := l.bucket.Swap(ctx, l.key, want, text)
	if err == nil || notWritten(err) {
		return version, err
	}
	seen, version, lookErr := l.bucket.Get(ctx, l.key)
	if lookErr == nil && bytes.Equal(seen, text) {
		return version, nil
	}
	return objstore.Absent, err
}

// refused reports whether a conditional write failed because of its condition.
func refused(err error) bool {
	return errors.Is(err, objstore.ErrPreconditionFailed) || errors.Is(err, objstore.ErrConflict)
}

// notWritten reports whether a failed conditional write certainly wrote nothing
// (objstore.Bucket, Swap).
func notWritten(err error) bool {
	for _, known := range []error{
		objstore.ErrPreconditionFailed, objstore.ErrConflict, objstore.ErrDenied, objstore.ErrNoBucket, objstore.ErrInvalidKey, objstore.ErrFull,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
