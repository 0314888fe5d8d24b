package writepath

import (
	"context"
	"errors"
	"time"
)

// Reservation is the write lock, held for the transactions that carry it
// (Tx.Reservation), over as many steps as its holder needs: nobody commits between
// what he reads and what he commits.
type Reservation struct {
	ctx context.Context
	end context.CancelCauseFunc
}

var (
	errReleased          = errors.New("the reservation was released")
	errNotReserved       = errors.New("the reservation is another committer's")
	errReservationFailed = errors.New("a commit under the reservation failed")
)

// Reserve waits for the write lock as a transaction does, for lockTimeout at most
// (0: the Committer's), behind those that wait already, and keeps it. Until the
// reservation ends, the other transactions of this Committer wait, each for its own
// lock timeout. It ends with Release, which the caller must call, with ctx, when
// the lease is lost, when a commit under it fails for another reason than the
// transaction itself, and when the Committer is closed. Errors are those of Commit.
func (c *Committer) Reserve(ctx context.Context, lockTimeout time.Duration) (*Reservation, error) {
	return c.queue.Reserve(&pending{Pending: NewReserving(ctx, lockTimeout)})
}

func newReservation(ctx context.Context) *Reservation {
	r := &Reservation{}
	r.ctx, r.end = context.WithCancelCause(ctx)
	return r
}

// Context is the caller's context and ends with the reservation. The cause is then
// why: ErrLeaseLost, ErrClosed, or another.
func (r *Reservation) Context() context.Context { return r.ctx }

// Release ends the reservation, if it has not ended yet.
func (r *Reservation) Release() { r.end(errReleased) }

// endError is why a transaction cannot be committed under a reservation that is not the
// one that holds.
func (r *Reservation) endError() error {
	if err := context.Cause(r.ctx); err != nil {
		return err
	}
	return errNotReserved
}

// expireInterval is how often those who wait for a reservation's end are looked at,
// whether their time is over.
const expireInterval = 20 * time.Millisecond

// serveReservation serves a reservation until it ends. It reports whether the lease and the
// view of the head are still good.
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
