package gc_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/gc"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/writepath"
)

// TestPlanAndRemove: the plan has exactly what nothing names and a day has made old, with sizes and
// reasons, and changes nothing. It is removed, and nothing else.
func TestPlanAndRemove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t).litter()
		for _, key := range foreign {
			w.put(key, "foreign")
		}
		rows := w.sound("before")
		time.Sleep(25 * time.Hour)
		w.put("commits/4-dead0004/manifest.json", "young")
		w.put("snapshots/entities/product-2-4.parquet", "young")
		before := w.objects()

		plan, err := gc.Run(t.Context(), options(t, w))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(garbage, keysOf(plan.Planned)); diff != "" {
			t.Fatalf("planned (-want +got):\n%s", diff)
		}
		reasons := map[string]gc.Reason{
			lost: gc.Lost, lostToo: gc.Lost, unnamed: gc.Unnamed, above: gc.Above, aboveToo: gc.Above, farAbove: gc.Above,
			replaced: gc.Replaced, ofNoType: gc.Replaced, ofTheDrop: gc.Replaced,
		}
		bytes := int64(0)
		for _, g := range plan.Planned {
			if g.Reason != reasons[g.Key] || g.Bytes != int64(len(before[g.Key])) || plan.Now.Sub(g.Modified) != 25*time.Hour {
				t.Errorf("planned %+v, want %d bytes and %q", g, len(before[g.Key]), reasons[g.Key])
			}
			bytes += g.Bytes
		}
		if plan.Head != 8 || plan.Total != (gc.Sum{Objects: len(garbage), Bytes: bytes}) || plan.Applied || plan.Removed != (gc.Sum{}) {
			t.Errorf("plan is %+v", plan)
		}
		kept := map[gc.Reason]gc.Sum{gc.Young: {Objects: 2, Bytes: 10}}
		if diff := cmp.Diff(kept, plan.Kept); diff != "" {
			t.Errorf("kept (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(before, w.objects()); diff != "" {
			t.Fatalf("the plan changed the store:\n%s", diff)
		}

		done, err := collect(t, w)
		if err != nil || done.Removed != plan.Total || !done.Applied {
			t.Fatalf("removed %+v of %+v, %v", done.Removed, plan.Total, err)
		}
		want := maps.Clone(before)
		for _, key := range garbage {
			delete(want, key)
		}
		after := w.objects()
		head, err := format.DecodeHead(format.HeadKey, []byte(after[format.HeadKey]))
		if err != nil || head.CommitID != 8 {
			t.Fatalf("head is %+v, %v", head, err)
		}
		want[format.HeadKey] = after[format.HeadKey] // it has a new version
		if diff := cmp.Diff(want, after); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(rows, w.sound("after")); diff != "" {
			t.Errorf("rows of the original (-before +after):\n%s", diff)
		}
		if again, err := collect(t, w); err != nil || len(again.Planned) > 0 {
			t.Errorf("collected again: %+v, %v", again, err)
		}
	})
}

