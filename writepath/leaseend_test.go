package writepath_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// unrenewed is a store that temporarily does not answer renewals of a lease.
type unrenewed struct {
	objstore.Bucket
	renewing atomic.Bool
}

func (b *unrenewed) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	for key == format.LockKey && b.renewing.Load() {
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
	return b.Bucket.Swap(ctx, key, want, body)
}

// TestLeaseEndsWhileNothingIsAsked ends the lease while the rows of a group are read and no
// request is in flight that could fail: nothing of the group may count as uploaded.
func TestLeaseEndsWhileNothingIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing)
		b := &unrenewed{Bucket: disk}
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
		if _, err := c.Commit(t.Context(), put(1, "first", 1, thing)); err != nil {
			t.Fatal(err) // now the schema is known, and the lock held
		}
		errLate := errors.New("the rows cannot be read")
		var wg sync.WaitGroup
		slow := runtime.GOMAXPROCS(0)
		errs := make([]error, slow+3)
		for i := range errs {
			tx := put(2, fmt.Sprint("k", i), i, thing)
			if i < slow {
				rows, reads := tx.Data[0].Rows, 0
				tx.Data[0].Rows = func(yield func(writepath.Row, error) bool) {
					switch reads++; reads {
					case 1: // before it waits for the lock
						rows(yield)
					case 2: // when it is encoded
						b.renewing.Store(true)
						time.Sleep(time.Minute) // the lease is 30 s long
						b.renewing.Store(false)
						fallthrough
					default:
						yield(writepath.Row{}, errLate)
					}
				}
			}
			wg.Go(func() { _, errs[i] = c.Commit(t.Context(), tx) })
		}
		wg.Wait()
		for i, err := range errs {
			if i < slow && !errors.Is(err, errLate) || i >= slow && err != nil {
				t.Errorf("transaction %d: %v", i, err)
			}
		}
		closeIt(t, c)
		verify(t, disk)
	})
}
