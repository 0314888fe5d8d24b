package gc_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/maintain/gc"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// TestFaultAtEveryRequest breaks each request of a collection in turn, and lets others work just
// before each: the original commits (in time, and with a clock that is a day ahead), a gateway
// commits, and snapshots are made anew. In every case nothing that a commit or an index names is
// gone, the original reads what it has read, and the next collection removes all garbage.
func TestFaultAtEveryRequest(t *testing.T) {
	rows := newWorld(t).sound("before")
	for _, broken := range []struct {
		name          string
		applied, dead bool
		intruder      func(*world) error
	}{
		{name: "question lost"},
		{name: "answer lost", applied: true},
		{name: "process dead", dead: true},
		{name: "answer lost and process dead", applied: true, dead: true},
		{name: "original", intruder: func(w *world) error { return w.foreignCommit(w, 0) }},
		{name: "original a day ahead", intruder: func(w *world) error { return w.foreignCommit(w, 24*time.Hour) }},
		{name: "gateway", intruder: (*world).ownCommit},
		{name: "compaction", intruder: (*world).compact},
	} {
		t.Run(broken.name, func(t *testing.T) {
			t.Parallel()
			for at, more := 0, true; more; at++ {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t).litter()
					time.Sleep(25 * time.Hour)
					b := &faulty.Bucket{Bucket: w, At: at, Applied: broken.applied, Dead: broken.dead}
					var intruded error
					if broken.intruder != nil {
						b.At = -1
						b.Delay = func(_ context.Context, number int, _, _ string) {
							if number == at {
								intruded = broken.intruder(w)
							}
						}
					}
					_, err := collect(t, b)
					when := fmt.Sprintf("request %d: %v, the other: %v", at, err, intruded)
					if more = b.Requests() > at; !more && err != nil {
						t.Errorf("%s, without a fault", when)
					}
					// Another writer may have to wait for the lock, or lose it to a clock that is ahead.
					if intruded != nil && !errors.Is(intruded, original.ErrLockTimeout) && !errors.Is(intruded, original.ErrLeaseExpired) && !held(intruded) {
						t.Error(when)
					}
					time.Sleep(25 * time.Hour) // no lease is left
					if _, err := collect(t, w); err != nil || len(w.left()) > 0 {
						t.Errorf("%s; the next collection: %v, left are %v", when, err, w.left())
					}
					after := w.sound(when + ", and the next collection") // what was removed by mistake is still gone
					if diff := cmp.Diff(rows, after); broken.intruder == nil && diff != "" {
						t.Errorf("%s: rows of the original (-before +after):\n%s", when, diff)
					}
					if t.Failed() {
						t.FailNow()
					}
				})
			}
		})
	}
}

func held(err error) bool {
	var other *writepath.LeaseHeldError
	return errors.As(err, &other)
}

// ownCommit commits as a gateway.
func (w *world) ownCommit() error {
	ctx := context.WithoutCancel(w.t.Context())
	c := writepath.Open(writepath.Options{Bucket: w.Bucket, RuntimeID: "gateway", TempDir: w.t.TempDir(), LockTimeout: 100 * time.Millisecond})
	defer c.Close(ctx)
	_, err := c.Commit(ctx, customerTx("own"))
	return err
}

// customerTx writes a version of a customer of the fixture.
func customerTx(key string) writepath.Tx {
	return writepath.Tx{Pin: 8, Data: []writepath.Data{{
		Type: customer, SchemaVersion: 2,
		Rows: func(yield func(writepath.Row, error) bool) {
			yield(writepath.Row{Row: customerRow(key)}, nil)
		},
	}}}
}

func (w *world) compact() error { return w.compactBy(w.Bucket) }

// compactBy compacts through a bucket.
func (w *world) compactBy(b objstore.Bucket) error {
	ctx := context.WithoutCancel(w.t.Context())
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		return err
	}
	files := resolver.Open(resolver.Options{Bucket: b, Log: log})
	defer files.Close()
	s := compaction.Store{Bucket: b, Log: log, Files: files, RuntimeID: "test", TempDir: w.t.TempDir(), LockTimeout: 100 * time.Millisecond}
	_, err = compaction.Compact(ctx, s, compaction.Options{Apply: true})
	return err
}

// garbled is a snapshot that a compaction has left without an index a day ago, under the key of the
// next one.
const garbled = "snapshots/entities/Customer-1-9.parquet"

func newGarbled(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	if err := w.foreignCommit(w, 0); err != nil {
		t.Fatal(err)
	}
	w.put(garbled, "left behind")
	time.Sleep(25 * time.Hour)
	return w
}

// TestCompactionMeetsCollection lets a collection run before each request of a compaction, and a
// compaction before each request of a collection, so that a snapshot is made anew under the key of
// garbage.
func TestCompactionMeetsCollection(t *testing.T) {
	collecting := func(w *world, b objstore.Bucket) error {
		_, err := collect(w.t, b)
		return err
	}
	for name, c := range map[string]struct {
		outer, inner func(*world, objstore.Bucket) error
	}{
		"collection in a compaction": {(*world).compactBy, collecting},
		"compaction in a collection": {collecting, (*world).compactBy},
	} {
		t.Run(name, func(t *testing.T) {
			for at, more := 0, true; more; at++ {
				synctest.Test(t, func(t *testing.T) {
					w := newGarbled(t)
					b := &faulty.Bucket{Bucket: w.Bucket, At: -1, Delay: func(_ context.Context, number int, _, _ string) {
						if number == at {
							if err := c.inner(w, w.Bucket); err != nil && !held(err) {
								t.Errorf("the other at request %d: %v", at, err)
							}
						}
					}}
					if err := c.outer(w, b); err != nil {
						t.Errorf("with the other at request %d: %v", at, err)
					}
					more = b.Requests() > at
					w.sound(fmt.Sprintf("request %d", at))
				})
			}
		})
	}
}

