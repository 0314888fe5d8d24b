package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// TestTerminateUnderLoad sends SIGTERM while clients write. Every client gets
// its commit's answer or an error that is true, the exit code is 0, and the
// store is left in order: indexes published, no lock.
func TestTerminateUnderLoad(t *testing.T) {
	t.Parallel()
	w, seed := aWorld(t)
	for round := range 5 {
		if err := w.terminated(t.Context()); err != nil {
			t.Fatalf("%s=%d, round %d: %v", seedVar, seed, round, err)
		}
	}
	t.Logf("seed %d: %s", seed, w.count)
}

// aWorld is a world on a directory, with the seed of its randomness.
func aWorld(t *testing.T) (*world, uint64) {
	t.Helper()
	seed := seedOf(t)
	s, err := newDirStore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.remove(t) })
	return newWorld(s, rand.New(rand.NewPCG(seed, 0)), newFigures()), seed
}

func (w *world) terminated(ctx context.Context) error {
	v, err := serve(w.store, calm, lockTimeout)
	if err != nil {
		return err
	}
	defer v.kill()
	cs, err := load(ctx, v, w.ledger, w.rand, 8)
	if err != nil {
		return err
	}
	after := time.Duration(w.rand.Int64N(int64(longest)))
	time.Sleep(after) // the moment is the test's input
	if err := errors.Join(w.ended(ctx, v), cs.done(), cs.allTold(), w.hold(ctx)); err != nil {
		return fmt.Errorf("SIGTERM %s into the load: %w", after, err)
	}
	return nil
}

// hold holds a store at rest against the ledger.
func (w *world) hold(ctx context.Context) error {
	v, err := serve(w.store, calm, lockTimeout)
	if err != nil {
		return err
	}
	defer v.kill()
	if _, err := w.compare(ctx, v, true); err != nil {
		return err
	}
	return v.terminate()
}
