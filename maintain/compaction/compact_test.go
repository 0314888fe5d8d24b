package compaction_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/objstore"
)

// history writes commits of several types, the original's among them.
func history(w *world) {
	for i := range 6 {
		w.put(3, types[:1+i%3]...)
	}
	w.foreign(thing, "k1")
	w.put(2, links)
}

// TestSameAnswers compacts a store again and again while it grows, with the original's commits
// between ours: no window of any type has other rows, or the same in another order (I8), the store
// breaks no rule, and the original reads the same rows and goes on to write.
func TestSameAnswers(t *testing.T) {
	for _, engine := range []string{format.EngineV1, format.EngineV2} {
		t.Run(engine, func(t *testing.T) {
			w := newWorld(t, engine)
			for round := range 3 {
				history(w)
				before, read := w.answers(), w.asOriginal()
				done := w.compact(compaction.Options{})
				w.same(before, fmt.Sprint("round ", round))
				if diff := gocmp.Diff(read, w.asOriginal()); diff != "" {
					t.Fatalf("round %d: rows of the original (-before +after):\n%s", round, diff)
				}
				w.sound()
				for _, p := range done.Planned {
					want := []string{format.SnapshotKey(p.Type, p.Min, p.Max)}
					if got := w.paths(p.Type); !slices.Equal(got, want) {
						t.Fatalf("round %d: the index of %s has %s, want %s", round, p.Type, got, want)
					}
					if _, files := newReader(t, w).versions(p.Type, ontosql.Window{Upper: w.head}); files != 1 {
						t.Fatalf("round %d: %s is read from %d files", round, p.Type, files)
					}
				}
			}
			before := w.answers()
			w.foreign(thing, "k2")
			if got := w.paths(thing); len(got) != 2 {
				t.Errorf("after a commit of the original the index has %s, want the snapshot and one file", got)
			}
			for key, rows := range w.answers() {
				if want, known := before[key]; known && !slices.Equal(rows, want) {
					t.Errorf("%s: %s, want %s", key, rows, want)
				}
			}
			w.sound()
		})
	}
}

// TestPlan plans without a write, and says what the original would.
func TestPlan(t *testing.T) {
	w := newWorld(t, format.EngineV1)
	w.put(2, thing)
	w.put(1, other)
	w.put(3, thing)
	before := w.objects()
	got, err := compaction.Compact(t.Context(), open(t, w), compaction.Options{})
	want := &compaction.Compaction{Planned: []compaction.Plan{{Type: thing, Files: 2, Rows: 5, Min: 2, Max: 4}}}
	if diff := gocmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if diff := gocmp.Diff(before, w.objects()); diff != "" {
		t.Errorf("a plan has written (-before +after):\n%s", diff)
	}
	if _, err := compaction.Compact(t.Context(), open(t, w), compaction.Options{Type: "Nothing", Apply: true}); !errors.Is(err, compaction.ErrUnknownType) {
		t.Errorf("a type that there is not: %v", err)
	}
	w.compact(compaction.Options{Type: "Thing"})
	once := w.objects()
	if done := w.compact(compaction.Options{}); done.Rows != 0 || len(done.Planned) != 1 {
		t.Errorf("compacting again: %+v, want the plan and no row", done)
	}
	if diff := gocmp.Diff(once, w.objects()); diff != "" {
		t.Errorf("compacting again has written (-before +after):\n%s", diff)
	}
}

// TestEmptyStore has nothing to compact.
func TestEmptyStore(t *testing.T) {
	w := &world{Bucket: newWorld(t, format.EngineV1).Bucket, t: t}
	if done := w.compact(compaction.Options{}); len(done.Planned) != 0 {
		t.Errorf("planned %+v", done.Planned)
	}
}

