package compaction_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/writepath"
)

// TestMixedStore: a store that was begun as v1 and goes on as v2, with files of several schema
// versions of one type, of the original and of ours, is merged by either strategy: every window has
// the same rows, and the original reads the same.
func TestMixedStore(t *testing.T) {
	for _, strategy := range []compaction.Strategy{compaction.Whole, compaction.Tiered} {
		t.Run(string(strategy), func(t *testing.T) {
			w := newWorld(t, format.EngineV1)
			w.put(3, types...)
			w.foreign(thing, "k1")
			engine, _, err := w.Get(t.Context(), format.EngineKey)
			if err != nil {
				t.Fatal(err)
			}
			e, err := format.DecodeEngine(format.EngineKey, engine)
			if err != nil {
				t.Fatal(err)
			}
			e.EngineVersion = format.EngineV2
			w.replace(format.EngineKey, format.EncodeEngine(e))
			w.put(3, types...)
			next := schemaOf(thing)
			next.Fields = append(next.Fields, format.NewField("colour", format.FieldStr, true))
			w.change(func(s *migration.State) error { return s.Migrate(1, &next, nil, migration.ReasonMigration) })
			w.version(2, next, `{"colour":"red","id":%q,"n":7,"price":"1.5"}`)
			w.version(2, next, `{"colour":null,"id":%q,"n":8,"price":null}`)
			next.Fields = slices.DeleteFunc(slices.Clone(next.Fields), func(f format.SchemaField) bool { return f.Name == "price" })
			w.change(func(s *migration.State) error { return s.Migrate(2, &next, nil, migration.ReasonMigration) })
			w.version(3, next, `{"colour":"blue","id":%q,"n":9}`)
			indexed := func() { // the check of the whole store refuses the paths of another engine
				t.Helper()
				if v, err := compaction.VerifyIndexes(t.Context(), open(t, w)); err != nil || !v.OK() {
					t.Errorf("indexes: %+v, %v", v, err)
				}
			}
			before, read := w.answers(), w.asOriginal()
			done := w.compact(compaction.Options{Strategy: strategy})
			if len(done.Planned) == 0 || done.Rows == 0 {
				t.Fatalf("compacted %+v", done)
			}
			w.same(before, "compacted")
			if diff := gocmp.Diff(read, w.asOriginal()); diff != "" {
				t.Errorf("rows of the original (-before +after):\n%s", diff)
			}
			indexed()
			w.version(3, next, `{"colour":"green","id":%q,"n":10}`)
			w.put(1, other, links)
			before = w.answers()
			w.compact(compaction.Options{Strategy: strategy})
			w.same(before, "compacted again")
			indexed()
		})
	}
}

// version commits two rows of a schema version of Thing.
func (w *world) version(id int64, schema format.Schema, fields string) {
	w.t.Helper()
	w.n++
	first := w.n
	tx := writepath.Tx{Pin: w.head, Data: []writepath.Data{{
		Type: thing, Fields: format.DataFields(schema.Fields), SchemaVersion: id,
		Rows: func(yield func(writepath.Row, error) bool) {
			for _, key := range []string{fmt.Sprint("k", first%5), fmt.Sprint("v", first)} {
				if !yield(writepath.Row{Row: format.Row{Key: key, Fields: fmt.Appendf(nil, fields, key)}}, nil) {
					return
				}
			}
		},
	}}}
	w.write(func(c *writepath.Committer) (writepath.Outcome, error) { return c.Commit(w.ctx(), tx) })
}

// TestBounds: runs of few files are left alone, and of a run that is too large the oldest files.
func TestBounds(t *testing.T) {
	w := newWorld(t, format.EngineV1)
	for range 6 {
		w.put(2, thing)
	}
	sizes := int64(0)
	for _, path := range w.paths(thing)[3:] {
		body, _, err := w.Get(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		sizes += int64(len(body))
	}
	plan := func(from, to ontosql.CommitID) compaction.Plan {
		files := int(to - from + 1)
		return compaction.Plan{Type: thing, Files: files, Rows: int64(2 * files), Min: from, Max: to}
	}
	for _, c := range []struct {
		strategy compaction.Strategy
		minFiles int
		maxBytes int64
		want     []compaction.Plan
	}{
		{compaction.Whole, 7, 0, nil},
		{compaction.Whole, 3, sizes, []compaction.Plan{plan(5, 7)}},
		{compaction.Whole, 4, sizes, nil},
		{compaction.Whole, 0, sizes - 1, []compaction.Plan{plan(6, 7)}},
		{compaction.Whole, 0, 1, nil},
		{compaction.Tiered, 0, 0, []compaction.Plan{plan(2, 5), plan(6, 7)}}, // as a binary counter adds
		{compaction.Tiered, 3, 0, []compaction.Plan{plan(2, 5)}},
		{compaction.Tiered, 3, sizes, []compaction.Plan{plan(3, 5)}},
		{compaction.Tiered, 5, 0, nil},
	} {
		done, err := compaction.Compact(t.Context(), open(t, w), compaction.Options{Strategy: c.strategy, MinFiles: c.minFiles, MaxBytes: c.maxBytes})
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(c.want, done.Planned); diff != "" {
			t.Errorf("%s, at least %d files, at most %d bytes (-want +got):\n%s", c.strategy, c.minFiles, c.maxBytes, diff)
		}
	}
}

// TestNoTempDir: a directory for temporary files that cannot be made stops the compaction before
// anything is written to the store.
func TestNoTempDir(t *testing.T) {
	w := newWorld(t, format.EngineV1)
	history(w)
	before := w.objects()
	taken := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, w)
	s.TempDir = filepath.Join(taken, "temp")
	if _, err := compaction.Compact(t.Context(), s, compaction.Options{Apply: true}); err == nil {
		t.Error("it succeeded")
	}
	if diff := gocmp.Diff(before, w.objects()); diff != "" {
		t.Errorf("the store has changed (-before +after):\n%s", diff)
	}
}
