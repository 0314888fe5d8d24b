package commit_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

func TestCommitWritesTheLetterOfTheOriginal(t *testing.T) {
	for _, engine := range []string{format.EngineV1, format.EngineV2} {
		t.Run(engine, func(t *testing.T) {
			s := openSite(t, sqlitetest.NewFile(t, engine))
			at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
			tx := creates(0, thing, other, links)
			tx.At = at
			s.must(tx)
			tx = writes(1, "k", 1, thing, other, links)
			tx.At, tx.Actor, tx.Metadata = at.Add(-time.Hour), "ann", map[string]string{"z": "1", "message": "höhe"}
			out := s.must(tx)

			if out.Commit != 2 || !out.CreatedAt.Equal(at) {
				t.Errorf("commit %d at %s, want 2 at the time of the one before", out.Commit, out.CreatedAt)
			}
			sqlitetest.Told(t, "commit", sqlitetest.Ask(t, s.path, "SELECT id, created_at, metadata_json FROM commits WHERE id = 2"),
				`2|2026-03-01T10:00:00.000000+00:00|{"message": "h\u00f6he", "z": "1", "actor": "ann", "ontosql_attempt": "`+out.Attempt+`"}`)
			sqlitetest.Told(t, "entities", sqlitetest.Ask(t, s.path, "SELECT id, entity_type, entity_key, fields_json, commit_id, schema_version_id, typeof(fields_json) FROM entity_history"),
				`1|Thing|k|{"n": 1, "id": "k", "a": null}|2|1|text`, `2|Other|k|{"n": 1, "id": "k", "a": null}|2|1|text`)
			sqlitetest.Told(t, "relations", sqlitetest.Ask(t, s.path, "SELECT id, relation_type, left_key, right_key, instance_key, fields_json, commit_id, schema_version_id FROM relation_history"),
				`1|Links|k|x|s|{"n": 1, "a": null}|2|1`)
			sqlitetest.Told(t, "no lock is left", sqlitetest.Ask(t, s.path, "SELECT * FROM locks"))
			if engine == format.EngineV2 {
				sqlitetest.Told(t, "layouts", sqlitetest.Ask(t, s.path, "SELECT type_kind, type_name, schema_version_id, table_name, activation_commit_id, is_current FROM type_layout_catalog ORDER BY 1, 2"),
					"entity|Other|1|entity_Other_v1|2|1", "entity|Thing|1|entity_Thing_v1|2|1", "relation|Links|1|relation_Links_v1|2|1")
			}
			sqlitetest.Sound(t, s.path)
		})
	}
}

