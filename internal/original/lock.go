package original

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

func (w *Writer) lockBody() []byte {
	now := w.now()
	return format.EncodeLock(&format.Lock{
		OwnerID: w.Owner, AcquiredAt: format.TimeOf(now), ExpiresAt: format.TimeOf(now.Add(w.ttl())), LeaseTTLms: w.ttl().Milliseconds(),
	})
}

// Acquire takes the lock: If-None-Match first, then what a look at the lock
// suggests, until LockTimeout is over. Its errors are ErrLockTimeout, ErrCrash
// and the store's.
func (w *Writer) Acquire(ctx context.Context) error {
	timeout := w.LockTimeout
	if timeout == 0 {
		timeout = 5 * time.Second
	}
	for began := time.Now(); ; {
		_, err := w.Bucket.Swap(ctx, format.LockKey, objstore.Absent, w.lockBody())
		if err == nil {
			return nil
		}
		if !errors.Is(err, objstore.ErrPreconditionFailed) {
			return fmt.Errorf("original: acquire lock: %w", err)
		}
		body, etag, err := w.Bucket.Get(ctx, format.LockKey)
		if errors.Is(err, objstore.ErrNotFound) {
			return ErrCrash
		}
		if err != nil {
			return fmt.Errorf("original: read lock: %w", err)
		}
		if held, err := format.DecodeLock(format.LockKey, body); err != nil || held.Expired(w.now()) {
			switch _, err := w.Bucket.Swap(ctx, format.LockKey, etag, w.lockBody()); {
			case err == nil:
				return nil
			case !errors.Is(err, objstore.ErrPreconditionFailed):
				return fmt.Errorf("original: take over lock: %w", err)
			}
		}
		if time.Since(began) >= timeout {
			return ErrLockTimeout
		}
		time.Sleep(10*time.Millisecond + rand.N(20*time.Millisecond))
	}
}

// Release removes the lock if it is still the writer's. Errors are swallowed.
func (w *Writer) Release(ctx context.Context) {
	body, etag, err := w.Bucket.Get(ctx, format.LockKey)
	if err != nil {
		return
	}
	if held, err := format.DecodeLock(format.LockKey, body); err == nil && held.OwnerID == w.Owner {
		_ = w.Bucket.DeleteIf(ctx, format.LockKey, etag)
	}
}

// checkLease looks at the lock as the original does before what must not happen
// without it: it must be there, its own, and safe for a third of its length.
func (w *Writer) checkLease(ctx context.Context) error {
	body, _, err := w.Bucket.Get(ctx, format.LockKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return ErrLeaseExpired
	}
	if err != nil {
		return fmt.Errorf("original: read lock: %w", err)
	}
	held, err := format.DecodeLock(format.LockKey, body)
	if err != nil || held.OwnerID != w.Owner || held.Expired(w.now().Add(w.ttl()/3)) {
		return ErrLeaseExpired
	}
	return nil
}
