package writepath

import (
	"context"
	"errors"
	"time"
)

// Reservation is the write lock held across several steps of a caller: only transactions with
// Tx.Reservation set to it commit, so no other commit can come between a read and the commit
// based on it.
type Reservation struct {
	ctx context.Context
	end context.CancelCauseFunc
}

var (
	errReleased          = errors.New("the reservation was released")
	errNotReserved       = errors.New("the reservation belongs to another committer")
	errReservationFailed = errors.New("a commit under the reservation failed")
)

// Reserve waits for the write lock like a transaction, up to lockTimeout (0: the Committer's)
// and behind those already waiting, and keeps it. Until the reservation ends, other
// transactions of this Committer wait, each for its own lock timeout. It ends with Release,
// which the caller must call; with ctx; if the lease is lost; if a commit under it fails for a
// reason other than the transaction itself; and when the Committer is closed. Errors are those
// of Commit.
func (c *Committer) Reserve(ctx context.Context, lockTimeout time.Duration) (*Reservation, error) {
	return c.queue.Reserve(&pending{Pending: NewReserving(ctx, lockTimeout)})
}

func newReservation(ctx context.Context) *Reservation {
	r := &Reservation{}
	r.ctx, r.end = context.WithCancelCause(ctx)
	return r
}

// Context is derived from the caller's context and is cancelled when the reservation ends,
// with a cause such as ErrLeaseLost or ErrClosed.
func (r *Reservation) Context() context.Context { return r.ctx }

// Release ends the reservation, if it has not ended.
func (r *Reservation) Release() { r.end(errReleased) }

// endError returns why a transaction cannot be committed under the reservation.
func (r *Reservation) endError() error {
	if err := context.Cause(r.ctx); err != nil {
		return err
	}
	return errNotReserved
}

// expireInterval is how often waiting transactions are checked for expiry during a
// reservation.
const expireInterval = 20 * time.Millisecond

// serveReservation commits the transactions of a reservation until it ends. It reports whether
// the lease and the known head are still valid.
func (t *lockHolder) serveReservation(p *pending) bool {
	good, cause := t.serveUntilReleased(t.queue.StartReservation(p))
	t.queue.EndReservation(cause)
	return good
}

func (t *lockHolder) serveUntilReleased(r *Reservation) (good bool, cause error) {
	tick := time.NewTicker(expireInterval)
	defer tick.Stop()
	for {
		if group := t.queue.Take(maxGroup); len(group) > 0 {
			if !t.commit(group) {
				return false, errors.Join(t.lease.check(), errReservationFailed)
			}
			t.publishIfDue()
			continue
		}
		if err := t.lease.check(); err != nil {
			return false, err
		}
		if _, closed := t.queue.State(); closed {
			return true, ErrClosed
		}
		if r.ctx.Err() != nil {
			return true, nil
		}
		t.queue.Expire(t.lease.heldError())
		select {
		case <-t.queue.Wake():
		case <-r.ctx.Done():
		case <-t.lease.ctx.Done():
		case <-tick.C:
		}
	}
}
