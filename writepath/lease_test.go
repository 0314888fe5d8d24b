package writepath_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

func readLock(t *testing.T, b objstore.Bucket) *format.Lock {
	t.Helper()
	body, _, err := b.Get(t.Context(), format.LockKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := format.DecodeLock(format.LockKey, body)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLeaseLingersAndIsLeftStanding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mem.New("x")
		initialise(t, b, format.EngineV1, thing)
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
		if _, err := c.Commit(t.Context(), put(1, "a", 1, thing)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(190 * time.Millisecond)
		l := readLock(t, b)
		if l == nil || l.Released() || !strings.HasPrefix(l.OwnerID, "test-") || len(l.OwnerID) != len("test-")+8 {
			t.Errorf("190 ms after a commit the lock is %+v, want it held by test-XXXXXXXX", l)
		}
		time.Sleep(20 * time.Millisecond)
		if l := readLock(t, b); l == nil || !l.Released() {
			t.Errorf("210 ms after a commit the lock is %+v, want it given back and standing", l)
		}
		closeIt(t, c)
		if l := readLock(t, b); l != nil {
			t.Errorf("after close the lock is %+v, want none", l)
		}
		verify(t, b)
	})
}

// long is a store with slow uploads, like those of a large transaction.
func long(b objstore.Bucket, upload time.Duration) *faulty.Bucket {
	return &faulty.Bucket{Bucket: b, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
		if op == objstore.OpPut && strings.HasSuffix(key, ".parquet") {
			time.Sleep(upload)
		}
	}}
}

func TestLeaseIsKeptAliveWhileThereIsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing)
		c := writepath.Open(writepath.Options{Bucket: long(disk, 65*time.Second), RuntimeID: "test"})
		done := make(chan error, 1)
		go func() {
			_, err := c.Commit(t.Context(), put(1, "a", 1, thing))
			done <- err
		}()
		for range 6 {
			time.Sleep(10*time.Second + time.Millisecond)
			if l := readLock(t, disk); l == nil || time.Until(l.ExpiresAt.Time) < 29*time.Second {
				t.Errorf("the lock is %+v at %s, want it renewed every 10 s", l, time.Now())
			}
		}
		w := &original.Writer{Bucket: disk, Owner: "o", LockTimeout: time.Second}
		if err := w.Acquire(t.Context()); !errors.Is(err, original.ErrLockTimeout) {
			t.Errorf("the original in between: %v, want its timeout", err)
		}
		if err := <-done; err != nil {
			t.Errorf("the commit after 65 s of upload: %v", err)
		}
		closeIt(t, c)
		verify(t, disk)
	})
}

func TestLostLeaseEndsTheAttempt(t *testing.T) {
	for _, tc := range []struct {
		name string
		lose func(t *testing.T, disk *mem.Bucket, broken *atomic.Bool)
	}{
		{"another writer's clock is ahead", func(t *testing.T, disk *mem.Bucket, _ *atomic.Bool) {
			if _, err := theirs(t.Context(), &original.Writer{Bucket: disk, Owner: "o", Now: ahead}, thing, "o"); err != nil {
				t.Error(err)
			}
		}},
		{"nothing can be renewed", func(_ *testing.T, _ *mem.Bucket, broken *atomic.Bool) { broken.Store(true) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				disk := mem.New("x")
				initialise(t, disk, format.EngineV1, thing)
				var broken atomic.Bool
				b := &unlockable{Bucket: long(disk, 25*time.Second), broken: &broken}
				c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
				done := make(chan error, 1)
				go func() {
					_, err := c.Commit(t.Context(), put(1, "a", 1, thing))
					done <- err
				}()
				time.Sleep(5 * time.Second)
				tc.lose(t, disk, &broken)
				time.Sleep(18 * time.Second) // the lease is unsafe, the upload still runs
				if n := readHead(t, disk).CommitID; n > 2 {
					t.Errorf("the head is commit %d under a lost lease", n)
				}
				broken.Store(false)
				if err := <-done; err != nil {
					t.Errorf("the transaction was not tried again: %v", err)
				}
				closeIt(t, c)
				verify(t, disk)
			})
		})
	}
}

// unlockable is a store that can be made to reject writes of the lock object.
type unlockable struct {
	objstore.Bucket
	broken *atomic.Bool
}

func (u *unlockable) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	if key == format.LockKey && u.broken.Load() {
		return objstore.Absent, &objstore.Error{Op: objstore.OpSwap, Key: key, Err: objstore.ErrUnreachable}
	}
	return u.Bucket.Swap(ctx, key, want, body)
}

func TestWaitForALockIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mem.New("x")
		initialise(t, b, format.EngineV1, thing)
		w := &original.Writer{Bucket: b, Owner: "someone"}
		if err := w.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test", LockTimeout: 2 * time.Second})
		began := time.Now()
		_, err := c.Commit(t.Context(), put(1, "a", 1, thing))
		var held *writepath.LeaseHeldError
		if !errors.As(err, &held) || held.Owner != "someone" || held.Until.IsZero() {
			t.Errorf("commit under a foreign lock: %v, want LeaseHeldError of someone", err)
		}
		if waited := time.Since(began); waited < 2*time.Second || waited > 2100*time.Millisecond {
			t.Errorf("it waited %s, want 2 s", waited)
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("the client is gone"))
		defer cancel()
		if _, err := c.Commit(ctx, put(1, "a", 1, thing)); !errors.Is(err, context.Cause(ctx)) {
			t.Errorf("a client that left: %v, want its cause", err)
		}
		time.Sleep(30 * time.Second) // the owner died: his lease is over
		if _, err := c.Commit(t.Context(), put(1, "a", 1, thing)); err != nil {
			t.Errorf("after the lease of a dead owner: %v", err)
		}
		closeIt(t, c)
		verify(t, b)
	})
}

func TestLockThatNobodyCanReadIsTakenOver(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing)
	for _, body := range []string{`{"owner_id":"x","expires_at":"soon"}`, `{"owner_id"`, ``} {
		if _, err := b.Put(t.Context(), format.LockKey, []byte(body)); err != nil {
			t.Fatal(err)
		}
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
		if _, err := c.Commit(t.Context(), put(readHead(t, b).CommitID, "a", 1, thing)); err != nil {
			t.Errorf("lock %q: %v", body, err)
		}
		closeIt(t, c)
	}
	verify(t, b)
}

// TestOthersGetTheLock: while 64 clients commit as fast as they can, an original writer
// commits repeatedly, each time well within its timeout of 5 s, and never crashes on a lock
// that disappeared.
func TestOthersGetTheLock(t *testing.T) {
	for _, trip := range []time.Duration{40 * time.Millisecond, 150 * time.Millisecond} {
		t.Run(trip.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { crowd(t, mem.New("x"), trip) })
		})
	}
}

// TestOthersGetTheLockOfADirectory is the same in real time on files, whose locks and renames
// are less fair than a mutex.
func TestOthersGetTheLockOfADirectory(t *testing.T) {
	disk, err := dir.Open(t.TempDir(), dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	crowd(t, disk, 0)
}

// crowd runs 64 committing clients and a poller for the lock, on a store with an additional
// round trip time.
func crowd(t *testing.T, disk objstore.Bucket, trip time.Duration) {
	initialise(t, disk, format.EngineV1, thing, other)
	c := writepath.Open(writepath.Options{Bucket: slow(disk, trip), RuntimeID: "test"})
	var stop atomic.Bool
	var committed atomic.Int64
	var wg sync.WaitGroup
	for client := range 64 {
		wg.Go(func() {
			pin := ontosql.CommitID(1)
			for n := 0; !stop.Load(); n++ {
				out, err := c.Commit(t.Context(), put(pin, fmt.Sprint("client ", client), n, thing))
				if err != nil {
					t.Errorf("client %d: %v", client, err)
					return
				}
				pin = out.Commit
				committed.Add(1)
				time.Sleep(100 * time.Millisecond) // its next statement
			}
		})
	}
	w := &original.Writer{Bucket: slow(disk, trip), Owner: "poller"}
	for round := range 3 {
		time.Sleep(300 * time.Millisecond) // the load is on
		began := time.Now()
		if err := w.Acquire(t.Context()); err != nil {
			t.Errorf("round %d of the original: %v", round, err)
		}
		if waited := time.Since(began); waited > 3500*time.Millisecond {
			t.Errorf("round %d: the original waited %s for the lock", round, waited)
		}
		w.Release(t.Context())
	}
	if _, err := theirs(t.Context(), w, other, "poller"); err != nil {
		t.Errorf("a commit of the original: %v", err)
	}
	stop.Store(true)
	wg.Wait()
	closeIt(t, c)
	// Enough to have wanted the lock all the time, on a slow machine too.
	if n := committed.Load(); n < 64 {
		t.Errorf("64 clients made %d commits meanwhile, want one of each at least", n)
	}
	verify(t, disk)
}
