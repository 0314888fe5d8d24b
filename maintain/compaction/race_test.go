package compaction_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/maintain/gc"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/writepath"
)

// TestBesideWriters compacts all the time while 64 clients and the original commit. Nobody's
// commit fails, and in the end the store is sound.
func TestBesideWriters(t *testing.T) {
	w := newWorld(t, format.EngineV1)
	b := &faulty.Bucket{Bucket: w.Bucket, At: -1, Delay: func(context.Context, int, string, string) { time.Sleep(time.Millisecond / 4) }}
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "gateway", LockTimeout: time.Minute})
	stop := make(chan struct{})
	var compacting, writing sync.WaitGroup
	compacting.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			s := open(t, b)
			s.LockTimeout = time.Minute
			if _, err := compaction.Compact(t.Context(), s, compaction.Options{Apply: true}); err != nil {
				t.Errorf("compact: %v", err)
				return
			}
		}
	})
	const clients, steps = 64, 4
	for i := range clients {
		writing.Go(func() {
			for n := range steps {
				ref := types[(i+n)%3]
				if _, err := c.Commit(t.Context(), w.fresh(ref, fmt.Sprintf("client %d of %d", i, n))); err != nil {
					t.Errorf("client %d: %v", i, err)
				}
			}
		})
	}
	theirs := &world{Bucket: w.Bucket, t: t}
	writing.Go(func() {
		for i := range 5 {
			theirs.foreign(thing, fmt.Sprint("original ", i))
			time.Sleep(50 * time.Millisecond)
		}
	})
	writing.Wait()
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	close(stop)
	compacting.Wait()
	w.compact(compaction.Options{})
	w.sound()
	rows := 0
	for _, ref := range types {
		found, files := newReader(t, w).versions(ref, ontosql.Window{Upper: 1 << 40})
		rows += len(found)
		if files != 1 {
			t.Errorf("%s is in %d files", ref, files)
		}
	}
	if rows != clients*steps+5 {
		t.Errorf("%d rows, want %d", rows, clients*steps+5)
	}
}

// TestEverythingAtOnce: two gateways compact by themselves for two minutes while both write, the
// original writes, garbage is collected without any grace, indexes are repaired, and somebody
// compacts by the command. Nobody's commit fails, no row is lost or changed, and the store is sound.
func TestEverythingAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, format.EngineV1)
		b := &faulty.Bucket{Bucket: w.Bucket, At: -1, Delay: func(context.Context, int, string, string) { time.Sleep(3 * time.Millisecond) }}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var all sync.WaitGroup
		again := func(pause time.Duration, what string, task func() error) {
			all.Go(func() {
				for ctx.Err() == nil {
					var held *writepath.LeaseHeldError
					if err := task(); err != nil && ctx.Err() == nil && !errors.As(err, &held) {
						t.Errorf("%s: %v", what, err)
					}
					time.Sleep(pause)
				}
			})
		}
		written := make([]int, 3)
		for g := range 2 {
			c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: fmt.Sprint("gateway", g), LockTimeout: time.Minute})
			defer func() {
				if err := c.Close(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			}()
			store := open(t, b)
			store.Waiting, store.LockTimeout = c.Waiting, time.Minute
			s := compaction.NewService(store)
			s.Start()
			defer s.Close()
			again(400*time.Millisecond, "write", func() error {
				_, err := c.Commit(context.WithoutCancel(ctx), w.fresh(types[written[g]%3], fmt.Sprintf("g%d-%d", g, written[g])))
				if err == nil {
					written[g]++
				}
				return err
			})
		}
		theirs := &world{Bucket: w.Bucket, t: t}
		again(2*time.Second, "original", func() error {
			theirs.foreign(thing, fmt.Sprint("o", written[2]))
			written[2]++
			return nil
		})
		patient := open(t, b)
		patient.LockTimeout = time.Minute
		again(7*time.Second, "collect", func() error {
			_, err := gc.Run(ctx, gc.Options{Apply: true, MaintenanceOptions: writepath.MaintenanceOptions{Bucket: b, Log: patient.Log, Owner: "gc", LockTimeout: time.Minute}})
			return err
		})
		again(11*time.Second, "repair", func() error {
			_, err := compaction.RepairIndexes(ctx, patient, true)
			return err
		})
		again(13*time.Second, "compact", func() error {
			_, err := compaction.Compact(ctx, patient, compaction.Options{Apply: true})
			return err
		})
		time.Sleep(2 * time.Minute)
		stop()
		all.Wait()
		rows := 0
		for _, ref := range types {
			found, files := newReader(t, w).versions(ref, ontosql.Window{Upper: 1 << 40})
			rows += len(found)
			if files > 40 {
				t.Errorf("%s is in %d files", ref, files)
			}
		}
		if want := written[0] + written[1] + written[2]; rows != want {
			t.Errorf("%d rows, want %d", rows, want)
		}
	})
}

// fresh is a transaction that writes a new identity.
func (w *world) fresh(ref ontosql.TypeRef, id string) writepath.Tx {
	r := row(ref, id, 1)
	return writepath.Tx{Pin: 1, Data: []writepath.Data{{
		Type: ref, Fields: format.DataFields(schemaOf(ref).Fields), SchemaVersion: writepath.FirstVersion,
		Rows: func(yield func(writepath.Row, error) bool) { yield(writepath.Row{Row: r}, nil) },
	}}}
}

// TestChangedMeanwhile: the type is dropped and made again, or the store is reset to an earlier head,
// while its snapshot is uploaded. Nothing is published.
func TestChangedMeanwhile(t *testing.T) {
	for _, strategy := range []compaction.Strategy{compaction.Whole, compaction.Tiered} {
		for name, change := range map[string]func(w *world, head []byte){
			"dropped": func(w *world, _ []byte) {
				w.change(func(s *migration.State) error { return s.Drop(links, true) })
				w.change(func(s *migration.State) error { return s.Drop(thing, true) })
			},
			"made again": func(w *world, _ []byte) {
				w.change(func(s *migration.State) error { return s.Drop(links, true) })
				w.change(func(s *migration.State) error { return s.Drop(thing, true) })
				made := schemaOf(thing)
				w.change(func(s *migration.State) error { return s.Create(&made, format.Extras{}) })
				w.put(2, thing)
			},
			"restored": func(w *world, head []byte) { w.replace(format.HeadKey, head) },
		} {
			t.Run(string(strategy)+"/"+name, func(t *testing.T) {
				w := newWorld(t, format.EngineV2)
				w.put(2, thing)
				w.put(2, thing)
				head, _, err := w.Get(t.Context(), format.HeadKey)
				if err != nil {
					t.Fatal(err)
				}
				w.put(2, thing)
				w.put(2, thing)
				var once sync.Once
				b := &faulty.Bucket{Bucket: w.Bucket, At: -1, Delay: func(_ context.Context, _ int, op, _ string) {
					if op == objstore.OpUpload {
						once.Do(func() { change(w, head) })
					}
				}}
				_, err = compaction.Compact(t.Context(), open(t, b), compaction.Options{Type: "Thing", Strategy: strategy, Apply: true})
				if !errors.Is(err, compaction.ErrFilesChanged) {
					t.Errorf("got %v, want %v", err, compaction.ErrFilesChanged)
				}
				for _, e := range w.index(thing).Entries {
					if e.Snapshot() {
						t.Errorf("the index has %s", e.Path)
					}
				}
			})
		}
	}
}
