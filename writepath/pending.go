package writepath

import (
	"context"
	"time"
)

// Pending is a transaction, or a request for a Reservation, in a Queue. A committer embeds it
// in its own type.
type Pending struct {
	Tx
	ctx      context.Context
	arrived  time.Time    // when it was put into the queue
	deadline time.Time    // end of the wait for another writer's lock
	reserves *Reservation // requested instead of a commit; nil for a transaction
	tries    int          // attempts that failed because of other writers

	outcome Outcome
	err     error
	done    chan struct{} // closed when outcome and err are set
}

// NewPending returns a Pending of a caller that waits until ctx ends.
func NewPending(ctx context.Context, tx Tx) Pending {
	return Pending{Tx: tx, ctx: ctx, done: make(chan struct{})}
}

// NewReserving returns a request for a Reservation, which ends with ctx. It waits up to
// lockTimeout; 0 means the Queue's.
func NewReserving(ctx context.Context, lockTimeout time.Duration) Pending {
	p := NewPending(ctx, Tx{LockTimeout: lockTimeout})
	p.reserves = newReservation(ctx)
	return p
}

// Context returns the caller's context.
func (p *Pending) Context() context.Context { return p.ctx }

// Reserves reports whether this is a request for a Reservation.
func (p *Pending) Reserves() bool { return p.reserves != nil }

// Late reports whether the time to wait for another writer's lock is over.
func (p *Pending) Late(now time.Time) bool { return !now.Before(p.deadline) }

// Took returns how long ago it was put into the queue.
func (p *Pending) Took(now time.Time) time.Duration { return now.Sub(p.arrived) }

// Finish sets the outcome and wakes the caller. It is called once.
func (p *Pending) Finish(o Outcome, err error) {
	p.outcome, p.err = o, err
	close(p.done)
}

// CreatedAt returns the commit's time by the clock now, but not before that of the parent
// commit (decision A12).
func (p *Pending) CreatedAt(now func() time.Time, parent time.Time) time.Time {
	at := p.At
	if at.IsZero() {
		at = now()
	}
	if at.Before(parent) {
		return parent
	}
	return at
}

func (p *Pending) pending() *Pending { return p }
