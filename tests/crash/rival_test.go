package crash

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/format"
)

// TestRivalWaits kills a server that holds the lock. A client of another server with a short
// lock_timeout receives an error with the holder and the end of its lease; a client that waits
// acquires the lock when the lease has ended, at the latest.
func TestRivalWaits(t *testing.T) {
	t.Parallel()
	w, _ := aWorld(t)
	living := start(t, w, calm)
	hasty, err := living.connect(t.Context(), "lock_timeout=100ms")
	if err != nil {
		t.Fatal(err)
	}
	defer hasty.Close(t.Context())
	var long time.Duration
	var killed time.Time
	var held *format.Lock
	var told *pgconn.PgError
	for long = 4 * time.Second; ; long *= 2 {
		killed, held = w.killHolder(t, long)
		o := w.ledger.begin(shapes[0])
		_, err := hasty.Exec(t.Context(), o.rows[0].params(), o.rows[0].values...)
		if err := o.end(t.Context(), true, err); err != nil {
			t.Fatal(err)
		}
		if errors.As(err, &told) && told.Code == "55P03" {
			break
		}
		if took := time.Since(killed); took < long || long > patience { // else the lease ended before the client had asked
			t.Fatalf("INSERT with lock_timeout 100 ms %s after the kill: %v, want 55P03", took, err)
		}
	}
	for _, fact := range []string{held.OwnerID, held.ExpiresAt.UTC().Format("2006-01-02 15:04:05")} {
		if !strings.Contains(told.Detail, fact) {
			t.Errorf("detail of 55P03 is %q, want owner and expiry of the lock, %q", told.Detail, fact)
		}
	}

	if err := w.probe(t.Context(), living); err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(killed); waited > long+patience/4 {
		t.Errorf("the rival's write was acknowledged %s after the kill, want the lease's %s or little more", waited, long)
	}
	w.rest(t, living)
}

// killHolder kills a server that holds the lock, whose lease is so long. On a slow machine a
// server may have given it back before it is killed.
func (w *world) killHolder(t *testing.T, lease time.Duration) (killed time.Time, held *format.Lock) {
	t.Helper()
	for range 20 {
		dying := start(t, w, lease)
		if err := w.probe(t.Context(), dying); err != nil {
			t.Fatal(err)
		}
		dying.kill()
		killed = time.Now()
		var err error
		if held, err = w.store.lock(t.Context()); err != nil {
			t.Fatal(err)
		}
		if held != nil && !held.Released() {
			return killed, held
		}
	}
	t.Fatalf("the lock after kill -9 right after a commit is %+v each time, want it held", held)
	return killed, held
}

// TestRivalGoesOn kills one of two servers on a store, both under load, in the
// middle of its commits: the clients of the other notice nothing but a pause.
func TestRivalGoesOn(t *testing.T) {
	t.Parallel()
	w, seed := aWorld(t)
	living := start(t, w, calm)
	if err := w.probe(t.Context(), living); err != nil { // makes what is watched
		t.Fatal(err)
	}
	for round, a := range []aim{
		{step: folderMade, n: 8}, {step: headSwapped, n: 6}, {step: lockWritten, n: 3}, {step: manifestWritten, n: 10}, {step: indexWritten, n: 5},
	} {
		if err := w.outlived(t.Context(), start(t, w, lease), living, a); err != nil {
			t.Fatalf("%s=%d, round %d, %s: %v", seedVar, seed, round, a, err)
		}
	}
	w.rest(t, living)
	t.Logf("seed %d: %s", seed, w.count)
}

// outlived kills one server at a moment of either's work.
func (w *world) outlived(ctx context.Context, dying, living *server, a aim) error {
	if err := w.probe(ctx, living); err != nil { // so that the lock object is there to be watched
		return err
	}
	seen, err := newWatch(w.store.path)
	if err != nil {
		return err
	}
	defer seen.close()
	theirs, err := load(ctx, dying, w.ledger, w.rand, 3)
	if err != nil {
		return err
	}
	ours, err := load(ctx, living, w.ledger, w.rand, 3)
	if err != nil {
		return err
	}
	err = a.wait(ctx, seen)
	dying.kill()
	time.Sleep(lease + lease/2) // the load continues until the lease of the dead server has certainly ended
	ours.stop()
	if err := errors.Join(err, theirs.done(), ours.done(), ours.allTold(), dying.checkLog()); err != nil {
		return err
	}
	_, err = w.compare(ctx, living, false)
	return err
}

// start serves a world's store until the end of the test.
func start(t *testing.T, w *world, lease time.Duration) *server {
	t.Helper()
	v, err := serve(w.store, lease, lockTimeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.kill)
	return v
}

// rest holds all that a world shows against its ledger and ends its last
// server in order.
func (w *world) rest(t *testing.T, v *server) {
	t.Helper()
	if _, err := w.compare(t.Context(), v, true); err != nil {
		t.Error(err)
	}
	if err := w.ended(t.Context(), v); err != nil {
		t.Error(err)
	}
}