func TestCommitRules(t *testing.T) {
	three := ontosql.CommitID(3)
	for _, c := range []struct {
		story string
		tx    func() writepath.Tx
		want  error // nil: it commits
	}{
		{"an identity nobody wrote since", func() writepath.Tx { return writes(3, "a", 9, thing) }, nil},
		{"another identity than was written since", func() writepath.Tx { return writes(2, "b", 9, thing) }, nil},
		{"an identity written since, by the first of two", func() writepath.Tx {
			tx := writes(1, "a", 9, thing)
			tx.Data = []writepath.Data{dataOf(thing, writepath.Row{Row: version(thing, "a", 9).Row, Expected: 1})}
			return tx
		}, &writepath.ConflictError{Type: thing, Key: "a", Expected: 1, Actual: 2}},
		{"a relation written since", func() writepath.Tx { return writes(2, "a", 9, links) }, &writepath.ConflictError{Type: links, Key: `["a","x","s"]`, Actual: 3}},
		{"another instance of a relation", func() writepath.Tx {
			r := version(links, "a", 9)
			r.Instance = "t"
			return writepath.Tx{Pin: 2, Data: []writepath.Data{dataOf(links, r)}}
		}, nil},
		{"a type read and written since", func() writepath.Tx {
			tx := writes(2, "q", 1, other)
			tx.Reads = []ontosql.TypeRef{links}
			return tx
		}, &writepath.ReadConflictError{Type: links, Pin: 2, Actual: 3}},
		{"a type read and left alone since", func() writepath.Tx {
			tx := writes(2, "q", 1, thing)
			tx.Reads = []ontosql.TypeRef{other}
			return tx
		}, nil},
		{"everything read", func() writepath.Tx {
			tx := writes(2, "q", 1, thing)
			tx.ReadsHead = true
			return tx
		}, &writepath.ReadConflictError{Pin: 2, Actual: 3}},
		{"the head that was expected", func() writepath.Tx {
			tx := writes(3, "q", 1, thing)
			tx.ExpectHead = &three
			return tx
		}, nil},
		{"another head than expected", func() writepath.Tx {
			tx, two := writes(3, "q", 1, thing), ontosql.CommitID(2)
			tx.ExpectHead = &two
			return tx
		}, &writepath.HeadConflictError{Expected: 2, Actual: 3}},
		{"rows of another schema version", func() writepath.Tx {
			tx := writes(3, "q", 1, thing)
			tx.Data[0].SchemaVersion = 2
			return tx
		}, &writepath.SchemaChangedError{Type: thing, Expected: 2, Actual: 1}},
		{"rows of a type that does not exist", func() writepath.Tx {
			return writes(3, "q", 1, ontosql.TypeRef{Kind: ontosql.Entity, Name: "Nobody"})
		}, &writepath.SchemaChangedError{Type: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Nobody"}, Expected: 1}},
	} {
		t.Run(c.story, func(t *testing.T) {
			path := sqlitetest.NewFile(t, format.EngineV1)
			first := openSite(t, path)
			first.must(creates(0, thing, other, links))
			first.must(writes(1, "a", 1, thing))
			first.must(writes(2, "a", 2, thing, links))
			first.close()
			// Rows with the same fields, by the same writer and by another.
			s := openSite(t, path)
			_, err := s.Commit(t.Context(), c.tx())
			if c.want == nil && err != nil {
				t.Fatalf("got %v, want a commit", err)
			}
			if c.want != nil && !says(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			want := ontosql.CommitID(3)
			if c.want == nil {
				want = 4
			}
			if got := s.head(); got != want {
				t.Errorf("the head is %d, want %d", got, want)
			}
			sqlitetest.Sound(t, path)
		})
	}
}

// says reports whether err is want, or wraps one that says the same.
func says(err, want error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if cmp.Equal(err, want, cmp.Comparer(func(a, b error) bool { return fmt.Sprintf("%T %v", a, a) == fmt.Sprintf("%T %v", b, b) })) {
			return true
		}
	}
	return false
}

// TestGroup commits many at once: each has a commit of its own, and one that fails
// takes no other with it.
func TestGroup(t *testing.T) {
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1))
	s.must(creates(0, thing))
	r, err := s.Reserve(t.Context(), 0) // so that they wait together
	if err != nil {
		t.Fatal(err)
	}
	const n = 20
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			tx := writes(1, fmt.Sprint("k", i), i, thing)
			switch i {
			case 7:
				tx.Data[0].SchemaVersion = 5
			case 8:
				tx.Data[0] = dataOf(thing, version(thing, "k8", 8), version(thing, "late", 8))
				tx.Data[0].Rows = failing(tx.Data[0].Rows, 1)
			}
			_, errs[i] = s.Commit(t.Context(), tx)
		})
	}
	for s.Waiting() < n-1 { // the one that fails by itself does so before it waits
		time.Sleep(time.Millisecond)
	}
	r.Release()
	wg.Wait()
	for i, err := range errs {
		if bad := i == 7 || i == 8; (err != nil) != bad {
			t.Errorf("transaction %d: %v", i, err)
		}
	}
	sqlitetest.Told(t, "commits", sqlitetest.Ask(t, s.path, "SELECT count(*), max(id) FROM commits"), "19|19")
	sqlitetest.Told(t, "rows", sqlitetest.Ask(t, s.path, "SELECT count(*), count(DISTINCT commit_id) FROM entity_history"), "18|18")
	for i, l := range s.landed {
		if l.Commit != ontosql.CommitID(i+1) {
			t.Errorf("commit %d was told of at place %d", l.Commit, i)
		}
		if i > 0 && l.Parent != s.landed[i-1].Path {
			t.Errorf("commit %d hangs on %q, the one before is %q", l.Commit, l.Parent, s.landed[i-1].Path)
		}
	}
	sqlitetest.Sound(t, s.path)
}

