package publish_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/publish"
	"github.com/ontosql/ontosql/objstore"
)

// under works for a while as one of several maintainers.
func (w *world) under(name string, work func(context.Context) error) error {
	h := nameservice.Holder{Service: w.service, Name: name, Lease: 30 * time.Second}
	return publish.Under(w.t.Context(), h, shop, nameservice.IndexLock, 42, work)
}

// works takes d, unless ctx ends.
func takes(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return objstore.ContextError(ctx)
		}
	}
}

func mayNot(t *testing.T) func(context.Context) error {
	return func(context.Context) error {
		t.Error("two work at a time")
		return nil
	}
}

func lockStory(t *testing.T, name string, story func(w *world)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { story(newWorld(t)) })
	})
}

func TestUnder(t *testing.T) {
	lockStory(t, "one works, longer than the lease", func(w *world) {
		first := make(chan error, 1)
		go func() { first <- w.under("a", takes(5*time.Minute-time.Second)) }()
		settle(4 * time.Minute)
		var held *nameservice.LockHeldError
		if err := w.under("b", mayNot(w.t)); !errors.As(err, &held) || held.Lock.Holder != "a" || held.Lock.TargetT != 42 {
			w.t.Errorf("got %v, want that a holds the lock", err)
		} else if left := time.Until(time.Unix(held.Lock.ExpiresAt, 0)); left <= 0 || left > 30*time.Second {
			w.t.Errorf("the lock expires in %s", left)
		}
		if err := <-first; err != nil {
			w.t.Error(err)
		}
		w.want(nameservice.Status, 1+1+29+1, `{"state":"ready"}`) // acquired, refreshed every ten seconds, released
		if err := w.under("b", takes(0)); err != nil {
			w.t.Error(err)
		}
	})
	lockStory(t, "the error is that of the work, and the lock is given back", func(w *world) {
		broken := errors.New("broken")
		if err := w.under("a", func(context.Context) error { return broken }); !errors.Is(err, broken) {
			w.t.Errorf("got %v, want %v", err, broken)
		}
		w.want(nameservice.Status, 3, `{"state":"ready"}`)
	})
	lockStory(t, "the lock of a dead maintainer is taken over after it expired", func(w *world) {
		dead := nameservice.Holder{Service: &w.records, Name: "dead", Lease: 30 * time.Second}
		if _, err := dead.Acquire(w.t.Context(), shop, nameservice.IndexLock, 1); err != nil {
			w.t.Fatal(err)
		}
		settle(29 * time.Second)
		if err := w.under("b", mayNot(w.t)); err == nil {
			w.t.Error("the lock was taken before it expired")
		}
		settle(time.Second)
		if err := w.under("b", takes(time.Minute)); err != nil {
			w.t.Error(err)
		}
	})
	lockStory(t, "who cannot renew the lock stops when another one has it", func(w *world) {
		first := make(chan error, 1)
		go func() { first <- w.under("a", takes(time.Hour)) }()
		settle(time.Second)
		w.service.breakBy(func(int) fault { return lost })
		settle(40 * time.Second)
		other := nameservice.Holder{Service: &w.records, Name: "b", Lease: 30 * time.Second}
		if _, err := other.Acquire(w.t.Context(), shop, nameservice.IndexLock, 1); err != nil {
			w.t.Fatal(err)
		}
		w.service.breakBy(nil)
		if err := <-first; !errors.Is(err, nameservice.ErrLockLost) {
			w.t.Errorf("got %v, want %v", err, nameservice.ErrLockLost)
		}
		r, _ := w.records.Get(w.t.Context(), shop)
		if held := nameservice.HeldLock(r.Status, nameservice.IndexLock); held == nil || held.Holder != "b" {
			w.t.Errorf("the lock of the other one is %+v", held)
		}
	})
	lockStory(t, "the name service is away", func(w *world) {
		w.service.breakBy(func(int) fault { return lost })
		if err := w.under("a", mayNot(w.t)); !errors.Is(err, errAway) {
			w.t.Errorf("got %v, want %v", err, errAway)
		}
	})
	lockStory(t, "every second call that renews the lock fails", func(w *world) {
		for _, f := range []fault{lost, applied, refused} {
			w.service.calls = 0
			w.service.breakBy(func(call int) fault {
				if call < 2 || call%2 == 0 { // the lock is acquired with two calls
					return works
				}
				return f
			})
			if err := w.under("a", takes(time.Minute)); err != nil {
				w.t.Errorf("fault %d: %v", f, err)
			}
			settle(time.Minute) // the lock that was not released expires
		}
	})
}
