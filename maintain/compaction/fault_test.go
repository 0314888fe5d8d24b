package compaction_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/maintain"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// task is a maintenance task of the fault loop.
type task struct {
	name string
	run  func(context.Context, compaction.Store) error
}

var tasks = []task{
	{"compact", func(ctx context.Context, s compaction.Store) error {
		_, err := compaction.Compact(ctx, s, compaction.Options{Apply: true})
		return err
	}},
	{"compact by tiers", func(ctx context.Context, s compaction.Store) error {
		_, err := compaction.Compact(ctx, s, compaction.Options{Strategy: compaction.Tiered, Apply: true})
		return err
	}},
	{"repair", func(ctx context.Context, s compaction.Store) error {
		_, err := compaction.RepairIndexes(ctx, s, true)
		return err
	}},
}

// TestFaultAtEveryRequest breaks each request of a compaction and of a repair in turn, and lets an
// original that takes the lock for expired commit just before each. In every case all answers are
// the same, the store breaks no rule, and the same task succeeds when the lease of the dead one has
// expired.
func TestFaultAtEveryRequest(t *testing.T) {
	w := newWorld(t, format.EngineV2)
	w.put(2, types...)
	w.put(1, thing, links)
	w.foreign(thing, "k1")
	w.compact(compaction.Options{Type: "Thing"})
	w.put(1, thing, other)
	before, objects, head := w.answers(), w.objects(), w.head
	for _, task := range tasks {
		for _, broken := range []struct {
			name          string
			applied, dead bool
			intruder      bool
		}{
			{name: "question lost"},
			{name: "answer lost", applied: true},
			{name: "process dead", dead: true},
			{name: "answer lost and process dead", applied: true, dead: true},
			{name: "original", intruder: true},
		} {
			t.Run(task.name+"/"+broken.name, func(t *testing.T) {
				t.Parallel()
				for at, more := 0, true; more; at++ {
					synctest.Test(t, func(t *testing.T) {
						f := &world{Bucket: mem.New("x"), t: t, head: head}
						for key, body := range objects {
							f.replace(key, []byte(body))
						}
						if task.name == "repair" {
							f.replace(format.IndexKey(thing), format.EncodeIndex(&format.Index{TypeName: "Thing"}))
							_ = f.Delete(t.Context(), format.IndexKey(links))
						}
						b := &faulty.Bucket{Bucket: f.Bucket, At: at, Applied: broken.applied, Dead: broken.dead}
						if broken.intruder {
							b.At = -1
							b.Delay = func(_ context.Context, number int, _, _ string) {
								if number == at {
									f.intrude()
								}
							}
						}
						err := task.run(t.Context(), open(t, b))
						if more = b.Requests() > at; !more && err != nil {
							t.Errorf("without a fault: %v", err)
						}
						f.check(before, fmt.Sprintf("request %d, %v", at, err))
						time.Sleep(time.Minute)
						if err := task.run(t.Context(), open(t, f.Bucket)); err != nil {
							t.Errorf("request %d: the next one: %v", at, err)
						}
						f.check(before, fmt.Sprintf("request %d, and the next one", at))
						if v, err := compaction.VerifyIndexes(t.Context(), open(t, f.Bucket)); err != nil || task.name == "repair" && !v.OK() {
							t.Errorf("request %d: indexes %+v, %v", at, v, err)
						}
						if t.Failed() {
							t.Fatalf("at request %d", at)
						}
					})
				}
			})
		}
	}
}

// intrude commits as the original, with a clock so far ahead that every lease has expired.
func (w *world) intrude() {
	o := &original.Writer{Bucket: w.Bucket, Owner: "intruder", Now: func() time.Time { return time.Now().Add(time.Hour) }, LeaseTTL: time.Second}
	_, err := o.Commit(w.ctx(), func(*format.Head) ([]original.Data, error) {
		return []original.Data{{Type: thing, Rows: []format.Row{row(thing, "intruder", 1)}}}, nil
	})
	if err != nil {
		w.t.Errorf("the intruder: %v", err)
	}
}

// check compares the answers up to the commits that they were taken of, and the rules of a store.
func (w *world) check(before map[string][]string, when string) {
	w.t.Helper()
	w.same(before, when)
	report, err := maintain.Verify(w.ctx(), w.Bucket)
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		w.t.Errorf("%s: verify: %v", when, err)
	}
}

// TestHeadAndLeaseAreChecked: an index is not published when the head has moved since the lock was
// taken, nor when the lease is not safe any more (seed 001, test 17). Published again after the head
// has moved, it has the new commit's file too.
func TestHeadAndLeaseAreChecked(t *testing.T) {
	t.Run("head", func(t *testing.T) {
		w := newWorld(t, format.EngineV1)
		history(w)
		heads := 0
		b := &faulty.Bucket{Bucket: w.Bucket, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
			if op != objstore.OpGet || key != format.HeadKey {
				return
			}
			if heads++; heads == 2 { // the first is under the lock, the second before the publication
				w.intrude()
			}
		}}
		s := open(t, b)
		var seen []ontosql.CommitID
		err := writepath.Maintain(t.Context(), writepath.MaintenanceOptions{Bucket: b, Log: s.Log, Owner: "compact-test"}, func(ctx context.Context, m *writepath.Maintenance) error {
			seen = append(seen, m.View().Head().Commit)
			old, err := m.Index(ctx, other)
			if err != nil {
				return err
			}
			return m.Publish(ctx, []writepath.IndexUpdate{{Type: other, Old: old, Index: &old.Index}})
		})
		if !errors.Is(err, ontosql.ErrHeadMoved) {
			t.Errorf("got %v, want %v", err, ontosql.ErrHeadMoved)
		}
	})
	t.Run("lease", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, format.EngineV1)
			history(w)
			before := w.objects()
			frozen := false
			b := &faulty.Bucket{Bucket: w.Bucket, At: -1, Delay: func(ctx context.Context, _ int, op, key string) {
				if frozen && key == format.LockKey && op == objstore.OpSwap {
					<-ctx.Done() // no renewal gets through
				}
			}}
			s := open(t, b)
			err := writepath.Maintain(t.Context(), writepath.MaintenanceOptions{Bucket: b, Log: s.Log, Owner: "compact-test", LeaseTTL: 30 * time.Second}, func(ctx context.Context, m *writepath.Maintenance) error {
				old, err := m.Index(ctx, thing)
				if err != nil {
					return err
				}
				frozen = true
				time.Sleep(21 * time.Second) // two thirds of the lease are over
				frozen = false
				return m.Publish(ctx, []writepath.IndexUpdate{{Type: thing, Old: old, Index: &format.Index{TypeName: "Thing"}}})
			})
			if !errors.Is(err, writepath.ErrLeaseLost) {
				t.Errorf("got %v, want %v", err, writepath.ErrLeaseLost)
			}
			if diff := gocmp.Diff(before, w.objects()); diff != "" {
				t.Errorf("the store has changed (-before +after):\n%s", diff)
			}
		})
	})
}
