package commit_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/sqlite/commit"
	"github.com/ontosql/ontosql/writepath"
)

// clock is a wall clock that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func at(c *clock) func(*commit.Options) {
	return func(o *commit.Options) { o.Now = c.now }
}

// eventually waits for what another goroutine brings about.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(testenv.Patience); !is(); {
		if time.Now().After(until) {
			t.Fatalf("in %s it did not come to: %s", testenv.Patience, what)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestLockOfAnother: a commit waits for another writer's lock up to its lock timeout, and
// continues when the lock is released.
func TestLockOfAnother(t *testing.T) {
	c := newClock()
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1), at(c))
	s.must(creates(0, thing))
	sqlitetest.Locked(t, s.path, "the original", c.now().Add(30*time.Second))

	done := make(chan error, 2)
	for _, timeout := range []time.Duration{time.Second, time.Minute} {
		go func() {
			tx := writes(1, timeout.String(), 1, thing)
			tx.LockTimeout = timeout
			_, err := s.Commit(t.Context(), tx)
			done <- err
		}()
	}
	eventually(t, "both wait", func() bool { return s.Waiting() == 2 })
	c.advance(2 * time.Second)
	err := <-done
	var held *writepath.LeaseHeldError
	if !errors.As(err, &held) || held.Owner != "the original" || !held.Until.Equal(c.now().Add(28*time.Second)) {
		t.Errorf("got %v, want the lock of the original", err)
	}
	sqlitetest.Edit(t, s.path, "DELETE FROM locks")
	if err := <-done; err != nil {
		t.Errorf("after the lock was given back: %v", err)
	}
	sqlitetest.Told(t, "rows", sqlitetest.Ask(t, s.path, "SELECT entity_key FROM entity_history"), "1m0s")
}

// TestExpiredLock is passed, and its owner can see that.
func TestExpiredLock(t *testing.T) {
	c := newClock()
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1), at(c))
	s.must(creates(0, thing))
	sqlitetest.Locked(t, s.path, "a dead one", c.now().Add(-time.Second))
	s.must(writes(1, "k", 1, thing))
	sqlitetest.Told(t, "locks", sqlitetest.Ask(t, s.path, "SELECT * FROM locks"))
	sqlitetest.Edit(t, s.path, "INSERT INTO locks VALUES ('ontology_write', 'a strange one', 'then', 'whenever')")
	s.must(writes(2, "k", 2, thing))
	sqlitetest.Told(t, "locks", sqlitetest.Ask(t, s.path, "SELECT * FROM locks"))
}

// TestExpiredLockAfterRefusal: a transaction that is refused takes back that it passed
// an expired lock, so the next one passes it again.
func TestExpiredLockAfterRefusal(t *testing.T) {
	c := newClock()
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1), at(c))
	s.must(creates(0, thing))
	s.must(writes(1, "k", 1, thing))
	sqlitetest.Locked(t, s.path, "a slow one", c.now().Add(-time.Second))
	var conflict *writepath.ConflictError
	if _, err := s.Commit(t.Context(), writes(1, "k", 2, thing)); !errors.As(err, &conflict) {
		t.Fatalf("got %v, want a conflict", err)
	}
	sqlitetest.Told(t, "locks after a refusal", sqlitetest.Ask(t, s.path, "SELECT owner_id FROM locks"), "a slow one")
	s.must(writes(2, "k", 3, thing))
	sqlitetest.Told(t, "locks after a commit", sqlitetest.Ask(t, s.path, "SELECT owner_id FROM locks"))
}

// TestLockBetweenCommits: a lock that is taken after a commit of ours is seen by the
// next.
func TestLockBetweenCommits(t *testing.T) {
	c := newClock()
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1), at(c), func(o *commit.Options) { o.LockTimeout = time.Nanosecond })
	s.must(creates(0, thing))
	s.must(writes(1, "k", 1, thing))
	s.must(writes(2, "k", 2, thing))
	sqlitetest.Locked(t, s.path, "the original", c.now().Add(30*time.Second))
	c.advance(time.Second)
	for range 2 {
		failed := make(chan error, 1)
		go func() {
			_, err := s.Commit(t.Context(), writes(3, "k", 3, thing))
			failed <- err
		}()
		eventually(t, "the transaction waits", func() bool { return s.Waiting() == 1 })
		c.advance(time.Second)
		var held *writepath.LeaseHeldError
		if err := <-failed; !errors.As(err, &held) || held.Owner != "the original" {
			t.Errorf("got %v, want the lock of the original", err)
		}
	}
	sqlitetest.Edit(t, s.path, "DELETE FROM locks")
	s.must(writes(3, "k", 3, thing))
}

