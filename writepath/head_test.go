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
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// headOf returns the commit that a Committer knows to be the head, -1 for none.
func headOf(c *writepath.Committer) ontosql.CommitID {
	head, _, ok := c.Head()
	if !ok {
		return -1
	}
	return head.CommitID
}

func TestHeadIsKnownWhileTheLeaseIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing)
		var c *writepath.Committer
		during := map[string]ontosql.CommitID{}
		var mu sync.Mutex
		b := &faulty.Bucket{Bucket: disk, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
			mu.Lock()
			defer mu.Unlock()
			during[op+" "+attemptName.ReplaceAllString(key, "$1-*/")] = headOf(c)
		}}
		c = writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
		if got := headOf(c); got != -1 {
			t.Errorf("before the first commit the head is known to be %d", got)
		}
		for want := ontosql.CommitID(2); want < 5; want++ {
			out, err := c.Commit(t.Context(), put(want-1, "a", 1, thing))
			if err != nil || out.Commit != want {
				t.Fatalf("commit %d: %+v, %v", want, out, err)
			}
			if got := headOf(c); got != want {
				t.Errorf("right after the answer for commit %d the head is known to be %d", want, got)
			}
		}
		synctest.Wait()
		mu.Lock()
		for request, want := range map[string]ontosql.CommitID{
			"put commits/2-*/manifest.json": -1, // the head was only read under this lease, see Committer.Head
			"put commits/3-*/manifest.json": 2,
			"swap " + format.HeadKey:        -1,
		} {
			if got, asked := during[request]; got != want || !asked {
				t.Errorf("during %s (seen: %t) the head is known to be %d, want %d", request, asked, got, want)
			}
		}
		mu.Unlock()
		if head, since, ok := c.Head(); !ok || *head.ManifestPath != *readHead(t, disk).ManifestPath || time.Since(since) < 0 {
			t.Errorf("the head is known as %+v since %s (%t), it is %+v", head, since, ok, readHead(t, disk))
		}
		time.Sleep(300 * time.Millisecond)
		if got := headOf(c); got != -1 {
			t.Errorf("after the lock was given back the head is known to be %d", got)
		}
		mu.Lock()
		if got := during["swap "+format.LockKey]; got != -1 {
			t.Errorf("while the lock is given back the head is known to be %d", got)
		}
		mu.Unlock()
		closeIt(t, c)
		verify(t, disk)
	})
}

// TestHeadIsForgottenWithTheLease: when the lease ends for any reason, Head no longer returns
// a head.
func TestHeadIsForgottenWithTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing)
		var skew atomic.Int64
		now := func() time.Time { return time.Now().Add(time.Duration(skew.Load())) }
		c := writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "test", Now: now})
		if _, err := c.Commit(t.Context(), put(1, "a", 1, thing)); err != nil || headOf(c) != 2 {
			t.Fatalf("commit 2: %v; the head is known to be %d", err, headOf(c))
		}
		skew.Store(int64(19900 * time.Millisecond)) // of a lease of 30 s, of which 10 s are not safe
		if headOf(c) != 2 {
			t.Error("under a lease that is still safe the head is not known")
		}
		skew.Store(int64(20 * time.Second)) // the machine was suspended
		if got := headOf(c); got != -1 {
			t.Errorf("under a lease that is no longer safe the head is known to be %d", got)
		}
		closeIt(t, c)
		verify(t, disk)
	})
}

// TestHeadThatWasOnlyRead: a writer checked its lease, was stopped until after its end, and
// sends its swap during our lease. The swap succeeds, because we have only read the head so
// far; Head must not return the head that we read.
func TestHeadThatWasOnlyRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing, other)
		stopped := &faulty.Bucket{Bucket: disk, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
			if op == objstore.OpSwap && key == format.HeadKey {
				time.Sleep(35 * time.Second)
			}
		}}
		late := make(chan error, 1)
		go func() {
			_, err := theirs(t.Context(), &original.Writer{Bucket: stopped, Owner: "late"}, other, "late")
			late <- err
		}()
		synctest.Wait()
		c := writepath.Open(writepath.Options{Bucket: long(disk, 10*time.Second), RuntimeID: "test", LockTimeout: time.Minute})
		done := make(chan error, 1)
		go func() {
			_, err := c.Commit(t.Context(), put(1, "a", 1, thing))
			done <- err
		}()
		for range 400 {
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			if got, want := headOf(c), readHead(t, disk).CommitID; got != -1 && got != want {
				t.Fatalf("at %s the head is known to be %d, it is %d", time.Now(), got, want)
			}
		}
		if err := <-late; err != nil {
			t.Errorf("the late writer: %v, want its commit", err)
		}
		if err := <-done; err != nil {
			t.Errorf("our commit after it: %v", err)
		}
		closeIt(t, c)
		if n := len(verify(t, disk)); n != 3 {
			t.Errorf("%d commits, want 3", n)
		}
	})
}

