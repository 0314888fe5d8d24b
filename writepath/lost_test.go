package writepath_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// stopped is the clock of a process that was stopped for a while: it jumps when the process
// continues.
type stopped struct{ slept atomic.Int64 }

func (s *stopped) now() time.Time { return time.Now().Add(time.Duration(s.slept.Load())) }

// goOn is SIGCONT, some time after SIGSTOP.
func (s *stopped) goOn(after time.Duration) { s.slept.Add(int64(after)) }

// TestLostLockIsLeftInOrder: a process that was stopped for longer than its lease releases a
// lock that no other writer took, updates its indexes, and leaves no lock when it is closed.
func TestLostLockIsLeftInOrder(t *testing.T) {
	for _, tc := range []struct {
		name string
		rest time.Duration // between going on and the end of the process
	}{
		{"closed at once", 0},
		{"closed later", 3 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				disk := mem.New("x")
				initialise(t, disk, format.EngineV1, thing)
				clock := &stopped{}
				c := writepath.Open(writepath.Options{Bucket: slow(disk, time.Millisecond), RuntimeID: "test", LeaseTTL: 1500 * time.Millisecond, Now: clock.now})
				for n := range 2 { // the index of the second is not written at once
					if _, err := c.Commit(t.Context(), put(readHead(t, disk).CommitID, "a", n, thing)); err != nil {
						t.Fatal(err)
					}
				}
				clock.goOn(2 * time.Second)
				if tc.rest > 0 {
					time.Sleep(tc.rest)
					if l := readLock(t, disk); l == nil || !l.Released() {
						t.Errorf("%s after a lost lease the lock is %+v, want it given back", tc.rest, l)
					}
					wantIndexed(t, disk)
				}
				closeIt(t, c)
				if l := readLock(t, disk); l != nil {
					t.Errorf("after close the lock is %+v, want none", l)
				}
				wantIndexed(t, disk)
				verify(t, disk)
			})
		})
	}
}

// wantIndexed checks that the index of thing is at the head.
func wantIndexed(t *testing.T, b objstore.Bucket) {
	t.Helper()
	body, _, err := b.Get(t.Context(), format.IndexKey(thing))
	if err != nil {
		t.Fatal(err)
	}
	x, err := format.DecodeIndex("", body)
	if err != nil {
		t.Fatal(err)
	}
	if head := readHead(t, b).CommitID; x.MaxIndexedCommit != head {
		t.Errorf("the index is at commit %d, the head at %d", x.MaxIndexedCommit, head)
	}
}

// TestLostLockOfAnotherIsLeftAlone: what another writer took while the process
// was stopped is his.
func TestLostLockOfAnotherIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing)
		clock := &stopped{}
		c := writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "test", LeaseTTL: 1500 * time.Millisecond, Now: clock.now})
		for n := range 2 {
			if _, err := c.Commit(t.Context(), put(readHead(t, disk).CommitID, "a", n, thing)); err != nil {
				t.Fatal(err)
			}
		}
		w := &original.Writer{Bucket: disk, Owner: "other", Now: func() time.Time { return time.Now().Add(2 * time.Second) }}
		if err := w.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		clock.goOn(2 * time.Second)
		closeIt(t, c)
		if l := readLock(t, disk); l == nil || l.OwnerID != "other" || l.Released() {
			t.Errorf("after close the lock is %+v, want it held by other", l)
		}
		w.Release(t.Context())
		verify(t, disk)
	})
}

// TestLockIsRemovedWhoseReleaseFailed: a store that takes no answer to the lock
// for a while does not leave it behind when the process ends.
func TestLockIsRemovedWhoseReleaseFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing)
		var broken atomic.Bool
		c := writepath.Open(writepath.Options{Bucket: &unlockable{Bucket: disk, broken: &broken}, RuntimeID: "test"})
		if _, err := c.Commit(t.Context(), put(1, "a", 1, thing)); err != nil {
			t.Fatal(err)
		}
		broken.Store(true)
		time.Sleep(time.Second)
		broken.Store(false)
		if l := readLock(t, disk); l == nil || l.Released() {
			t.Fatalf("the lock is %+v, want that nobody could give it back", l)
		}
		closeIt(t, c)
		if l := readLock(t, disk); l != nil {
			t.Errorf("after close the lock is %+v, want none", l)
		}
		verify(t, disk)
	})
}

// TestLeaseLostBeforeTheFirstGroup: a tenure whose lease is over before the head
// was read decides nothing, so its transactions are tried again.
func TestLeaseLostBeforeTheFirstGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing)
		var reads atomic.Int32
		b := &faulty.Bucket{Bucket: disk, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
			if key == format.HeadKey && op == objstore.OpGet {
				reads.Add(1)
			}
			if reads.Load() <= 2 {
				time.Sleep(400 * time.Millisecond) // to take the lock, and again to read the head
			}
		}}
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test", LeaseTTL: time.Second, LockTimeout: time.Second})
		if _, err := c.Commit(t.Context(), put(1, "a", 1, thing)); err != nil {
			t.Errorf("a commit whose first two leases were too short: %v, want it tried again", err)
		}
		closeIt(t, c)
		verify(t, disk)
	})
}

// TestFaultAfterALostLease breaks each request of a process that was stopped for
// longer than its lease and then ends: its commits stay, and with a store that
// can be asked again it leaves no lock that somebody would have to wait for.
func TestFaultAfterALostLease(t *testing.T) {
	for _, applied := range []bool{false, true} {
		t.Run(fmt.Sprintf("applied %t", applied), func(t *testing.T) {
			for at, more := 0, true; more; at++ {
				synctest.Test(t, func(t *testing.T) {
					disk := mem.New("x")
					initialise(t, disk, format.EngineV1, thing)
					clock := &stopped{}
					b := &faulty.Bucket{Bucket: disk, At: at, Applied: applied}
					c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test", LeaseTTL: 1500 * time.Millisecond, Now: clock.now})
					told := 0
					for n := range 2 {
						if _, err := c.Commit(t.Context(), put(readHead(t, disk).CommitID, "a", n, thing)); err == nil {
							told++
						}
					}
					clock.goOn(2 * time.Second)
					closeIt(t, c)
					if n := len(verify(t, disk)) - 1; n < told {
						t.Errorf("request %d: %d commits are there, %d were acknowledged", at, n, told)
					}
					if l := readLock(t, disk); l != nil && !l.Released() {
						t.Errorf("request %d: after close the lock is %+v, want it gone or given back", at, l)
					}
					more = b.Requests() > at
				})
			}
		})
	}
}
