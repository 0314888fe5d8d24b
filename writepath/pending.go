package writepath

import (
	"context"
	"time"
)

// Pending is a transaction on its way through a Queue, or what asks there for a
// Reservation. A committer embeds it in what it makes of the transaction.
type Pending struct {
	Tx
	ctx      context.Context
	deadline time.Time    // of the wait for a lock that another holds
	reserves *Reservation // nil for a transaction: what is asked for instead of a commit
	tries    int          // attempts that the trouble of others made void

	outcome Outcome
	err     error
	done    chan struct{} // closed once outcome and err stand
}

// NewPending is a transaction of somebody who waits for as long as ctx.
func NewPending(ctx context.Context, tx Tx) Pending {
	return Pending{Tx: tx, ctx: ctx, done: make(chan struct{})}
}

// NewReserving asks for a Reservation, which ends with ctx. It is waited for until
// lockTimeout, the Queue's when 0.
func NewReserving(ctx context.Context, lockTimeout time.Duration) Pending {
	p := NewPending(ctx, Tx{LockTimeout: lockTimeout})
	p.reserves = newReservation(ctx)
	return p
}

// Context is that of the caller.
func (p *Pending) Context() context.Context { return p.ctx }

// Reserves reports whether a Reservation is asked for, and no commit.
func (p *Pending) Reserves() bool { return p.reserves != nil }

// Late reports whether the time to wait for a lock that another holds is over.
func (p *Pending) Late(now time.Time) bool { return !now.Before(p.deadline) }

// Finish answers the caller. It is called once.
func (p *Pending) Finish(o Outcome, err error) {
	p.outcome, p.err = o, err
	close(p.done)
}

// CreatedAt is when the transaction is committed by the clock now, never before the
// commit that it follows (decision A12).
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