// TestKnownHeadsAreLinear: several gateways and an original commit while readers call a
// gateway's Head. It never returns a head from before the call, or one that is not yet
// written.
func TestKnownHeadsAreLinear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := mem.New("x")
		initialise(t, disk, format.EngineV1, thing)
		var stop atomic.Bool
		var known atomic.Int64
		var clients, readers sync.WaitGroup
		var gateways []*writepath.Committer
		for g := range 3 {
			c := writepath.Open(writepath.Options{Bucket: slow(disk, time.Millisecond), RuntimeID: fmt.Sprint("gateway-", g), LockTimeout: time.Minute})
			gateways = append(gateways, c)
			for n := range 4 {
				clients.Go(func() {
					pin := ontosql.CommitID(1)
					for step := range 25 {
						out, err := c.Commit(t.Context(), put(pin, fmt.Sprint("client ", g, n), step, thing))
						if err != nil {
							t.Errorf("client %d of gateway %d: %v", n, g, err)
							return
						}
						if got := headOf(c); got != -1 && got < out.Commit {
							t.Errorf("after the answer for commit %d the head is known to be %d", out.Commit, got)
						}
						pin = out.Commit
						time.Sleep(5 * time.Millisecond)
					}
				})
			}
			readers.Go(func() {
				for !stop.Load() {
					before := readHead(t, disk).CommitID
					got := headOf(c)
					if after := readHead(t, disk).CommitID; got != -1 && (got < before || got > after) {
						t.Errorf("gateway %d knows the head to be %d between a look at %d and one at %d", g, got, before, after)
					}
					if got != -1 {
						known.Add(1)
					}
					time.Sleep(300 * time.Microsecond)
				}
			})
		}
		clients.Go(func() {
			w := &original.Writer{Bucket: slow(disk, time.Millisecond), Owner: "original", LockTimeout: time.Minute}
			for n := range 5 {
				if _, err := theirs(t.Context(), w, thing, fmt.Sprint("original ", n)); err != nil {
					t.Errorf("the original: %v", err)
				}
				time.Sleep(50 * time.Millisecond)
			}
		})
		clients.Wait()
		stop.Store(true)
		readers.Wait()
		for _, c := range gateways {
			closeIt(t, c)
		}
		if known.Load() == 0 {
			t.Error("the head was never known")
		}
		verify(t, disk)
	})
}

func TestLockTimeoutOfATransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mem.New("x")
		initialise(t, b, format.EngineV1, thing)
		w := &original.Writer{Bucket: b, Owner: "someone"}
		if err := w.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test", LockTimeout: 3 * time.Second})
		var wg sync.WaitGroup
		for id, timeout := range map[string]time.Duration{"short": 100 * time.Millisecond, "default": 0, "long": 6 * time.Second} {
			wg.Go(func() {
				tx := put(1, id, 1, thing)
				tx.LockTimeout = timeout
				began, want := time.Now(), timeout
				if want == 0 {
					want = 3 * time.Second
				}
				_, err := c.Commit(t.Context(), tx)
				var held *writepath.LeaseHeldError
				if !errors.As(err, &held) || held.Owner != "someone" || held.Until.IsZero() {
					t.Errorf("%s: %v, want LeaseHeldError with owner and expiry", id, err)
				}
				if waited := time.Since(began); waited < want || waited > want+50*time.Millisecond {
					t.Errorf("%s: it waited %s, want %s", id, waited, want)
				}
			})
		}
		wg.Wait()
		w.Release(t.Context())
		closeIt(t, c)
		verify(t, b)
	})
}

