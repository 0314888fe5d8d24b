package commit_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/commit"
	"github.com/ontosql/ontosql/writepath"
)

// catalog is the version of the catalog that a reader sees.
func (s *site) catalog() string {
	s.Helper()
	pin, err := s.db.PinFresh(s.Context())
	if err != nil {
		s.Fatalf("pin: %v", err)
	}
	return pin.Catalog.Version
}

// TestInsert: rows with new identities are committed on any head, and refused if an identity is
// stored or the catalog has changed.
func TestInsert(t *testing.T) {
	drop := func(purge bool) func(*site) {
		return func(s *site) {
			s.must(writepath.Tx{Pin: s.head(), Schema: func(state *migration.State) error {
				return errors.Join(state.Drop(links, purge), state.Drop(thing, purge))
			}})
		}
	}
	again := func(s *site) { s.must(creates(s.head(), thing, links)) }
	raw := func(sql string) func(*site) { return func(s *site) { sqlitetest.Edit(s.TB.(*testing.T), s.path, sql) } }
	other7 := writepath.Row{Row: format.Row{Left: "a", Right: "x", Instance: "t", Fields: []byte(`{"a":null,"n":7}`)}}
	for _, c := range []struct {
		story string
		// What comes before the catalog is seen, and after it.
		before, since []func(*site)
		data          writepath.Data
		want          error // nil: it commits
	}{
		{story: "a new identity", data: dataOf(thing, version(thing, "new", 1))},
		{story: "several, of which none is stored", data: dataOf(thing, version(thing, "new", 1), version(thing, "newer", 1))},
		{story: "one that is stored", data: dataOf(thing, version(thing, "a", 1)), want: &writepath.ConflictError{Type: thing, Key: "a", Actual: 2}},
		{story: "several, of which one is stored", data: dataOf(thing, version(thing, "new", 1), version(thing, "a", 1)), want: &writepath.ConflictError{Type: thing, Key: "a", Actual: 2}},
		{story: "a relation that is stored", data: dataOf(links, version(links, "a", 1)), want: &writepath.ConflictError{Type: links, Key: `["a","x","s"]`, Actual: 2}},
		{story: "another instance of a relation", data: dataOf(links, other7)},
		{story: "an identity of another type", data: dataOf(other, version(other, "a", 1))},
		{
			story: "one that the other program has stored since",
			since: []func(*site){raw(`INSERT INTO commits (created_at) VALUES ('2027-01-01T00:00:00.000000+00:00');
				INSERT INTO entity_history (entity_type, entity_key, fields_json, commit_id, schema_version_id) VALUES ('Thing', 'new', '{"n": 1, "id": "new", "a": null}', 3, 1)`)},
			data: dataOf(thing, version(thing, "new", 1)), want: &writepath.ConflictError{Type: thing, Key: "new", Actual: 3},
		},
		{story: "one that a type had before it was dropped", before: []func(*site){drop(false), again}, data: dataOf(thing, version(thing, "a", 1))},
		{story: "one that a type had before it was purged", before: []func(*site){drop(true), again}, data: dataOf(thing, version(thing, "a", 1))},
		{story: "a type that is gone", since: []func(*site){drop(true)}, data: dataOf(thing, version(thing, "new", 1)), want: ontosql.ErrHeadMoved},
		{story: "a type that is another one", since: []func(*site){drop(true), again}, data: dataOf(thing, version(thing, "new", 1)), want: ontosql.ErrHeadMoved},
		{
			story: "a type that was migrated", since: []func(*site){func(s *site) { s.must(migrates(s.head(), 1)) }},
			data: dataOf(thing, version(thing, "new", 1)), want: ontosql.ErrHeadMoved,
		},
		{
			story: "a schema that the other program has written over", since: []func(*site){raw(`UPDATE schema_registry SET schema_json = replace(schema_json, '"n"', '"m"') WHERE type_name = 'Thing'`)},
			data: dataOf(thing, version(thing, "new", 1)), want: ontosql.ErrHeadMoved,
		},
	} {
		for _, by := range []string{"itself", "another"} {
			t.Run(c.story+", changed by "+by, func(t *testing.T) {
				s := openSite(t, sqlitetest.NewFile(t, format.EngineV2))
				s.must(creates(0, thing, other, links))
				s.must(writes(1, "a", 1, thing, links))
				who := s
				if by == "another" {
					who = openSite(t, s.path)
				}
				for _, f := range c.before {
					f(who)
				}
				catalog := s.catalog()
				for _, f := range c.since {
					f(who)
				}
				head := s.head()
				for range 2 { // a refused row is refused again
					_, err := s.Insert(t.Context(), writepath.Tx{Data: []writepath.Data{c.data}}, catalog)
					if c.want == nil {
						if err != nil {
							t.Fatalf("got %v, want a commit", err)
						}
						head++
						break
					}
					if !errors.Is(err, c.want) && !says(err, c.want) {
						t.Errorf("got %v, want %v", err, c.want)
					}
				}
				if got := s.head(); got != head {
					t.Errorf("the head is %d, want %d", got, head)
				}
				// With the current catalog it succeeds.
				if _, err := s.Insert(t.Context(), writepath.Tx{Data: []writepath.Data{dataOf(other, version(other, "last", 1))}}, s.catalog()); err != nil {
					t.Errorf("another one: %v", err)
				}
			})
		}
	}
}