// TestReservation keeps the lock over several commits, against this process and
// others.
func TestReservation(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	s, elsewhere := openSite(t, path), openSite(t, path)
	s.must(creates(0, thing))
	r, err := s.Reserve(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	rows := sqlitetest.Ask(t, path, "SELECT lock_name, owner_id FROM locks WHERE expires_at > acquired_at")
	if len(rows) != 1 || !strings.HasPrefix(rows[0], "ontology_write|site-") {
		t.Errorf("the lock is %q", rows)
	}
	for _, other := range []*site{s, elsewhere} {
		tx := writes(1, "other", 1, thing)
		tx.LockTimeout = 50 * time.Millisecond
		_, err := other.Commit(t.Context(), tx)
		var held *writepath.LeaseHeldError
		if !errors.As(err, &held) || !strings.HasPrefix(held.Owner, "site-") {
			t.Errorf("got %v, want the reservation's lock", err)
		}
	}
	if _, err := elsewhere.Reserve(t.Context(), 50*time.Millisecond); err == nil {
		t.Error("the lock was reserved twice")
	}
	for i := range 2 {
		tx := writes(ontosql.CommitID(i+1), "mine", i, thing)
		tx.Reservation = r
		s.must(tx)
	}
	conflict := writes(1, "mine", 9, thing)
	conflict.Reservation = r
	if _, err := s.Commit(t.Context(), conflict); !says(err, &writepath.ConflictError{Type: thing, Key: "mine", Actual: 2}) || r.Context().Err() != nil {
		t.Errorf("got %v and %v, want a conflict, and the reservation to go on", err, context.Cause(r.Context()))
	}
	if _, err := elsewhere.Commit(t.Context(), conflict); err == nil {
		t.Error("another committer took the reservation for its own")
	}
	r.Release()
	elsewhere.must(writes(3, "other", 1, thing))
	eventually(t, "the lock is given back", func() bool { return len(sqlitetest.Ask(t, path, "SELECT * FROM locks")) == 0 })
	late := writes(4, "late", 1, thing)
	late.Reservation = r
	if _, err := s.Commit(t.Context(), late); err == nil {
		t.Error("a transaction was committed under a reservation that was released")
	}
	sqlitetest.Sound(t, path)
}

// TestLeaseIsRenewed for as long as the reservation lasts.
func TestLeaseIsRenewed(t *testing.T) {
	c := newClock()
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1), at(c))
	s.must(creates(0, thing))
	r, err := s.Reserve(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	end := func() string { return strings.Join(sqlitetest.Ask(t, s.path, "SELECT expires_at FROM locks"), " ") }
	for range 4 {
		before := end()
		c.advance(11 * time.Second) // of 30
		eventually(t, "the lease ends later", func() bool { return end() > before })
	}
	if err := r.Context().Err(); err != nil {
		t.Errorf("the reservation ended: %v", context.Cause(r.Context()))
	}
	tx := writes(1, "k", 1, thing)
	tx.Reservation = r
	s.must(tx)
	r.Release()
}

// TestLostLease ends the reservation, and what is committed under it.
func TestLostLease(t *testing.T) {
	for _, how := range []string{"DELETE FROM locks", "UPDATE locks SET owner_id = 'the original'"} {
		t.Run(how, func(t *testing.T) {
			c := newClock()
			s := openSite(t, sqlitetest.NewFile(t, format.EngineV1), at(c))
			s.must(creates(0, thing))
			r, err := s.Reserve(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			sqlitetest.Edit(t, s.path, how)
			tx := writes(1, "k", 1, thing)
			tx.Reservation = r
			if _, err := s.Commit(t.Context(), tx); !errors.Is(err, writepath.ErrLeaseLost) {
				t.Errorf("got %v, want %v", err, writepath.ErrLeaseLost)
			}
			<-r.Context().Done()
			if cause := context.Cause(r.Context()); !errors.Is(cause, writepath.ErrLeaseLost) {
				t.Errorf("the reservation ended with %v", cause)
			}
			sqlitetest.Told(t, "rows", sqlitetest.Ask(t, s.path, "SELECT * FROM entity_history"))

			sqlitetest.Edit(t, s.path, "DELETE FROM locks")
			r, err = s.Reserve(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			sqlitetest.Edit(t, s.path, how)
			c.advance(11 * time.Second) // the lease wants to be renewed
			<-r.Context().Done()
			if cause := context.Cause(r.Context()); !errors.Is(cause, writepath.ErrLeaseLost) {
				t.Errorf("the reservation ended with %v", cause)
			}
		})
	}
}

// TestExpiredLeaseThatNobodyPassed is still valid: a writer that takes it over removes the row.
func TestExpiredLeaseThatNobodyPassed(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	c, later := newClock(), newClock()
	s, elsewhere := openSite(t, path, at(c)), openSite(t, path, at(later))
	s.must(creates(0, thing))
	r, err := s.Reserve(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	later.advance(time.Hour)
	tx := writes(1, "k", 1, thing)
	tx.Reservation = r
	s.must(tx)
	elsewhere.must(writes(2, "passed", 1, thing))
	tx = writes(2, "k", 2, thing)
	tx.Reservation = r
	if _, err := s.Commit(t.Context(), tx); !errors.Is(err, writepath.ErrLeaseLost) {
		t.Errorf("got %v, want %v", err, writepath.ErrLeaseLost)
	}
}

func TestReservationEndsWithTheCommitter(t *testing.T) {
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1))
	s.must(creates(0, thing))
	r, err := s.Reserve(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s.close()
	if cause := context.Cause(r.Context()); !errors.Is(cause, writepath.ErrClosed) {
		t.Errorf("the reservation ended with %v, want %v", cause, writepath.ErrClosed)
	}
	sqlitetest.Told(t, "locks", sqlitetest.Ask(t, s.path, "SELECT * FROM locks"))
}