// TestSnapshotUploadedAfterPlan: a collection has planned to remove a snapshot; a compaction uploads
// it anew; the collection removes it under the lock; the compaction gets the lock, misses it, and
// writes it again before an index names it.
func TestSnapshotUploadedAfterPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newGarbled(t)
		planned, uploaded, collected := make(chan struct{}), make(chan struct{}), make(chan struct{})
		// before makes a process wait before it asks for the lock the first time.
		before := func(f func()) *faulty.Bucket {
			var once sync.Once
			return &faulty.Bucket{Bucket: w.Bucket, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
				if op == objstore.OpSwap && key == format.LockKey {
					once.Do(f)
				}
			}}
		}
		go func() {
			defer close(collected)
			done, err := collect(t, before(func() {
				close(planned)
				<-uploaded
			}))
			if err != nil || !slices.Contains(keysOf(done.Planned), garbled) || done.Removed != done.Total {
				t.Errorf("collection: %+v, %v", done, err)
			}
		}()
		<-planned
		err := w.compactBy(before(func() {
			if w.objects()[garbled] == "left behind" {
				t.Error("the snapshot is not uploaded yet")
			}
			close(uploaded)
			<-collected
			if _, there := w.objects()[garbled]; there {
				t.Error("the snapshot is not removed")
			}
		}))
		if _, there := w.objects()[garbled]; err != nil || !there {
			t.Errorf("compaction: %v; the snapshot is there: %t", err, there)
		}
		w.sound("after both")
	})
}

// TestLateSwap: a writer stops between its last look at the lease and its head swap, for longer than
// the grace, while nobody commits. The collection takes its files, and the store refuses the swap.
func TestLateSwap(t *testing.T) {
	t.Run("original", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			err := w.foreignCommit(stopped(w), 0)
			if !errors.Is(err, original.ErrHeadMismatch) {
				t.Errorf("the late swap: %v, want a refusal", err)
			}
			w.sound("after the late swap")
		})
	})
	t.Run("gateway", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			c := writepath.Open(writepath.Options{Bucket: stopped(w), RuntimeID: "gateway", TempDir: t.TempDir()})
			out, err := c.Commit(context.WithoutCancel(t.Context()), customerTx("own"))
			if err != nil || out.Commit != 9 {
				t.Errorf("the late writer: %+v, %v; want commit 9 by another attempt", out, err)
			}
			if err := c.Close(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
			w.sound("after the late swap")
		})
	})
}

// TestClockAhead: garbage is collected by a machine whose clock is a day ahead, which takes the lock of
// a writer that is at work for expired. The writer's files are young by the store's clock and stay; it
// commits by another attempt, for the first one's lock was taken.
func TestClockAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t).litter()
		time.Sleep(25 * time.Hour)
		var once sync.Once
		b := &faulty.Bucket{Bucket: w, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
			if op != objstore.OpSwap || key != format.HeadKey {
				return
			}
			once.Do(func() {
				o := options(t, w)
				o.Apply, o.Now = true, func() time.Time { return time.Now().Add(24 * time.Hour) }
				done, err := gc.Run(t.Context(), o)
				if err != nil || len(w.left()) > 0 || done.Kept[gc.Young].Objects != 2 {
					t.Errorf("collected %+v, %v; left are %v", done, err, w.left())
				}
			})
		}}
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "gateway", TempDir: t.TempDir()})
		out, err := c.Commit(context.WithoutCancel(t.Context()), customerTx("own"))
		if err != nil || out.Commit != 9 {
			t.Errorf("the writer: %+v, %v; want commit 9", out, err)
		}
		if err := c.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		w.sound("afterwards")
	})
}

// stopped is the bucket of a process that is stopped before its first head swap, while a day passes
// and garbage is collected. What it has sent arrives, whatever its contexts say.
func stopped(w *world) objstore.Bucket { return &stoppedBucket{Bucket: w.Bucket, w: w} }

type stoppedBucket struct {
	objstore.Bucket
	w *world

	mu    sync.Mutex
	until time.Time // when the process goes on; zero before the swap
}

func (b *stoppedBucket) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	b.mu.Lock()
	first := b.until.IsZero() && key == format.HeadKey
	if first {
		b.until = time.Now().Add(25 * time.Hour)
	}
	wait := time.Until(b.until)
	b.mu.Unlock()
	if wait > 0 {
		time.Sleep(wait)
		ctx = context.WithoutCancel(ctx)
	}
	if first {
		done, err := collect(b.w.t, b.w)
		taken := slices.ContainsFunc(done.Planned, func(g gc.Garbage) bool { return g.Reason == gc.Above })
		if err != nil || !taken || done.Removed != done.Total {
			b.w.t.Errorf("collected %+v, %v", done, err)
		}
	}
	return b.Bucket.Swap(ctx, key, want, body)
}