// TestKept: what looks like garbage is kept while there may be a use of it.
func TestKept(t *testing.T) {
	const merged = "snapshots/entities/Customer-1-5.parquet" // the index names it
	for _, c := range []struct {
		name   string
		before func(*world) // when it becomes old
		after  func(*world)
		key    string
		why    gc.Reason
	}{
		{"a snapshot whose index is damaged", nil, func(w *world) {
			w.put("meta/indices/entities/Customer.json", "{")
		}, merged, gc.Unreadable},
		{"a snapshot that another one replaced just now", func(w *world) {
			w.put("snapshots/entities/Customer-1-4.parquet", "was read until now")
		}, func(w *world) {
			w.put(merged, w.objects()[merged])
		}, "snapshots/entities/Customer-1-4.parquet", gc.Young},
		{"an attempt above the head while a copy goes on", func(w *world) {
			w.put(above, "copied")
		}, func(w *world) {
			w.put(format.CopyMarkKey, "{}")
		}, above, gc.Copying},
		{"a file of another attempt that an index names", func(w *world) {
			w.put(lost, "named")
			w.put("meta/indices/entities/product.json", `{"entries":[{"max_commit_id":3,"min_commit_id":3,"path":"`+lost+`"}],"max_indexed_commit":8,"type_name":"product"}`)
		}, nil, lost, ""},
		{"a file of another attempt that a manifest names", func(w *world) {
			manifest := `{"commit_id":1,"created_at":"2026-11-21T02:04:37.000000+00:00","files":[{"content_sha256":"","kind":"entity","path":"` + lost + `","row_count":1,"schema_version_id":1,"type_name":"product"}],"metadata":{},"parent_commit_id":null,"parent_manifest_path":null,"runtime_id":"x"}`
			for key := range w.objects() {
				if id, _, ok := format.ParseCommitDir(key); ok && id > 1 {
					_ = w.Delete(w.t.Context(), key)
				}
			}
			w.put(lost, "named")
			w.put("commits/1-strange1/manifest.json", manifest)
			w.put(format.HeadKey, `{"commit_id":1,"manifest_path":"commits/1-strange1/manifest.json","runtime_id":"x","updated_at":"2026-11-21T02:04:37.000000+00:00"}`)
		}, nil, lost, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				if c.before != nil {
					c.before(w)
				}
				time.Sleep(25 * time.Hour)
				if c.after != nil {
					c.after(w)
				}
				done, err := collect(t, w)
				if err != nil {
					t.Fatal(err)
				}
				if _, there := w.objects()[c.key]; !there || slices.Contains(keysOf(done.Planned), c.key) {
					t.Errorf("%s is removed: %+v", c.key, done.Planned)
				}
				if c.why != "" && done.Kept[c.why].Objects == 0 {
					t.Errorf("kept are %v, want one of %q", done.Kept, c.why)
				}
			})
		})
	}
}

// clocked is a bucket whose clock differs from this machine's.
type clocked struct {
	objstore.Bucket
	by time.Duration
}

func (b clocked) ServerTime(context.Context) (time.Time, error) { return time.Now().Add(b.by), nil }

func (b clocked) List(ctx context.Context, prefix string, fn func(objstore.Object) error) error {
	return b.Bucket.List(ctx, prefix, func(o objstore.Object) error {
		o.Modified = o.Modified.Add(b.by)
		return fn(o)
	})
}

// TestClockOfTheStore: with the clock of this machine two days ahead of the store's, or behind it,
// the grace is a day all the same.
func TestClockOfTheStore(t *testing.T) {
	for _, by := range []time.Duration{-48 * time.Hour, 48 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t).litter()
			b := clocked{w, by}
			time.Sleep(23 * time.Hour)
			if plan, err := gc.Run(t.Context(), options(t, b)); err != nil || len(plan.Planned) > 0 {
				t.Errorf("the store's clock off by %s, after 23 hours: %v, %v", by, keysOf(plan.Planned), err)
			}
			time.Sleep(time.Hour)
			if plan, err := gc.Run(t.Context(), options(t, b)); err != nil || len(plan.Planned) != len(garbage) {
				t.Errorf("the store's clock off by %s, after 24 hours: %v, %v", by, keysOf(plan.Planned), err)
			}
		})
	}
}

// TestDamaged: nothing is removed from a store whose chain is damaged, also by a process that has
// read the chain when it was not.
func TestDamaged(t *testing.T) {
	head := `{"commit_id":9,"manifest_path":"commits/9-gone0000/manifest.json","runtime_id":"x","updated_at":"2026-11-21T02:04:37.000000+00:00"}`
	for _, c := range []struct {
		name   string
		damage func(*world)
		key    string
	}{
		{"head", func(w *world) { w.put(format.HeadKey, "{") }, format.HeadKey},
		{"the head's manifest does not exist", func(w *world) { w.put(format.HeadKey, head) }, "commits/9-gone0000/manifest.json"},
		{"a manifest cannot be read", func(w *world) { w.put(ownManifest, "{") }, ownManifest},
		{"a manifest does not exist", func(w *world) { _ = w.Delete(w.t.Context(), ownManifest) }, ownManifest},
		{"a file does not exist", func(w *world) { _ = w.Delete(w.t.Context(), ownFile) }, ownFile},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t).litter()
				time.Sleep(25 * time.Hour)
				knowing := options(t, w)
				knowing.Apply = true
				if _, err := gc.Run(t.Context(), gc.Options{MaintenanceOptions: knowing.MaintenanceOptions, Grace: 48 * time.Hour}); err != nil {
					t.Fatal(err)
				}
				c.damage(w)
				before := w.objects()
				var damaged *ontosql.CorruptError
				if _, err := collect(t, w); !errors.As(err, &damaged) || damaged.Key != c.key {
					t.Errorf("%v, want a *ontosql.CorruptError of %s", err, c.key)
				}
				if _, err := gc.Run(t.Context(), knowing); !errors.As(err, &damaged) || damaged.Key != c.key {
					t.Errorf("with the chain known: %v, want a *ontosql.CorruptError of %s", err, c.key)
				}
				if diff := cmp.Diff(before, w.objects()); diff != "" {
					t.Errorf("objects (-before +after):\n%s", diff)
				}
			})
		})
	}
}

