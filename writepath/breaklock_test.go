package writepath_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// lockedStore returns a store whose lock is held.
func lockedStore(t *testing.T, lock *format.Lock) *mem.Bucket {
	t.Helper()
	b := mem.New("locked")
	fixtures.Load(t, b, "s3-v1/stage3-final")
	putLock(t, b, lock)
	return b
}

func putLock(t *testing.T, b objstore.Bucket, lock *format.Lock) {
	t.Helper()
	if _, err := b.Put(t.Context(), format.LockKey, format.EncodeLock(lock)); err != nil {
		t.Fatal(err)
	}
}

func heldBy(owner string, since time.Time) *format.Lock {
	return &format.Lock{
		OwnerID: owner, AcquiredAt: format.TimeOf(since), ExpiresAt: format.TimeOf(since.Add(30 * time.Second)), LeaseTTLms: 30000,
	}
}

// TestBreakLock breaks only the lock with the given token, and leaves it free for the next
// writer.
func TestBreakLock(t *testing.T) {
	since := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		after  *format.Lock // the lock object when it is to be broken; nil for none
		broken bool
	}{
		{"as it was", heldBy("writer", since), true},
		{"renewed", &format.Lock{OwnerID: "writer", AcquiredAt: format.TimeOf(since), ExpiresAt: format.TimeOf(since.Add(40 * time.Second)), LeaseTTLms: 30000}, false},
		{"somebody else's", heldBy("other", since), false},
		{"given back", &format.Lock{OwnerID: "writer", AcquiredAt: format.TimeOf(since), ExpiresAt: format.TimeOf(since), LeaseTTLms: 30000}, false},
		{"gone", nil, false},
	} {
		b := lockedStore(t, heldBy("writer", since))
		seen, err := writepath.ReadLock(t.Context(), b)
		if err != nil || seen == nil || seen.OwnerID != "writer" || seen.Free {
			t.Fatalf("lock %+v, %v", seen, err)
		}
		switch {
		case c.after == nil:
			if err := b.Delete(t.Context(), format.LockKey); err != nil {
				t.Fatal(err)
			}
		case !c.broken:
			putLock(t, b, c.after)
		}
		_, err = writepath.BreakLock(t.Context(), b, seen.Token())
		if c.broken && err != nil || !c.broken && !errors.Is(err, writepath.ErrLockChanged) {
			t.Errorf("%s: %v, broken should be %v", c.name, err, c.broken)
		}
		after, err := writepath.ReadLock(t.Context(), b)
		if err != nil || c.broken && (after == nil || !after.Free || after.OwnerID != "writer") {
			t.Errorf("%s: lock %+v afterwards, %v; want it given back", c.name, after, err)
		}
	}
}

// TestBreakNoLock checks that BreakLock fails if the lock is free, cannot be decoded, or there
// is no ontology.
func TestBreakNoLock(t *testing.T) {
	b := lockedStore(t, heldBy("writer", time.Now()))
	if _, err := b.Put(t.Context(), format.LockKey, []byte("{")); err != nil {
		t.Fatal(err)
	}
	seen, err := writepath.ReadLock(t.Context(), b)
	if err != nil || !seen.Free {
		t.Errorf("a lock that cannot be read: %+v, %v; every writer takes it", seen, err)
	}
	if _, err := writepath.BreakLock(t.Context(), mem.New("empty"), "x"); !errors.Is(err, ontosql.ErrNotInitialised) {
		t.Errorf("break the lock of no ontology: %v", err)
	}
}

// TestBreakLockOfAWriter breaks the lock of an active writer: the next writer commits at once,
// and the first one loses its lease and commits nothing.
func TestBreakLockOfAWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mem.New("x")
		c, r := reservedPrefix(t, b, writepath.Options{})
		defer r.Release()
		seen, err := writepath.ReadLock(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := writepath.BreakLock(t.Context(), b, seen.Token()); err != nil {
			t.Fatal(err)
		}
		next := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "next"})
		if _, err := next.Commit(t.Context(), put(0, "a", 1, thing)); err != nil {
			t.Errorf("the next writer: %v", err)
		}
		<-r.Context().Done()
		if err := context.Cause(r.Context()); !errors.Is(err, writepath.ErrLeaseLost) {
			t.Errorf("the reservation ended with %v, want %v", err, writepath.ErrLeaseLost)
		}
		if _, err := c.Commit(t.Context(), under(r, put(0, "b", 1, thing))); !errors.Is(err, writepath.ErrLeaseLost) {
			t.Errorf("a commit under the broken lock: %v, want %v", err, writepath.ErrLeaseLost)
		}
		closeIt(t, next)
		closeIt(t, c)
		if chain := verify(t, b); len(chain) != 2 {
			t.Errorf("there are %d commits, want that of the types and the next writer's", len(chain))
		}
	})
}