var errRows = errors.New("the rows came to an end")

// TestTwoOfOneGroupMeet: of two that write one identity at the same time the first
// commits, and the other learns which commit came first.
func TestTwoOfOneGroupMeet(t *testing.T) {
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1))
	s.must(creates(0, thing))
	r, err := s.Reserve(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, 2)
	for i := range 2 {
		go func() {
			_, err := s.Commit(t.Context(), writes(1, "k", i, thing))
			errs <- err
		}()
	}
	for s.Waiting() < 2 {
		time.Sleep(time.Millisecond)
	}
	r.Release()
	a, b := <-errs, <-errs
	if a == nil {
		a, b = b, a
	}
	if !says(a, &writepath.ConflictError{Type: thing, Key: "k", Actual: 2}) || b != nil {
		t.Errorf("got %v and %v, want one commit and one conflict with it", a, b)
	}
	sqlitetest.Sound(t, s.path)
}

// TestLanded: what the process learns of its own commits is what a reader finds.
func TestLanded(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	s := openSite(t, path)
	s.must(creates(0, thing, other, links))
	s.must(writes(1, "a", 1, links, thing))
	elsewhere := openSite(t, path)
	elsewhere.must(writes(2, "b", 1, thing))
	s.must(writes(3, "c", 1, thing))
	pin, err := s.db.PinFresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.landed) != 3 {
		t.Fatalf("told of %d commits, want 3", len(s.landed))
	}
	for _, l := range s.landed {
		e := pin.View.Commit(l.Commit)
		if e.Path != l.Path {
			t.Errorf("commit %d is told as %s, a reader finds %s", l.Commit, l.Path, e.Path)
		}
		if before := pin.View.Commit(l.Commit - 1); before != nil && before.Path != l.Parent {
			t.Errorf("the commit before %d is told as %s, a reader finds %s", l.Commit, l.Parent, before.Path)
		}
		if diff := cmp.Diff(e.Manifest.Files, l.Files); diff != "" {
			t.Errorf("files of commit %d (-reader +told):\n%s", l.Commit, diff)
		}
		if l.Schema != (l.Commit == 1) || len(l.Bodies) != len(l.Files) || len(l.Rows) != len(l.Files) {
			t.Errorf("commit %d is told as %+v", l.Commit, l)
		}
	}
	second := s.landed[1]
	want := map[ontosql.TypeRef]map[string]ontosql.CommitID{thing: {"a": 0}, links: {`["a","x","s"]`: 0}}
	if diff := cmp.Diff(want, second.Identities); diff != "" {
		t.Errorf("identities (-want +got):\n%s", diff)
	}
	row := version(thing, "a", 1).Row
	row.Commit, row.SchemaVersionID = 2, 1
	if diff := cmp.Diff([]format.Row{row}, second.Rows[0]); diff != "" {
		t.Errorf("rows of Thing (-want +got):\n%s", diff)
	}
}

// TestAttempt: what became of a commit can be asked by the attempt in its metadata.
func TestAttempt(t *testing.T) {
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1))
	s.must(creates(0, thing))
	out := s.must(writes(1, "k", 1, thing))
	pin, err := s.db.PinFresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for attempt, want := range map[string]string{
		"2-" + out.Attempt: writepath.AttemptCommitted,
		"2-00000000":       writepath.AttemptAborted,
		"3-" + out.Attempt: writepath.AttemptInProgress,
	} {
		if got, err := writepath.AttemptStatus(pin.View, attempt); got != want || err != nil {
			t.Errorf("%s is %s, %v, want %s", attempt, got, err, want)
		}
	}
}