// TestDroppedType: rows from before a type was dropped are in no snapshot (A14).
func TestDroppedType(t *testing.T) {
	w := newWorld(t, format.EngineV2)
	w.put(3, thing, other)
	w.put(3, thing, other)
	w.compact(compaction.Options{})
	w.change(func(s *migration.State) error { return s.Drop(links, true) })
	w.change(func(s *migration.State) error { return s.Drop(other, true) })
	made := schemaOf(other)
	w.change(func(s *migration.State) error { return s.Create(&made, format.Extras{}) })
	floor := w.head
	w.put(2, other)
	w.put(2, thing, other)
	before := w.answers()
	done := w.compact(compaction.Options{})
	w.same(before, "compacted")
	w.sound()
	for _, p := range done.Planned {
		if p.Type == links || p.Type == other && p.Min <= floor {
			t.Errorf("planned %+v, the type was dropped before commit %d", p, floor)
		}
	}
}

// TestDamagedFile: a file in the middle that is damaged or missing, or that has other rows than its
// manifest says, is named, and nothing is changed.
func TestDamagedFile(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *world, key string)
	}{
		{"missing", func(w *world, key string) { _ = w.Delete(w.ctx(), key) }},
		{"cut", func(w *world, key string) { w.replace(key, []byte("PAR1")) }},
		{"of another commit", func(w *world, key string) {
			body, _, _ := w.Get(w.ctx(), w.paths(thing)[0])
			w.replace(key, body)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, format.EngineV1)
			for range 5 {
				w.put(2, thing, links)
			}
			key := w.paths(thing)[2]
			c.do(w, key)
			before := w.objects()
			_, err := compaction.Compact(t.Context(), open(t, w), compaction.Options{Apply: true})
			var corrupt *ontosql.CorruptError
			if !errors.As(err, &corrupt) || corrupt.Key != key || !strings.Contains(err.Error(), "entity:Thing") {
				t.Errorf("got %v, want an error that names %s", err, key)
			}
			if diff := gocmp.Diff(before, w.objects()); diff != "" {
				t.Errorf("the store has changed (-before +after):\n%s", diff)
			}
		})
	}
}

// TestBadSnapshots: indexes that name snapshots which are gone, half uploaded, short of rows or next
// to their files, and indexes that are lost, are all put in order by the next compaction.
func TestBadSnapshots(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(w *world, snapshot string)
	}{
		{"its snapshot is gone", func(w *world, snapshot string) { _ = w.Delete(w.ctx(), snapshot) }},
		{"its snapshot is half uploaded", func(w *world, snapshot string) {
			body, _, _ := w.Get(w.ctx(), snapshot)
			w.replace(snapshot, body[:len(body)/2])
		}},
		{"its snapshot has too few rows", func(w *world, snapshot string) {
			var out strings.Builder
			_, err := format.WriteRows(&out, thing, nil, func(yield func(format.Row, error) bool) {
				r := row(thing, "k1", 1)
				r.Commit = 2
				yield(r, nil)
			})
			if err != nil {
				w.t.Fatal(err)
			}
			w.replace(snapshot, []byte(out.String()))
		}},
		{"the index is lost", func(w *world, _ string) { _ = w.Delete(w.ctx(), format.IndexKey(thing)) }},
		{"the index is damaged", func(w *world, _ string) { w.replace(format.IndexKey(thing), []byte(`{"entries":[{}]}`)) }},
		{"the index has snapshot and files", func(w *world, _ string) {
			x := w.index(thing)
			for _, f := range w.view().Files(thing, 0, w.head) {
				x.Entries = append(x.Entries, format.IndexEntry{MinCommitID: f.Commit, MaxCommitID: f.Commit, Path: f.Path})
			}
			w.replace(format.IndexKey(thing), format.EncodeIndex(x))
		}},
	} {
		for _, strategy := range []compaction.Strategy{compaction.Whole, compaction.Tiered} {
			t.Run(c.name+", "+string(strategy), func(t *testing.T) {
				w := newWorld(t, format.EngineV1)
				history(w)
				w.compact(compaction.Options{})
				before, paths := w.answers(), w.paths(thing)
				c.do(w, paths[0])
				if v, err := compaction.VerifyIndexes(t.Context(), open(t, w)); err != nil || v.OK() {
					t.Errorf("the index is taken for sound: %+v, %v", v, err)
				}
				if done := w.compact(compaction.Options{Strategy: strategy, Type: "Thing"}); len(done.Planned) == 0 {
					w.same(before, "not compacted") // nothing is to be merged by tiers
					if _, err := compaction.RepairIndexes(t.Context(), open(t, w), true); err != nil {
						t.Error(err)
					}
				}
				w.same(before, "compacted again")
				w.sound()
				if got := w.paths(thing); strategy == compaction.Whole && !slices.Equal(got, paths) {
					t.Errorf("the index has %s, want %s", got, paths)
				}
			})
		}
	}
}

