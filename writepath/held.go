package writepath

import (
	"context"
	"log/slog"
	"time"

	"github.com/ontosql/ontosql/format"
)

// Held is the write lock in the hands of a task that takes it in the middle of its work, such as
// a copy to the store.
type Held struct{ lease *lease }

// Hold takes the write lock and renews the lease until Release, also after the end of ctx. Log
// and Waiting are not used. The error is a *LeaseHeldError if another writer keeps the lock, or
// the bucket's.
func Hold(ctx context.Context, o MaintenanceOptions) (*Held, error) {
	l, claim, err := o.take(ctx, format.LockKey)
	if err != nil {
		return nil, err
	}
	return &Held{l.hold(context.WithoutCancel(ctx), claim)}, nil
}

// Check returns ErrLeaseLost if the lease is not safe any more. A task calls it before each
// write (I7).
func (h *Held) Check() error { return h.lease.check() }

// Release releases the lock. The lock object stays, as released (decision A30).
func (h *Held) Release() { h.lease.giveBack(h.lease.ctx) }

// take takes the lock object key.
func (o MaintenanceOptions) take(ctx context.Context, key string) (*lock, *claim, error) {
	if o.LockTimeout == 0 {
		o.LockTimeout = 5 * time.Second
	}
	if o.LeaseTTL == 0 {
		o.LeaseTTL = 30 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &lock{bucket: o.Bucket, key: key, owner: o.Owner + "-" + randomHex(), ttl: o.LeaseTTL, now: o.Now, log: o.Logger}
	until := time.Now().Add(o.LockTimeout)
	claim, err := l.acquire(ctx, func(holder *format.Lock) error {
		if time.Now().After(until) {
			return heldBy(holder)
		}
		return nil
	})
	return l, claim, err
}

// giveBack releases the lock, after the end of ctx too.
func (h *lease) giveBack(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	if err := h.release(ctx); err != nil {
		h.lock.log.WarnContext(ctx, "lock not released", "error", err)
	}
}
