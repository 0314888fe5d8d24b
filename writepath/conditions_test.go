package writepath_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// swaps counts the conditional writes to a bucket.
type swaps struct {
	*mem.Bucket
	sent atomic.Int64
}

func (s *swaps) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	s.sent.Add(1)
	return s.Bucket.Swap(ctx, key, want, body)
}

// TestConditionalWritesAreProbedOnce: a process probes a bucket once, the next one believes it
// for a day, and nobody does after a doubt.
func TestConditionalWritesAreProbedOnce(t *testing.T) {
	b := &swaps{Bucket: mem.New("x")}
	record := filepath.Join(t.TempDir(), "probed", "x")
	check := func(when string, c *writepath.ConditionalWrites, probes bool) {
		t.Helper()
		b.sent.Store(0)
		if err := c.Check(t.Context()); err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if sent := b.sent.Load(); sent > 0 != probes {
			t.Errorf("%s: %d conditional writes were sent, want a probe: %t", when, sent, probes)
		}
	}
	aged := func(by time.Duration) {
		t.Helper()
		at := time.Now().Add(-by)
		if err := os.Chtimes(record, at, at); err != nil {
			t.Fatal(err)
		}
	}
	process := func() *writepath.ConditionalWrites { return writepath.NewConditionalWrites(b, record) }
	first := process()
	check("the first process", first, true)
	check("the first process again", first, false)
	second := process()
	check("the second process", second, false)
	aged(23 * time.Hour)
	check("within the day", process(), false)
	aged(25 * time.Hour)
	check("after a day", process(), true)
	aged(-time.Hour) // written by a clock that was ahead
	check("before its time", process(), true)
	second.Doubt()
	check("a process that doubts", second, true)
	second.Doubt()
	check("a process after one that doubts", process(), true)
	check("without a file", writepath.NewConditionalWrites(b, ""), true)
	if left := keys(t, b); left != nil {
		t.Errorf("the probes left %q", left)
	}
}

// TestNothingIsRememberedOfAFailedProbe: a bucket that ignores conditions is refused by every
// process, each time.
func TestNothingIsRememberedOfAFailedProbe(t *testing.T) {
	record := filepath.Join(t.TempDir(), "probed", "x")
	c := writepath.NewConditionalWrites(careless{mem.New("x")}, record)
	for range 2 {
		if err := c.Check(t.Context()); !errors.Is(err, writepath.ErrIgnoresConditions) {
			t.Errorf("got %v, want ErrIgnoresConditions", err)
		}
	}
	if _, err := os.Stat(record); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there (%v)", err)
	}
}