// TestRefused: without an ontology, without permission, under the lock of another writer and while
// the store is restored.
func TestRefused(t *testing.T) {
	t.Run("no ontology", func(t *testing.T) {
		w := newWorld(t)
		_ = w.Delete(t.Context(), format.HeadKey)
		if _, err := collect(t, w); !errors.Is(err, ontosql.ErrNotInitialised) {
			t.Error(err)
		}
	})
	t.Run("lock", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t).litter()
			time.Sleep(25 * time.Hour)
			w.put(format.LockKey, string(format.EncodeLock(&format.Lock{
				OwnerID: "writer", AcquiredAt: format.TimeOf(time.Now()), ExpiresAt: format.TimeOf(time.Now().Add(time.Hour)), LeaseTTLms: 3600000,
			})))
			done, err := collect(t, w)
			if other := (*writepath.LeaseHeldError)(nil); !errors.As(err, &other) || other.Owner != "writer" {
				t.Errorf("under the lock of a writer: %v", err)
			}
			// No writer can name these.
			if want := []string{farAbove, above, aboveToo, ofTheDrop, replaced, ofNoType}; !slices.Equal(w.left(), want) || done.Removed.Objects != 3 {
				t.Errorf("left are %v, want %v; %+v", w.left(), want, done.Removed)
			}
		})
	})
	t.Run("read-only", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t).litter()
			time.Sleep(25 * time.Hour)
			done, err := collect(t, readOnly{w})
			if !errors.Is(err, objstore.ErrDenied) || done.Removed.Objects != 0 || len(w.left()) != len(garbage) {
				t.Errorf("removed %+v, %v", done.Removed, err)
			}
			if plan, err := gc.Run(t.Context(), options(t, readOnly{w})); err != nil || len(plan.Planned) != len(garbage) {
				t.Errorf("plan of a read-only store: %v", err)
			}
		})
	})
	t.Run("restored meanwhile", func(t *testing.T) {
		most := 0
		for at, more := 2, true; more; at++ { // the first look at the head finds commit 9
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t).litter()
				earlier := w.objects()[format.HeadKey]
				if err := w.foreignCommit(w, 0); err != nil {
					t.Fatal(err)
				}
				time.Sleep(25 * time.Hour)
				before, looks := w.objects(), 0
				b := &faulty.Bucket{Bucket: w, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
					if op != objstore.OpGet || key != format.HeadKey {
						return
					}
					if looks++; looks == at {
						w.put(format.HeadKey, earlier)
					}
				}}
				_, err := collect(t, b)
				if more = looks >= at; more && !errors.Is(err, ontosql.ErrHeadMoved) {
					t.Errorf("restored before look %d at the head: %v, want ErrHeadMoved", at, err)
				}
				for key := range before {
					if _, there := w.objects()[key]; !there && !slices.Contains(garbage, key) {
						t.Errorf("restored before look %d at the head: %s is removed", at, key)
					}
				}
				most = max(most, looks)
			})
		}
		if most < 4 {
			t.Errorf("the head was looked at %d times", most)
		}
	})
}

type readOnly struct{ *world }

func (b readOnly) denied() error {
	return &objstore.Error{Op: "put", Bucket: "x", Err: objstore.ErrDenied}
}

func (b readOnly) Put(context.Context, string, []byte) (objstore.Version, error) {
	return objstore.Absent, b.denied()
}

func (b readOnly) Swap(context.Context, string, objstore.Version, []byte) (objstore.Version, error) {
	return objstore.Absent, b.denied()
}
func (b readOnly) Delete(context.Context, string) error { return b.denied() }