// refusing is a store that refuses every write.
type refusing struct {
	objstore.Bucket
	why error
}

func (b refusing) refuse(op, key string) error {
	return &objstore.Error{Op: op, Bucket: "x", Key: key, Err: b.why}
}

func (b refusing) Put(_ context.Context, key string, _ []byte) (objstore.Version, error) {
	return objstore.Absent, b.refuse(objstore.OpPut, key)
}

func (b refusing) Upload(_ context.Context, key string, _ io.ReaderAt, _ int64) (objstore.Version, error) {
	return objstore.Absent, b.refuse(objstore.OpUpload, key)
}

func (b refusing) Swap(_ context.Context, key string, _ objstore.Version, _ []byte) (objstore.Version, error) {
	return objstore.Absent, b.refuse(objstore.OpSwap, key)
}

// TestStoreRefuses: a read-only store and one without space are left as they are.
func TestStoreRefuses(t *testing.T) {
	w := newWorld(t, format.EngineV1)
	history(w)
	before := w.objects()
	for _, want := range []error{objstore.ErrDenied, objstore.ErrFull} {
		b := refusing{w.Bucket, want}
		if _, err := compaction.Compact(t.Context(), open(t, b), compaction.Options{Apply: true}); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
		if diff := gocmp.Diff(before, w.objects()); diff != "" {
			t.Errorf("%v: the store has changed (-before +after):\n%s", want, diff)
		}
		if done, err := compaction.Compact(t.Context(), open(t, b), compaction.Options{}); err != nil || len(done.Planned) != 3 {
			t.Errorf("%v: plan %+v, %v", want, done, err)
		}
	}
}

// TestTiered compacts by tiers while a store grows. All answers stay, the original reads them and
// goes on, the index has few entries, and a damaged snapshot is made anew from the commits' files.
func TestTiered(t *testing.T) {
	w := newWorld(t, format.EngineV2)
	written := int64(0)
	for round := range 6 {
		history(w)
		before, read := w.answers(), w.asOriginal()
		done := w.compact(compaction.Options{Strategy: compaction.Tiered})
		written += done.Rows
		w.same(before, fmt.Sprint("round ", round))
		if diff := gocmp.Diff(read, w.asOriginal()); diff != "" {
			t.Fatalf("round %d: rows of the original (-before +after):\n%s", round, diff)
		}
		w.sound()
		for _, ref := range types {
			if n := len(w.index(ref).Entries); n > 7 {
				t.Errorf("round %d: the index of %s has %d entries", round, ref, n)
			}
		}
	}
	if written == 0 {
		t.Error("nothing was merged")
	}
	before := w.answers()
	old := w.index(thing).Entries[0]
	body, _, err := w.Get(t.Context(), old.Path)
	if err != nil || old.MinCommitID == old.MaxCommitID {
		t.Fatalf("%+v: %v", old, err)
	}
	for i := 100; i < len(body)/2; i++ { // its footer is whole
		body[i] = 0xff
	}
	w.replace(old.Path, body)
	for range 12 {
		w.put(8, thing)
	}
	for key, rows := range w.answers() {
		if _, known := before[key]; !known {
			before[key] = rows
		}
	}
	w.compact(compaction.Options{Strategy: compaction.Tiered, Type: "Thing"})
	if now := w.index(thing).Entries[0]; now == old {
		t.Fatalf("the damaged snapshot was not merged: %+v", w.index(thing).Entries)
	}
	w.same(before, "with a damaged snapshot")
	w.sound()
}
