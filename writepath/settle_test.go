package writepath_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// maxTries are the folders below commits/.
func maxTries(t *testing.T, b objstore.Bucket) map[string]int {
	t.Helper()
	folders := map[string]int{}
	for _, key := range keys(t, b) {
		if id, attempt, ok := format.ParseCommitDir(key); ok {
			folders[format.CommitPrefix(id, attempt)]++
		}
	}
	return folders
}

// headSwap calls f just before the first swap of the head, and tells its number.
func headSwap(b *faulty.Bucket, f func(number int)) {
	var once atomic.Bool
	b.Delay = func(_ context.Context, number int, op, key string) {
		if op == objstore.OpSwap && key == format.HeadKey && once.CompareAndSwap(false, true) {
			f(number)
		}
	}
}

func TestOrphansGoWhenTheHeadMovedPastThem(t *testing.T) {
	disk := mem.New("x")
	initialise(t, disk, format.EngineV1, thing, other)
	b := &faulty.Bucket{Bucket: disk, At: -1}
	w := &original.Writer{Bucket: disk, Owner: "o", Now: ahead}
	headSwap(b, func(int) {
		if _, err := theirs(t.Context(), w, other, "o"); err != nil {
			t.Error(err)
		}
	})
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
	if out, err := c.Commit(t.Context(), put(1, "a", 1, thing)); err != nil || out.Commit != 3 {
		t.Errorf("commit after another one took its number: %+v, %v, want commit 3", out, err)
	}
	closeIt(t, c)
	if got, n := maxTries(t, disk), len(verify(t, disk)); len(got) != n {
		t.Errorf("%d commits and the folders %v", n, got)
	}
}

func TestOrphansStayAfterAnUnknownOutcome(t *testing.T) {
	for _, applied := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			disk := mem.New("x")
			initialise(t, disk, format.EngineV1, thing)
			// Cold with one type: lock; head, types, versions, engine; two uploads; swap.
			b := &faulty.Bucket{Bucket: disk, At: 7, Applied: applied, Dead: true}
			headSwap(b, func(number int) {
				if number != 7 {
					t.Errorf("the head swap is request %d", number)
				}
			})
			c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
			_, err := c.Commit(t.Context(), put(1, "a", 1, thing))
			var unknown *writepath.UnknownOutcomeError
			if !errors.As(err, &unknown) || !errors.Is(err, ontosql.ErrOutcomeUnknown) || unknown.Commit != 2 {
				t.Fatalf("the store is gone after the swap: %v", err)
			}
			closeIt(t, c)
			if n := maxTries(t, disk)[format.CommitPrefix(2, unknown.Attempt)]; n != 2 {
				t.Errorf("%d objects of the attempt are left, want 2", n)
			}
			if n := len(verify(t, disk)); n == 2 != applied {
				t.Errorf("%d commits, the swap landed: %t", n, applied)
			}
		})
	}
}

// doubled is a network that sends each swap twice, and tells the second answer.
type doubled struct{ objstore.Bucket }

func (d doubled) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	if strings.HasPrefix(key, format.HeadKey) {
		_, _ = d.Bucket.Swap(ctx, key, want, body)
	}
	return d.Bucket.Swap(ctx, key, want, body)
}

func TestRefusalOfADoubledSwapIsASuccess(t *testing.T) {
	disk := mem.New("x")
	initialise(t, disk, format.EngineV1, thing)
	c := writepath.Open(writepath.Options{Bucket: doubled{disk}, RuntimeID: "test"})
	for n := range 3 {
		if out, err := c.Commit(t.Context(), put(ontosql.CommitID(n+1), "a", n, thing)); err != nil || int(out.Commit) != n+2 {
			t.Errorf("commit %d: %+v, %v", n+2, out, err)
		}
	}
	closeIt(t, c)
	verify(t, disk)
}

// TestSleepingProcess: a process is stopped after its upload for longer than its lease. When it
// resumes, it must not send the swap, because others may hold the lock by now.
func TestSleepingProcess(t *testing.T) {
	disk := mem.New("x")
	initialise(t, disk, format.EngineV1, thing)
	var slept atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(slept.Load())) }
	var uploads, swaps atomic.Int64
	b := &faulty.Bucket{Bucket: disk, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
		switch {
		case strings.HasSuffix(key, "/manifest.json") && op == objstore.OpPut:
			if uploads.Add(1) == 1 {
				slept.Store(int64(21 * time.Second)) // of 30, of which 10 are the margin
			}
		case key == format.HeadKey && op == objstore.OpSwap:
			swaps.Add(1)
			if uploads.Load() == 1 {
				t.Error("the head was swapped under a lease that is not safe")
			}
		}
	}}
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test", Now: now})
	if _, err := c.Commit(t.Context(), put(1, "a", 1, thing)); err != nil {
		t.Errorf("the transaction was not tried again: %v", err)
	}
	closeIt(t, c)
	if swaps.Load() != 1 {
		t.Errorf("%d swaps, want 1", swaps.Load())
	}
	verify(t, disk)
}
