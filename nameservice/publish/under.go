package publish

import (
	"context"
	"errors"
	"time"

	"github.com/ontosql/ontosql/nameservice"
)

// releaseTimeout bounds the release of a soft lock.
const releaseTimeout = 5 * time.Second

// Under calls work while h holds a soft lock, which it refreshes at a third of the lease, so that of
// several maintainers one does the work, up to the commit target. The context of work ends with the
// cause nameservice.ErrLockLost when somebody else has taken the lock. Work is not called if the lock
// cannot be had; the error is a *nameservice.LockHeldError if somebody else has it. A lock that cannot
// be released expires.
func Under(ctx context.Context, h nameservice.Holder, a nameservice.Alias, kind nameservice.LockKind, target int64, work func(context.Context) error) error {
	if _, err := h.Acquire(ctx, a, kind, target); err != nil {
		return err
	}
	working, cancel := context.WithCancelCause(ctx)
	refreshed := make(chan struct{})
	go func() {
		defer close(refreshed)
		refresh(working, h, a, kind, cancel)
	}()
	err := work(working)
	lost := errors.Is(context.Cause(working), nameservice.ErrLockLost)
	cancel(nil)
	<-refreshed
	if lost {
		if errors.Is(err, context.Canceled) {
			return nameservice.ErrLockLost
		}
		return err
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer stop()
	_ = h.Release(ctx, a, kind) // the work is done, and the lock expires
	return err
}

// refresh renews a lock until ctx ends or the lock is lost. A renewal that fails for another reason
// is tried again, since a lock that nobody has taken can be renewed after it has expired.
func refresh(ctx context.Context, h nameservice.Holder, a nameservice.Alias, kind nameservice.LockKind, cancel context.CancelCauseFunc) {
	lease := h.Lease
	if lease == 0 {
		lease = nameservice.DefaultLockLease
	}
	ticks := time.NewTicker(max(lease, time.Second) / 3)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if _, err := h.Refresh(ctx, a, kind); errors.Is(err, nameservice.ErrLockLost) {
			cancel(err)
			return
		}
	}
}
