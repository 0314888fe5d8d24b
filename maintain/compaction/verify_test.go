package compaction_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/compaction"
)

// TestVerifyAndRepair spoils indexes. Each fault is reported under the original's name for it or as
// a problem; a repair without apply names the type and writes nothing; with apply it writes that
// index alone, which is sound then, and a second one writes nothing. Sound snapshots stay, and
// neither head nor commits change (seed 001, test 13).
func TestVerifyAndRepair(t *testing.T) {
	edit := func(change func(w *world, x *format.Index)) func(*world) {
		return func(w *world) {
			x := w.index(thing)
			change(w, x)
			w.replace(format.IndexKey(thing), format.EncodeIndex(x))
		}
	}
	for _, c := range []struct {
		name            string
		spoil           func(*world)
		lagged, missing bool
		problem         string
		lost            bool // the snapshot is not in the repaired index
	}{
		{name: "sound", spoil: func(*world) {}},
		{
			name: "it lags", lagged: true, missing: true,
			spoil: edit(func(w *world, x *format.Index) {
				x.MaxIndexedCommit--
				x.Entries = x.Entries[:len(x.Entries)-1]
			}),
		},
		{
			name: "the latest commit is not in it", missing: true, problem: "there is no entry for commit",
			spoil: edit(func(w *world, x *format.Index) { x.Entries = x.Entries[:len(x.Entries)-1] }),
		},
		{
			name: "the latest commit is that of another attempt", missing: true, problem: "is not the file of commit",
			spoil: edit(func(w *world, x *format.Index) {
				e := &x.Entries[len(x.Entries)-1]
				e.Path = strings.Replace(e.Path, "-", "-0", 1)
			}),
		},
		{
			name: "a commit in the middle is not in it", problem: "there is no entry for commit",
			spoil: edit(func(w *world, x *format.Index) { x.Entries = slices.Delete(x.Entries, 1, 2) }),
		},
		{
			name: "it knows commits that there are not", problem: "the head is",
			spoil: edit(func(w *world, x *format.Index) { x.MaxIndexedCommit += 5 }),
		},
		{name: "it is gone", lagged: true, missing: true, spoil: func(w *world) { _ = w.Delete(w.ctx(), format.IndexKey(thing)) }, lost: true},
		{
			name: "it is no JSON", lagged: true, missing: true, problem: "meta/indices/entities/Thing.json", lost: true,
			spoil: func(w *world) { w.replace(format.IndexKey(thing), []byte("{")) },
		},
		{
			name: "its snapshot is gone", problem: "does not exist", lost: true,
			spoil: func(w *world) { _ = w.Delete(w.ctx(), w.paths(thing)[0]) },
		},
		{
			name: "its snapshot is cut", problem: "cannot be read", lost: true,
			spoil: func(w *world) {
				body, _, _ := w.Get(w.ctx(), w.paths(thing)[0])
				w.replace(w.paths(thing)[0], body[:len(body)-100])
			},
		},
		{
			name: "its snapshot has the name of others", problem: "is not the snapshot of commits", lost: true,
			spoil: edit(func(w *world, x *format.Index) { x.Entries[0].MaxCommitID = x.Entries[1].MaxCommitID }),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, format.EngineV1)
			history(w)
			w.compact(compaction.Options{})
			w.put(1, types...)
			w.put(1, types...)
			snapshot, head := w.paths(thing)[0], w.head
			c.spoil(w)
			answers, spoilt := w.answers(), w.objects()

			v, err := compaction.VerifyIndexes(t.Context(), open(t, w))
			if err != nil {
				t.Fatal(err)
			}
			want := map[bool][]ontosql.TypeRef{true: {thing}}
			if !slices.Equal(v.Lagged, want[c.lagged]) || !slices.Equal(v.Missing, want[c.missing]) || v.Head != head {
				t.Errorf("head %d, lagged %s, missing %s", v.Head, v.Lagged, v.Missing)
			}
			if c.problem == "" && len(v.Problems) > 0 && !c.lagged || c.problem != "" && !slices.ContainsFunc(v.Problems, func(p compaction.Problem) bool {
				return p.Type == thing && strings.Contains(p.Text, c.problem)
			}) {
				t.Errorf("problems %+v, want %q", v.Problems, c.problem)
			}
			planned := want[c.name != "sound"]
			r, err := compaction.RepairIndexes(t.Context(), open(t, w), false)
			if diff := gocmp.Diff(&compaction.Repair{Head: head, Planned: planned}, r); err != nil || diff != "" {
				t.Errorf("dry run: %v (-want +got):\n%s", err, diff)
			}
			if diff := gocmp.Diff(spoilt, w.objects()); diff != "" {
				t.Errorf("the dry run has written:\n%s", diff)
			}
			r, err = compaction.RepairIndexes(t.Context(), open(t, w), true)
			if diff := gocmp.Diff(&compaction.Repair{Head: head, Planned: planned, Applied: true}, r); err != nil || diff != "" {
				t.Errorf("repair: %v (-want +got):\n%s", err, diff)
			}
			w.same(answers, "repaired")
			w.sound()
			if got := slices.Contains(w.paths(thing), snapshot); got == c.lost {
				t.Errorf("the repaired index has %s; the snapshot is there: %t", w.paths(thing), got)
			}
			repaired := w.objects()
			for key := range repaired {
				if key != format.IndexKey(thing) && repaired[key] != spoilt[key] {
					t.Errorf("%s has changed", key)
				}
			}
			if r, err = compaction.RepairIndexes(t.Context(), open(t, w), true); err != nil || len(r.Planned) > 0 {
				t.Errorf("a second repair: %+v, %v", r, err)
			}
			if diff := gocmp.Diff(repaired, w.objects()); diff != "" {
				t.Errorf("a second repair has written:\n%s", diff)
			}
		})
	}
}

// TestListOfTypes: without the list of types nothing is verified, repaired or compacted (seed 001
// section 5); in a store without commits it is not needed.
func TestListOfTypes(t *testing.T) {
	for name, body := range map[string]string{"missing": "", "damaged": "[", "of another shape": `{"entities":3}`} {
		w := newWorld(t, format.EngineV1)
		history(w)
		if _ = w.Delete(t.Context(), format.TypesKey); body != "" {
			w.replace(format.TypesKey, []byte(body))
		}
		before := w.objects()
		for task, run := range map[string]func(compaction.Store) error{
			"verify": func(s compaction.Store) error { _, err := compaction.VerifyIndexes(t.Context(), s); return err },
			"repair": func(s compaction.Store) error { _, err := compaction.RepairIndexes(t.Context(), s, true); return err },
			"compact": func(s compaction.Store) error {
				_, err := compaction.Compact(t.Context(), s, compaction.Options{Apply: true})
				return err
			},
		} {
			var corrupt *ontosql.CorruptError
			if err := run(open(t, w)); !errors.As(err, &corrupt) || corrupt.Key != format.TypesKey {
				t.Errorf("%s, %s: %v, want an error of %s", name, task, err, format.TypesKey)
			}
		}
		if diff := gocmp.Diff(before, w.objects()); diff != "" {
			t.Errorf("%s: the store has changed (-before +after):\n%s", name, diff)
		}
	}
}