func TestAttempts(t *testing.T) {
	for _, text := range []string{"", "42", "42-", "-9f3c1d2e", "0-9f3c1d2e", "042-9f3c1d2e", "42-9F3C1D2E", "42-9f3c1d2", "42-9f3c1d2e ", "99999999999999999999-9f3c1d2e", "9999999999999999999-9f3c1d2e", "4 2-9f3c1d2e"} {
		if id, name, err := writepath.ParseAttempt(text); !errors.Is(err, writepath.ErrBadAttempt) {
			t.Errorf("%q is %d and %q (%v), want ErrBadAttempt", text, id, name, err)
		}
	}
	unknown := &writepath.UnknownOutcomeError{Commit: 42, Attempt: "9f3c1d2e"}
	if id, name, err := writepath.ParseAttempt(unknown.Text()); id != 42 || name != "9f3c1d2e" || err != nil || unknown.Text() != "42-9f3c1d2e" {
		t.Errorf("%q is read as %d and %q, %v", unknown.Text(), id, name, err)
	}
	if !strings.Contains(unknown.Error(), unknown.Text()) {
		t.Errorf("the error %q does not say %q", unknown, unknown.Text())
	}
}

// TestWhatBecameOfAnAttempt checks the status of an unknown outcome: undecided, committed, and
// with its number taken by another commit.
func TestWhatBecameOfAnAttempt(t *testing.T) {
	for _, applied := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			disk := mem.New("x")
			initialise(t, disk, format.EngineV1, thing)
			b := &faulty.Bucket{Bucket: disk, At: 7, Applied: applied, Dead: true} // the head swap, see TestOrphansStayAfterAnUnknownOutcome
			c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
			_, err := c.Commit(t.Context(), put(1, "a", 1, thing))
			var unknown *writepath.UnknownOutcomeError
			if !errors.As(err, &unknown) {
				t.Fatalf("the store is gone after the swap: %v", err)
			}
			closeIt(t, c)
			ask := func(want string) {
				t.Helper()
				got, err := writepath.AttemptStatus(viewOf(t, disk), unknown.Text())
				if got != want || err != nil {
					t.Errorf("the swap landed: %t; attempt %s is %q (%v), want %q", applied, unknown.Text(), got, err, want)
				}
			}
			first, last := writepath.AttemptInProgress, writepath.AttemptAborted
			if applied {
				first, last = writepath.AttemptCommitted, writepath.AttemptCommitted
			}
			ask(first)
			time.Sleep(time.Minute) // the dead writer's lock
			theyCommit(t, disk, thing, "next")
			ask(last)
			if _, err := writepath.AttemptStatus(viewOf(t, disk), "nonsense"); !errors.Is(err, writepath.ErrBadAttempt) {
				t.Errorf("nonsense: %v, want ErrBadAttempt", err)
			}
			verify(t, disk)
		})
	}
}

// peeking calls after when a head swap has succeeded, before the Committer gets the answer.
type peeking struct {
	objstore.Bucket
	after func()
}

func (b *peeking) Swap(ctx context.Context, key string, old objstore.Version, body []byte) (objstore.Version, error) {
	version, err := b.Bucket.Swap(ctx, key, old, body)
	if err == nil && key == format.HeadKey {
		b.after()
	}
	return version, err
}

// TestManifestsAreKnownWhenTheHeadMoves: a reader in this process that sees the new head
// before the Committer does must have its manifests. Otherwise it would request them, and for
// a large group list the whole history.
func TestManifestsAreKnownWhenTheHeadMoves(t *testing.T) {
	disk := mem.New("x")
	initialise(t, disk, format.EngineV1, thing)
	var asked []string
	log, err := chain.Open("", chain.Options{Bucket: &faulty.Bucket{Bucket: disk, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
		asked = append(asked, op+" "+key)
	}}})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	peek := func() {
		if _, err := log.At(t.Context(), readHead(t, disk)); err != nil {
			t.Error(err)
		}
	}
	peek()
	asked = nil
	c := writepath.Open(writepath.Options{Bucket: &peeking{disk, peek}, RuntimeID: "test", Log: log})
	for n := range 3 {
		if _, err := c.Commit(t.Context(), put(1, fmt.Sprint(n), 1, thing)); err != nil {
			t.Fatal(err)
		}
	}
	closeIt(t, c)
	if len(asked) > 0 {
		t.Errorf("a reader asked for %v", asked)
	}
	verify(t, disk)
}
