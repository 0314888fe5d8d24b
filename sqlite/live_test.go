package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
)

var journals = []string{"WAL", "DELETE"}

// TestLive reads while another connection commits: each commit is in the next pin,
// and what was pinned before stays as it was.
func TestLive(t *testing.T) {
	for _, journal := range journals {
		t.Run(journal, func(t *testing.T) {
			m := makeFile(t, journal)
			db := openDB(t, Options{Path: m.path})
			empty := pinOf(t, db)
			if empty.Head != (ontosql.Head{}) || len(empty.Catalog.Types) != 3 {
				t.Errorf("before the first commit: head %+v and %d types", empty.Head, len(empty.Catalog.Types))
			}
			m.commit(`{"actor": "me"}`, "A 1", "A 2", "B 1")
			first := pinOf(t, db)
			m.commit("", "A 2", "A 3")
			second := pinOf(t, db)
			if again := pinOf(t, db); again != second {
				t.Error("nothing changed, and the pin is another one")
			}
			if second.Catalog != first.Catalog || first.Catalog != empty.Catalog {
				t.Error("a commit of rows made a new catalog")
			}
			for _, c := range []struct {
				what string
				got  []string
				want []string
			}{
				{"nothing", all(t, db, empty, "A"), []string{}},
				{"first", all(t, db, first, "A"), []string{"1@1", "2@1"}},
				{"second", all(t, db, second, "A"), []string{"1@1", "2@1", "2@2", "3@2"}},
				{"other type", all(t, db, second, "B"), []string{"1@1"}},
			} {
				if diff := cmp.Diff(c.want, c.got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", c.what, diff)
				}
			}
			m.register("entity", "C", schemaOf("C"))
			if registered := pinOf(t, db); registered.Head != second.Head || len(registered.Catalog.Types) != 4 || registered.Catalog.Version == second.Catalog.Version {
				t.Errorf("a type that was registered without a commit: %d types, head %+v", len(registered.Catalog.Types), registered.Head)
			}
			m.exec(`UPDATE schema_registry SET schema_json = replace(schema_json, 'note', 'text') WHERE type_name = 'A'; DELETE FROM schema_versions`)
			if changed := pinOf(t, db); len(changed.Catalog.Types) != 4 || changed.Catalog.Types[0].Columns[1].Name != "text" {
				t.Error("a registry that was written over was not seen")
			}
			if e := second.View.Commit(1); string(e.Manifest.Metadata["actor"]) != `"me"` || len(e.Manifest.Files) != 2 || e.Manifest.Files[0].RowCount != 2 || *e.Manifest.Files[0].SchemaVersionID != 1 {
				t.Errorf("commit 1: metadata %s, files %+v", e.Manifest.Metadata, e.Manifest.Files)
			}
		})
	}
}

// TestMarks reads a file at once and commit by commit: the chains must be the same.
func TestMarks(t *testing.T) {
	m := makeFile(t, "WAL")
	db := openDB(t, Options{Path: m.path})
	for i := range 20 {
		m.commit(fmt.Sprintf(`{"n": %d}`, i), "A 1", fmt.Sprintf("B %d", i), "A 2")
		if i%3 == 0 {
			pinOf(t, db)
		}
	}
	m.exec("UPDATE entity_history SET schema_version_id = NULL WHERE commit_id = 20 AND entity_key = '2'; UPDATE entity_history SET schema_version_id = 2 WHERE commit_id = 20 AND entity_type = 'B'")
	grown, fresh := pinOf(t, db), pinOf(t, openDB(t, Options{Path: m.path}))
	for id := ontosql.CommitID(1); id <= 20; id++ {
		a, b := grown.View.Commit(id), fresh.View.Commit(id)
		if a.Path != b.Path {
			t.Errorf("commit %d is %s or %s", id, a.Path, b.Path)
		}
		if diff := cmp.Diff(a.Manifest, b.Manifest); diff != "" {
			t.Errorf("commit %d (-grown +fresh):\n%s", id, diff)
		}
	}
	if f := fresh.View.Commit(20).Manifest.Files; f[0].SchemaVersionID != nil || *f[1].SchemaVersionID != 2 {
		t.Errorf("files of commit 20: %+v, want no version where two rows differ, and version 2", f)
	}
}

