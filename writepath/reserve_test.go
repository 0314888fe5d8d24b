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
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// reservedPrefix opens a committer over a fresh store and reserves its lock.
func reservedPrefix(t *testing.T, b *mem.Bucket, o writepath.Options) (*writepath.Committer, *writepath.Reservation) {
	t.Helper()
	initialise(t, b, format.EngineV1, thing, other)
	if o.Bucket == nil {
		o.Bucket = b
	}
	o.RuntimeID = "test"
	c := writepath.Open(o)
	r, err := c.Reserve(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return c, r
}

// under is a transaction that carries a reservation.
func under(r *writepath.Reservation, tx writepath.Tx) writepath.Tx {
	tx.Reservation = r
	return tx
}

// TestReservation holds the lock for a minute of work. Writers that arrive meanwhile wait, also
// after commits of the holder, and continue when the reservation ends; the next reservation
// follows the writers that waited before it.
func TestReservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mem.New("x")
		c, r := reservedPrefix(t, b, writepath.Options{LockTimeout: time.Hour, Bucket: slow(b, trip)})
		var order []string
		var mu sync.Mutex
		var wg sync.WaitGroup
		note := func(who string, err error) {
			mu.Lock()
			defer mu.Unlock()
			if order = append(order, who); err != nil {
				t.Errorf("%s: %v", who, err)
			}
		}
		for n := range 3 {
			wg.Go(func() {
				_, err := c.Commit(t.Context(), put(1, fmt.Sprint("writer ", n), 1, thing))
				note("writer", err)
			})
		}
		synctest.Wait()
		wg.Go(func() {
			next, err := c.Reserve(t.Context(), 0)
			note("next", err)
			next.Release()
		})
		for n := range 3 {
			time.Sleep(20 * time.Second)
			if l := readLock(t, b); l == nil || time.Until(l.ExpiresAt.Time) < 19*time.Second {
				t.Errorf("the lock is %+v at %s, want it renewed", l, time.Now())
			}
			_, err := c.Commit(t.Context(), under(r, put(ontosql.CommitID(n+1), "holder", n, thing)))
			note("holder", err)
		}
		if err := context.Cause(r.Context()); err != nil {
			t.Errorf("the reservation ended: %v", err)
		}
		r.Release()
		wg.Wait()
		if got := strings.Join(order, " "); got != "holder holder holder writer writer writer next" {
			t.Errorf("decided were %s", got)
		}
		if _, err := c.Commit(t.Context(), under(r, put(4, "late", 1, thing))); err == nil {
			t.Error("a commit under a reservation that was released is made")
		}
		closeIt(t, c)
		if chain := verify(t, b); len(chain) != 7 {
			t.Errorf("there are %d commits, want 7", len(chain))
		}
	})
}

// TestReservationIsWaitedForAsALock: who waits for the end of a reservation does so
// for his own lock timeout, or until he leaves, and so does who wants another one.
func TestReservationIsWaitedForAsALock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mem.New("x")
		c, r := reservedPrefix(t, b, writepath.Options{LockTimeout: 2 * time.Second})
		owner := readLock(t, b).OwnerID
		var held *writepath.LeaseHeldError
		began := time.Now()
		if _, err := c.Commit(t.Context(), put(1, "a", 1, thing)); !errors.As(err, &held) || held.Owner != owner || !held.Until.After(began) {
			t.Errorf("a commit meanwhile: %v, want that %s holds the lock", err, owner)
		}
		if waited := time.Since(began); waited < 2*time.Second || waited > 2100*time.Millisecond {
			t.Errorf("it waited %s, want 2 s", waited)
		}
		if _, err := c.Reserve(t.Context(), time.Second); !errors.As(err, &held) {
			t.Errorf("a second reservation: %v", err)
		}
		gone := errors.New("the client is gone")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, gone)
		defer cancel()
		if _, err := c.Commit(ctx, put(1, "a", 1, thing)); !errors.Is(err, gone) {
			t.Errorf("a client that left: %v", err)
		}
		r.Release()
		w := &original.Writer{Bucket: b, Owner: "someone"}
		if err := w.Acquire(t.Context()); err != nil {
			t.Fatalf("the original after the reservation: %v", err)
		}
		if _, err := c.Reserve(t.Context(), 0); !errors.As(err, &held) || held.Owner != "someone" {
			t.Errorf("a reservation under a foreign lock: %v", err)
		}
		w.Release(t.Context())
		closeIt(t, c)
		verify(t, b)
	})
}

