package compaction_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/writepath"
)

// TestLock: another writer keeps the lock, so that the snapshot is there and the index is as it was;
// a lock that was left behind is taken over.
func TestLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, format.EngineV1)
		history(w)
		before, paths := w.answers(), w.paths(thing)
		w.lockFor(time.Hour)
		_, err := compaction.Compact(t.Context(), open(t, w), compaction.Options{Apply: true})
		var held *writepath.LeaseHeldError
		if !errors.As(err, &held) || held.Owner != "busy" {
			t.Errorf("got %v, want that busy holds the lock", err)
		}
		if got := w.paths(thing); !slices.Equal(got, paths) {
			t.Errorf("the index has changed: %s", got)
		}
		w.same(before, "without the lock")
		time.Sleep(time.Hour)
		w.compact(compaction.Options{})
		w.same(before, "with the lock")
		w.sound()
	})
}

// lockFor makes another writer hold the lock.
func (w *world) lockFor(d time.Duration) {
	now := time.Now()
	w.replace(format.LockKey, format.EncodeLock(&format.Lock{
		OwnerID: "busy", AcquiredAt: format.TimeOf(now), ExpiresAt: format.TimeOf(now.Add(d)), LeaseTTLms: d.Milliseconds(),
	}))
}

// TestPublicationWaits: what was merged is published when the lock is held by another for longer than
// the wait for it, and when the store is away for a while, and is not merged again.
func TestPublicationWaits(t *testing.T) {
	for name, trouble := range map[string]func(*world) (until time.Time){
		"the lock is held": func(w *world) time.Time {
			w.lockFor(30 * time.Second)
			return time.Time{}
		},
		"the store is away": func(*world) time.Time { return time.Now().Add(30 * time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, format.EngineV1)
				history(w)
				before, uploads := w.answers(), 0
				var away time.Time
				b := &awayBucket{Bucket: &faulty.Bucket{Bucket: w.Bucket, At: -1, Delay: func(_ context.Context, _ int, op, _ string) {
					if op == objstore.OpUpload {
						if uploads++; uploads == 1 {
							away = trouble(w)
						}
					}
				}}, until: &away}
				if _, err := compaction.Compact(t.Context(), open(t, b), compaction.Options{Type: "Thing", Apply: true}); err != nil || uploads != 1 {
					t.Errorf("%v, %d snapshots were written; want one", err, uploads)
				}
				w.same(before, "afterwards")
				w.sound()
			})
		})
	}
}

// awayBucket does not answer until a time, but for uploads.
type awayBucket struct {
	objstore.Bucket
	until *time.Time
}

func (b *awayBucket) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	if time.Now().Before(*b.until) {
		return nil, objstore.Absent, &objstore.Error{Op: objstore.OpGet, Bucket: "x", Key: key, Err: objstore.ErrUnreachable}
	}
	return b.Bucket.Get(ctx, key)
}

func (b *awayBucket) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	if time.Now().Before(*b.until) {
		return objstore.Absent, &objstore.Error{Op: objstore.OpSwap, Bucket: "x", Key: key, Err: objstore.ErrUnreachable}
	}
	return b.Bucket.Swap(ctx, key, want, body)
}
