package commit_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// failing gives the first n rows, and then fails.
func failing(rows iter.Seq2[writepath.Row, error], n int) iter.Seq2[writepath.Row, error] {
	return func(yield func(writepath.Row, error) bool) {
		left := n
		for r := range rows {
			if left--; left < 0 {
				yield(writepath.Row{}, errRows)
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// numbered are n rows of Thing.
func numbered(prefix string, n int) iter.Seq2[writepath.Row, error] {
	return func(yield func(writepath.Row, error) bool) {
		for i := range n {
			if !yield(version(thing, fmt.Sprint(prefix, i), 1), nil) {
				return
			}
		}
	}
}

// TestManyRows: a transaction whose rows are not kept in memory commits like any
// other, meets others, and one whose rows fail leaves nothing.
func TestManyRows(t *testing.T) {
	const n = 40_000
	many := func(rows iter.Seq2[writepath.Row, error]) writepath.Tx {
		d := dataOf(thing)
		d.Rows = rows
		return writepath.Tx{Pin: 1, Data: []writepath.Data{d}}
	}
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1))
	s.must(creates(0, thing))
	if _, err := s.Commit(t.Context(), many(failing(numbered("a", n), n-1))); !errors.Is(err, errRows) {
		t.Errorf("got %v, want the error of the rows", err)
	}
	s.must(many(numbered("a", n)))
	_, err := s.Commit(t.Context(), many(numbered("a", n)))
	if !says(err, &writepath.ConflictError{Type: thing, Key: "a0", Actual: 2}) {
		t.Errorf("got %v, want a conflict", err)
	}
	sqlitetest.Told(t, "rows", sqlitetest.Ask(t, s.path, "SELECT count(*), min(commit_id), max(commit_id) FROM entity_history"), fmt.Sprint(n, "|2|2"))
	if l := s.landed[1]; l.Identities[thing] != nil || l.Rows[0] != nil {
		t.Errorf("of many rows the process is told %d identities and %d rows", len(l.Identities[thing]), len(l.Rows[0]))
	}
	sqlitetest.Sound(t, s.path)
}

func TestRefusedBeforeItWaits(t *testing.T) {
	s := openSite(t, sqlitetest.NewFile(t, format.EngineV1))
	s.must(creates(0, thing))
	for story, tx := range map[string]writepath.Tx{
		"nothing is changed":      {},
		"no rows":                 {Data: []writepath.Data{dataOf(thing)}},
		"metadata that is ours":   {Data: writes(1, "k", 1, thing).Data, Metadata: map[string]string{"ontosql_attempt": "1"}},
		"a type twice":            {Data: []writepath.Data{dataOf(thing, version(thing, "a", 1)), dataOf(thing, version(thing, "b", 1))}},
		"an identity twice":       {Data: []writepath.Data{dataOf(thing, version(thing, "a", 1), version(thing, "a", 2))}},
		"fields that are no JSON": {Pin: 1, Data: []writepath.Data{dataOf(thing, writepath.Row{Row: format.Row{Key: "a", Fields: []byte("{")}})}},
		"a head nobody has":       writes(7, "k", 1, thing),
		"a failing schema change": {Schema: func(*migration.State) error { return errRows }},
	} {
		if _, err := s.Commit(t.Context(), tx); err == nil {
			t.Errorf("%s: it was committed", story)
		}
	}
	if got := s.head(); got != 1 {
		t.Errorf("the head is %d, want 1", got)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errRows)
	if _, err := s.Commit(ctx, writes(1, "k", 1, thing)); !errors.Is(err, errRows) {
		t.Errorf("got %v, want the cause", err)
	}
	s.close()
	if _, err := s.Commit(t.Context(), writes(1, "k", 1, thing)); !errors.Is(err, writepath.ErrClosed) {
		t.Errorf("got %v, want %v", err, writepath.ErrClosed)
	}
}