// TestInsertsOfOneGroup: of two inserts of one identity at the same time the first is
// committed, and a change of the schema refuses those after it.
func TestInsertsOfOneGroup(t *testing.T) {
	gate := make(chan bool)
	close(gate)
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1), func(o *commit.Options) {
		o.OnCommit = func(writepath.LocalCommit) { <-gate }
	})
	s.must(creates(0, thing, other))
	catalog := s.catalog()
	// They are queued while the result of the commit before them is delivered.
	inOneGroup := func(calls ...func() error) []error {
		gate = make(chan bool)
		head, first := s.head(), make(chan error)
		go func() {
			_, err := s.Commit(t.Context(), writes(head, "first", 1, other))
			first <- err
		}()
		eventually(t, "the first is committed", func() bool { return s.head() > head })
		errs := make([]error, len(calls))
		done := make(chan bool)
		for i, call := range calls {
			go func() {
				errs[i] = call()
				done <- true
			}()
			eventually(t, "it waits", func() bool { return s.Waiting() == i+1 })
		}
		close(gate)
		for range calls {
			<-done
		}
		if err := <-first; err != nil {
			t.Fatal(err)
		}
		return errs
	}
	insert := func(id string) func() error {
		return func() error {
			_, err := s.Insert(t.Context(), writes(0, id, 1, thing), catalog)
			return err
		}
	}
	errs := inOneGroup(insert("k"), insert("k"), insert("l"))
	if errs[0] != nil || !says(errs[1], &writepath.ConflictError{Type: thing, Key: "k", Actual: 3}) || errs[2] != nil {
		t.Errorf("got %v, want one conflict", errs)
	}
	errs = inOneGroup(insert("m"), func() error {
		_, err := s.Commit(t.Context(), migrates(5, 1))
		return err
	}, insert("n"))
	if errs[0] != nil || errs[1] != nil || !errors.Is(errs[2], ontosql.ErrHeadMoved) {
		t.Errorf("got %v, want the last to be refused", errs)
	}
	sqlitetest.Sound(t, s.path)
}

// TestInsertWaitsForNobody who has the lock.
func TestInsertWaitsForNobody(t *testing.T) {
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1))
	s.must(creates(0, thing))
	insert := func() error {
		_, err := s.Insert(t.Context(), writes(0, "k", 1, thing), s.catalog())
		return err
	}
	var held *writepath.LeaseHeldError
	r, err := s.Reserve(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := insert(); !errors.As(err, &held) {
		t.Errorf("under a reservation: got %v, want that the lock is held", err)
	}
	r.Release()
	eventually(t, "the lock is given back", func() bool { return len(sqlitetest.Ask(t, s.path, "SELECT 1 FROM locks")) == 0 })
	sqlitetest.Locked(t, s.path, "the original", time.Now().Add(time.Minute))
	if err := insert(); !errors.As(err, &held) || held.Owner != "the original" {
		t.Errorf("under the original's lock: got %v, want that it is held", err)
	}
	sqlitetest.Edit(t, s.path, "DELETE FROM locks")
	if err := insert(); err != nil {
		t.Error(err)
	}
}
