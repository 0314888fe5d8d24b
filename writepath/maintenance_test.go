package writepath_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// maintenance is a maintenance task of a process that has this committer.
func maintenance(t *testing.T, b objstore.Bucket, c *writepath.Committer) writepath.MaintenanceOptions {
	t.Helper()
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return writepath.MaintenanceOptions{Bucket: b, Log: log, Owner: "task", Waiting: c.Waiting}
}

// TestMaintenanceGivesWay: a task that would hold the lock for a minute gives it back when a
// transaction of its process waits, and the transaction is committed within 100 ms, the time in
// which the committer looks for the lock included. Without a transaction the task keeps the lock.
func TestMaintenanceGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mem.New("x")
		initialise(t, b, format.EngineV1, thing)
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
		ended := make(chan error, 1)
		holding := make(chan struct{})
		go func() {
			ended <- writepath.Maintain(t.Context(), maintenance(t, b, c), func(ctx context.Context, _ *writepath.Maintenance) error {
				close(holding)
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(time.Minute):
					return nil
				}
			})
		}()
		<-holding
		time.Sleep(10 * time.Second)
		began := time.Now()
		if _, err := c.Commit(t.Context(), put(1, "a", 1, thing)); err != nil {
			t.Errorf("the transaction: %v", err)
		}
		if took := time.Since(began); took > 100*time.Millisecond {
			t.Errorf("the transaction waited %v for the task", took)
		}
		if err := <-ended; !errors.Is(err, writepath.ErrGaveWay) {
			t.Errorf("the task: %v, want %v", err, writepath.ErrGaveWay)
		}
		closeIt(t, c)
	})
}

// TestMaintenanceUnderLoad: with a transaction waiting all the time, a task still has the lock for
// long enough to publish an index.
func TestMaintenanceUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mem.New("x")
		initialise(t, b, format.EngineV1, thing)
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
		ctx, stop := context.WithCancel(t.Context())
		writing := make(chan struct{})
		go func() {
			defer close(writing)
			for n := 0; ctx.Err() == nil; n++ {
				if _, err := c.Commit(t.Context(), put(1, string(rune('a'+n%26))+time.Now().String(), n, thing)); err != nil {
					t.Errorf("commit %d: %v", n, err)
				}
				time.Sleep(time.Millisecond)
			}
		}()
		time.Sleep(time.Second)
		for i := range 5 {
			err := writepath.Maintain(t.Context(), maintenance(t, b, c), func(ctx context.Context, m *writepath.Maintenance) error {
				time.Sleep(50 * time.Millisecond)
				old, err := m.Index(ctx, thing)
				if err != nil {
					return err
				}
				return m.Publish(ctx, []writepath.IndexUpdate{{Type: thing, Old: old, Index: &old.Index}})
			})
			if err != nil {
				t.Errorf("task %d: %v", i, err)
			}
		}
		stop()
		<-writing
		closeIt(t, c)
	})
}

// TestAlone: one of two processes does the work, commits go on, and the lock of one that died is
// free when its lease is over.
func TestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mem.New("x")
		initialise(t, b, format.EngineV1, thing)
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
		o := writepath.MaintenanceOptions{Bucket: b, Owner: "task", LockTimeout: -1}
		err := writepath.Alone(t.Context(), o, format.CompactionLockKey, func(context.Context) error {
			time.Sleep(time.Minute) // longer than the lease, which is renewed
			var held *writepath.LeaseHeldError
			if err := writepath.Alone(t.Context(), o, format.CompactionLockKey, func(context.Context) error {
				t.Error("two do the work")
				return nil
			}); !errors.As(err, &held) {
				t.Errorf("the second: %v, want that the first has the lock", err)
			}
			_, err := c.Commit(t.Context(), put(1, "a", 1, thing))
			return err
		})
		if err != nil {
			t.Errorf("the first: %v", err)
		}
		now := time.Now()
		left := &format.Lock{OwnerID: "dead", AcquiredAt: format.TimeOf(now), ExpiresAt: format.TimeOf(now.Add(30 * time.Second)), LeaseTTLms: 30000}
		if _, err := b.Put(t.Context(), format.CompactionLockKey, format.EncodeLock(left)); err != nil {
			t.Fatal(err)
		}
		done := false
		work := func(context.Context) error { done = true; return nil }
		if err := writepath.Alone(t.Context(), o, format.CompactionLockKey, work); err == nil || done {
			t.Errorf("with a lock left behind: %v, done is %v", err, done)
		}
		time.Sleep(31 * time.Second)
		if err := writepath.Alone(t.Context(), o, format.CompactionLockKey, work); err != nil || !done {
			t.Errorf("when it has expired: %v, done is %v", err, done)
		}
		closeIt(t, c)
	})
}