// TestReservationEnds covers every reason for which a reservation ends. Its holder receives the
// reason, nothing is committed under it any more, and the other writers continue.
func TestReservationEnds(t *testing.T) {
	gone := errors.New("the client is gone")
	for _, tc := range []struct {
		name string
		end  func(t *testing.T, b *mem.Bucket, broken *atomic.Bool, leave context.CancelCauseFunc)
		want error
	}{
		{"the holder's context ends", func(_ *testing.T, _ *mem.Bucket, _ *atomic.Bool, leave context.CancelCauseFunc) { leave(gone) }, gone},
		{"another writer's clock is ahead", func(t *testing.T, b *mem.Bucket, _ *atomic.Bool, _ context.CancelCauseFunc) {
			if _, err := theirs(t.Context(), &original.Writer{Bucket: b, Owner: "o", Now: ahead}, other, "o"); err != nil {
				t.Error(err)
			}
		}, writepath.ErrLeaseLost},
		{"nothing can be renewed", func(_ *testing.T, _ *mem.Bucket, broken *atomic.Bool, _ context.CancelCauseFunc) { broken.Store(true) }, writepath.ErrLeaseLost},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := mem.New("x")
				initialise(t, b, format.EngineV1, thing, other)
				var broken atomic.Bool
				c := writepath.Open(writepath.Options{Bucket: slow(&unlockable{Bucket: b, broken: &broken}, trip), RuntimeID: "test", LockTimeout: time.Hour})
				ctx, leave := context.WithCancelCause(t.Context())
				defer leave(nil)
				r, err := c.Reserve(ctx, 0)
				if err != nil {
					t.Fatal(err)
				}
				context.AfterFunc(r.Context(), func() { broken.Store(false) })
				done := make(chan error, 1)
				go func() {
					_, err := c.Commit(t.Context(), put(1, "waits", 1, thing))
					done <- err
				}()
				synctest.Wait()
				tc.end(t, b, &broken, leave)
				<-r.Context().Done()
				if err := context.Cause(r.Context()); !errors.Is(err, tc.want) {
					t.Errorf("the reservation ended with %v, want %v", err, tc.want)
				}
				if _, err := c.Commit(t.Context(), under(r, put(1, "holder", 1, thing))); !errors.Is(err, tc.want) {
					t.Errorf("a commit after that: %v, want %v", err, tc.want)
				}
				if err := <-done; err != nil {
					t.Errorf("who waited: %v", err)
				}
				closeIt(t, c)
				verify(t, b)
			})
		})
	}
}

// TestReservationOfAHolderWhoPanics is given back by his deferred call, as every
// other.
func TestReservationOfAHolderWhoPanics(t *testing.T) {
	b := mem.New("x")
	c, r := reservedPrefix(t, b, writepath.Options{})
	func() {
		defer func() { _ = recover() }()
		defer r.Release()
		panic("in the middle of a migration")
	}()
	if _, err := c.Commit(t.Context(), put(1, "a", 1, thing)); err != nil {
		t.Errorf("the next writer: %v", err)
	}
	closeIt(t, c)
	verify(t, b)
}

// TestCloseEndsAReservation: closing waits for no holder. What he has handed over is
// decided, and so are the others that wait.
func TestCloseEndsAReservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mem.New("x")
		c, r := reservedPrefix(t, b, writepath.Options{LockTimeout: time.Hour, Bucket: long(b, time.Second)})
		results := make(chan error, 2)
		for _, tx := range []writepath.Tx{under(r, put(1, "holder", 1, thing)), put(1, "waits", 1, thing)} {
			go func() {
				_, err := c.Commit(t.Context(), tx)
				results <- err
			}()
			synctest.Wait()
		}
		closeIt(t, c)
		if err := errors.Join(<-results, <-results); err != nil {
			t.Errorf("what waited when it was closed: %v", err)
		}
		if err := context.Cause(r.Context()); !errors.Is(err, writepath.ErrClosed) {
			t.Errorf("the reservation ended with %v, want ErrClosed", err)
		}
		if _, err := c.Reserve(t.Context(), 0); !errors.Is(err, writepath.ErrClosed) {
			t.Errorf("a reservation of a closed committer: %v", err)
		}
		verify(t, b)
	})
}

// TestReservationOfAnother: a committer commits nothing under the reservation of
// another one.
func TestReservationOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mem.New("x")
		c, r := reservedPrefix(t, b, writepath.Options{})
		another := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "another"})
		if _, err := another.Commit(t.Context(), under(r, put(1, "a", 1, thing))); err == nil {
			t.Error("it is committed")
		}
		r.Release()
		closeIt(t, another)
		closeIt(t, c)
		verify(t, b)
	})
}

// TestReservedAttemptIsMadeVoid: a foreign commit between, by a writer that had lost the lock
// before, invalidates the holder's attempt: the holder gets an error and must read again,
// because its reads are stale.
func TestReservedAttemptIsMadeVoid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mem.New("x")
		c, r := reservedPrefix(t, b, writepath.Options{Bucket: long(b, 5*time.Second)})
		done := make(chan error, 1)
		go func() {
			_, err := c.Commit(t.Context(), under(r, put(1, "holder", 1, thing)))
			done <- err
		}()
		time.Sleep(time.Second)
		w := &original.Writer{Bucket: b, Owner: "o", Now: ahead}
		lock := readLock(t, b)
		if _, err := theirs(t.Context(), w, thing, "o"); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Put(t.Context(), format.LockKey, format.EncodeLock(lock)); err != nil { // as if it never had it
			t.Fatal(err)
		}
		if err := <-done; !errors.Is(err, ontosql.ErrHeadMoved) {
			t.Errorf("the holder's commit: %v, want that the head moved", err)
		}
		<-r.Context().Done()
		if _, err := c.Commit(t.Context(), put(2, "next", 1, thing)); err != nil {
			t.Errorf("the next writer: %v", err)
		}
		closeIt(t, c)
		verify(t, b)
	})
}