// TestCommitInParts shows a commit before all of its rows are there, as a migration
// by the original does: its mark changes with them, and a pin of the part is void.
func TestCommitInParts(t *testing.T) {
	m := makeFile(t, "WAL")
	m.commit("", "A 1", "A 2", "B 1")
	m.commit("", "B 2")
	db := openDB(t, Options{Path: m.path})
	before := pinOf(t, db)
	m.commit(`{"kind": "migration"}`, "A 1")
	part := pinOf(t, db)
	seen := db.latest.Load().commits.rowRuns[typeOf(t, part, ontosql.Entity, "A").Ref]
	was := slices.Clone(seen)
	m.exec(insertion("A 2", "3") + insertion("B 9", "3"))
	whole := pinOf(t, db)
	if part.Head.ManifestPath == whole.Head.ManifestPath || part.Head.Commit != whole.Head.Commit {
		t.Errorf("the commit has the same mark with another row: %s", part.Head.ManifestPath)
	}
	if !slices.Equal(seen, was) {
		t.Errorf("what others read was changed under them: %+v, was %+v", seen, was)
	}
	if part.View.Commit(2) != whole.View.Commit(2) {
		t.Error("the commits before were read again")
	}
	if diff := cmp.Diff([]string{"1@1", "2@1", "1@3", "2@3"}, all(t, db, whole, "A")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1@1", "2@1"}, all(t, db, before, "A")); diff != "" {
		t.Errorf("at the commit before (-want +got):\n%s", diff)
	}
	typ := typeOf(t, part, ontosql.Entity, "A")
	for _, keys := range [][]string{nil, {"1"}} {
		if rows, err := versions(t.Context(), db, part, typ, ontosql.Window{Mode: ontosql.History, Upper: 3}, keys...); !errors.Is(err, ErrReplaced) {
			t.Errorf("rows %v, %v of a pin of a part, keys %q; want %v", show(rows), err, keys, ErrReplaced)
		}
	}
	fresh := pinOf(t, openDB(t, Options{Path: m.path}))
	if fresh.Head.ManifestPath != whole.Head.ManifestPath {
		t.Errorf("the commit is %s or %s", whole.Head.ManifestPath, fresh.Head.ManifestPath)
	}
}

// TestConcurrentPins pins in many goroutines while commits come: no pin may be
// older than what its caller knows to be there.
func TestConcurrentPins(t *testing.T) {
	for _, journal := range journals {
		t.Run(journal, func(t *testing.T) {
			m := makeFile(t, journal)
			m.exec("PRAGMA synchronous = OFF")
			db := openDB(t, Options{Path: m.path})
			var mu sync.Mutex
			committed := ontosql.CommitID(0)
			now := func() ontosql.CommitID { mu.Lock(); defer mu.Unlock(); return committed }
			var readers sync.WaitGroup
			for range 8 {
				readers.Go(func() {
					for now() < 50 {
						known := now()
						pin, err := db.Pin(t.Context())
						if err != nil || pin.Head.Commit < known {
							t.Errorf("pin %+v, %v after commit %d", pin, err, known)
							return
						}
						rows, err := versions(t.Context(), db, pin, pin.Catalog.Types[0], ontosql.Window{Mode: ontosql.History, Upper: pin.Head.Commit})
						if err != nil || len(rows) != int(pin.Head.Commit) {
							t.Errorf("%d rows, %v at commit %d", len(rows), err, pin.Head.Commit)
							return
						}
					}
				})
			}
			for i := range 50 {
				m.commit("", fmt.Sprintf("A %d", i))
				mu.Lock()
				committed++
				mu.Unlock()
			}
			readers.Wait()
		})
	}
}
