package writepath

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ontosql/ontosql/format"
)

// ErrLeaseLost: the write lease ended, or came too near to its end, before the
// head swap was sent. Nothing of the transaction is visible. It is also the
// cause with which the context of a lost lease ends.
var ErrLeaseLost = errors.New("write lease lost")

// LeaseHeldError: another writer holds the write lock.
type LeaseHeldError struct {
	Owner string
	Until time.Time // by its owner's clock; a live owner renews it
}

func (e *LeaseHeldError) Error() string {
	return fmt.Sprintf("write lock is held by %s until %s", e.Owner, e.Until.UTC().Format(time.RFC3339))
}

// heldBy says that a lock is another's.
func heldBy(lock *format.Lock) error {
	return &LeaseHeldError{Owner: lock.OwnerID, Until: lock.ExpiresAt.Time}
}

var errLeaseReleased = errors.New("write lease was given back")

// lease is a write lock that is held. Its context ends, with the cause
// ErrLeaseLost, a third of the lease's length before everybody else may take
// the lock (invariant I7), and is kept alive until then.
type lease struct {
	ctx           context.Context
	cancel        context.CancelCauseFunc
	lock          *lock
	since         time.Time     // by lock.now
	began         time.Time     // by time.Now, after the lock was ours
	keepAliveDone chan struct{} // closed when the keep-alive has ended

	mu    sync.Mutex
	claim *claim
	limit *time.Timer // ends ctx
}

// hold begins the keep-alive of a claim. The caller ends it with release.
func (l *lock) hold(ctx context.Context, c *claim) *lease {
	h := &lease{lock: l, since: l.now(), began: time.Now(), keepAliveDone: make(chan struct{}), claim: c}
	h.ctx, h.cancel = context.WithCancelCause(ctx)
	h.limit = time.AfterFunc(h.remaining(), func() { h.cancel(ErrLeaseLost) })
	go h.keepAlive()
	return h
}

// margin is how long before its end a lease is no longer relied on: room for
// clocks that differ and requests that dawdle (seed 000 section 6.3).
func (h *lease) margin() time.Duration { return h.lock.ttl / 3 }

// remaining is how long the lease is still safe, by the wall clock: that is what
// others compare, and it goes on while a machine sleeps.
func (h *lease) remaining() time.Duration {
	return h.claim.body.ExpiresAt.Sub(h.lock.now().Round(0)) - h.margin()
}

// check ends the lease when it is no longer safe, and says so.
func (h *lease) check() error {
	h.mu.Lock()
	unsafe := h.remaining() <= 0
	h.mu.Unlock()
	if unsafe {
		h.cancel(ErrLeaseLost)
	}
	return context.Cause(h.ctx)
}

// heldError is what those are told who wait for us.
func (h *lease) heldError() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return heldBy(&h.claim.body)
}

// safe reports whether the lease may be relied on now, and so from its beginning
// until now.
func (h *lease) safe() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ctx.Err() == nil && h.remaining() > 0
}

// keepAlive renews the lease every third of its length. A renewal without an
// answer is tried again soon, for as long as the lease is safe.
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

// release gives the lock back. A lost one too: nobody may have taken it yet, and
// who has it is not hurt, because it is given back in the version we left it in.
func (h *lease) release(ctx context.Context) error {
	h.cancel(errLeaseReleased)
	h.limit.Stop()
	<-h.keepAliveDone
	return h.lock.release(ctx, h.claim)
}
