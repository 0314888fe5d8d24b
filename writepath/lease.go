package writepath

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ontosql/ontosql/format"
)

// ErrLeaseLost is returned if the write lease ended, or was too close to its end, before the
// head swap was sent. Nothing of the transaction is visible. It is also the cause with which
// the context of a lost lease ends.
var ErrLeaseLost = errors.New("write lease lost")

// LeaseHeldError is returned while another writer holds the write lock.
type LeaseHeldError struct {
	Owner string
	Until time.Time // by its owner's clock; a live owner renews it
}

func (e *LeaseHeldError) Error() string {
	return fmt.Sprintf("write lock is held by %s until %s", e.Owner, e.Until.UTC().Format(time.RFC3339))
}

// heldBy returns the error for another writer's lock.
func heldBy(lock *format.Lock) error {
	return &LeaseHeldError{Owner: lock.OwnerID, Until: lock.ExpiresAt.Time}
}

var errLeaseReleased = errors.New("write lease was released")

// lease is a held write lock, which is renewed while it is held. Its context ends with the
// cause ErrLeaseLost a third of the lease's length before other writers may take the lock
// (invariant I7).
type lease struct {
	ctx           context.Context
	cancel        context.CancelCauseFunc
	lock          *lock
	since         time.Time     // by lock.now
	began         time.Time     // by time.Now, after the lock was acquired
	keepAliveDone chan struct{} // closed when keepAlive has returned

	mu    sync.Mutex
	claim *claim
	limit *time.Timer // ends ctx
}

// hold starts renewing a claim. The caller calls release.
func (l *lock) hold(ctx context.Context, c *claim) *lease {
	h := &lease{lock: l, since: l.now(), began: time.Now(), keepAliveDone: make(chan struct{}), claim: c}
	h.ctx, h.cancel = context.WithCancelCause(ctx)
	h.limit = time.AfterFunc(h.remaining(), func() { h.cancel(ErrLeaseLost) })
	go h.keepAlive()
	return h
}

// margin is how long before its expiry a lease is no longer used, to allow for clock
// differences and slow requests (seed 000 section 6.3).
func (h *lease) margin() time.Duration { return h.lock.ttl / 3 }

// remaining is how long the lease is still safe, by the wall clock: other writers compare it,
// and it advances while a machine is suspended.
func (h *lease) remaining() time.Duration {
	return h.claim.body.ExpiresAt.Sub(h.lock.now().Round(0)) - h.margin()
}

// check cancels the lease if it is no longer safe, and returns the cause if it has ended.
func (h *lease) check() error {
	h.mu.Lock()
	unsafe := h.remaining() <= 0
	h.mu.Unlock()
	if unsafe {
		h.cancel(ErrLeaseLost)
	}
	return context.Cause(h.ctx)
}

// heldError is the error for transactions that wait for this holder.
func (h *lease) heldError() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return heldBy(&h.claim.body)
}

// safe reports whether the lease is valid now, and therefore has been since its beginning.
func (h *lease) safe() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ctx.Err() == nil && h.remaining() > 0
}

// keepAlive renews the lease every third of its length. If a renewal gets no answer it is
// retried soon, while the lease is safe.
func (h *lease) keepAlive() {
	defer close(h.keepAliveDone)
	wait := h.lock.ttl / 3
	for sleep(h.ctx, wait) == nil {
		h.mu.Lock()
		held := h.claim
		h.mu.Unlock()
		next, err := h.lock.renew(h.ctx, held)
		switch {
		case err == nil:
			h.mu.Lock()
			h.claim = next
			h.limit.Reset(h.remaining())
			h.mu.Unlock()
			wait = h.lock.ttl / 3
		case refused(err):
			h.cancel(ErrLeaseLost)
		case h.ctx.Err() != nil: // it ended meanwhile
		default:
			h.lock.log.WarnContext(h.ctx, "lease not renewed", "error", err)
			wait = h.lock.ttl / 30
		}
	}
}

// release releases the lock, even if the lease was lost: possibly no other writer has taken it
// yet, and if one has, the version condition makes the release fail without effect.
func (h *lease) release(ctx context.Context) error {
	h.cancel(errLeaseReleased)
	h.limit.Stop()
	<-h.keepAliveDone
	return h.lock.release(ctx, h.claim)
}
