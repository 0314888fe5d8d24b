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

// lock is the write lock of one store as one holder knows it (COMPAT 3.3,
// decision A30). Only one goroutine uses it at a time.
type lock struct {
	bucket objstore.Bucket
	owner  string
	ttl    time.Duration
	now    func() time.Time
	log    *slog.Logger

	// freeVersion is the version in which we left the lock object free; Absent when
	// somebody may have changed it since, or there is none.
	freeVersion objstore.Version
	// mayBeHeld: the object may stand as ours and held, although we do not hold it.
	mayBeHeld bool
}

// claim is the lock object as we wrote it last.
type claim struct {
	body    format.Lock
	version objstore.Version
}

// acquire waits for the lock, asking every 10 to 30 ms as the original does.
// While somebody else holds it, blocked is called with his lock before every
// wait; it ends the waiting with an error.
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

// free reports whether we may take the lock. Our own, which we do not know to
// hold, is what became of a claim whose answer was lost.
func (l *lock) free(seen *format.Lock) bool {
	return seen.OwnerID == l.owner || seen.Released() || seen.Expired(l.now())
}

// read is the lock as it stands, nil where there is none. One that cannot be
// read counts as expired: nobody can renew it.
func (l *lock) read(ctx context.Context) (*format.Lock, objstore.Version, error) {
	body, version, err := l.bucket.Get(ctx, format.LockKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, objstore.Absent, nil
	}
	if err != nil {
		return nil, objstore.Absent, fmt.Errorf("read lock: %w", err)
	}
	seen, err := format.DecodeLock(format.LockKey, body)
	if err != nil {
		l.log.WarnContext(ctx, "unreadable lock counts as expired", "error", err)
		return &format.Lock{}, version, nil
	}
	return seen, version, nil
}

// claim takes the lock object from the version want. The lease is reckoned from
// before the request, so that it ends for us no later than for everybody else.
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

// renew is c with a new lease from now on.
func (l *lock) renew(ctx context.Context, c *claim) (*claim, error) {
	next := &claim{body: c.body}
	next.body.ExpiresAt = format.TimeOf(l.now().Add(l.ttl))
	var err error
	if next.version, err = l.write(ctx, c.version, &next.body); err != nil {
		return nil, fmt.Errorf("renew lock: %w", err)
	}
	return next, nil
}

// release leaves the object standing and expired: a waiting original takes it
// over, while it would crash if the object vanished under its eyes. A renewal
// that was broken off may have landed, so whatever stands there as ours is given
// back.
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
			return nil // somebody has it already, or may have it
		}
		want = at
	}
	return fmt.Errorf("give lock back: %w", err)
}

// remove takes the object away, if it is ours. It is done under a lease, because
// a store may compare and remove in two steps.
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
			return nil // it is somebody else's now
		}
		return err
	}
	if err := l.bucket.DeleteIf(ctx, format.LockKey, c.version); err != nil && !refused(err) {
		return errors.Join(fmt.Errorf("remove lock: %w", err), l.release(ctx, c))
	}
	return nil
}

// write swaps the lock object; without a clear answer it looks whether the
// object is the one that was sent.
func (l *lock) write(ctx context.Context, want objstore.Version, body *format.Lock) (objstore.Version, error) {
	text := format.EncodeLock(body)
	version, err := l.bucket.Swap(ctx, format.LockKey, want, text)
	if err == nil || notWritten(err) {
		return version, err
	}
	seen, version, lookErr := l.bucket.Get(ctx, format.LockKey)
	if lookErr == nil && bytes.Equal(seen, text) {
		return version, nil
	}
	return objstore.Absent, err
}

// refused reports whether a conditional write was refused by its condition.
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
