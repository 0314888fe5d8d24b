package gateway_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

// TestLookUpOfLargeKeys looks up keys of a megabyte that differ in their last byte, before and after they
// are in the row store.
func TestLookUpOfLargeKeys(t *testing.T) {
	h := newHouse(t, shop(t))
	s := h.session(t, "onto")
	key := func(i int) string { return strings.Repeat("k", 1<<20) + fmt.Sprint(i) }
	for i := range 3 {
		must(t, s, fmt.Sprintf("INSERT INTO shelf (name, height) VALUES ('%s', %d)", key(i), i))
	}
	inRowStore(t, s, "SELECT height FROM shelf WHERE name = 'a'")
	for i := range 6 {
		want := []string{fmt.Sprint(i)}
		if i >= 3 {
			must(t, s, fmt.Sprintf("INSERT INTO shelf (name, height) VALUES ('%s', %d)", key(i), i))
		}
		answers(t, s, fmt.Sprintf("SELECT height FROM shelf WHERE name = '%s'", key(i)), want...)
	}
	answers(t, s, fmt.Sprintf("SELECT height FROM shelf WHERE name = '%s'", key(7)))
	answers(t, s, fmt.Sprintf("SELECT height FROM shelf WHERE name = '%s'", strings.Repeat("k", 1<<20)))
}

// TestLookUpAfterSchemaChange: a statement that was prepared before a change of the type, and whose rows
// the row store has, is refused as any other.
func TestLookUpAfterSchemaChange(t *testing.T) {
	h := newHouse(t, shop(t))
	a, b := h.session(t, "onto"), h.session(t, "onto")
	must(t, a, "INSERT INTO shelf (name, height) VALUES ('s', 4)")
	inRowStore(t, a, "SELECT * FROM shelf WHERE name = 's'")
	parse := func(sql string) wire.Statement {
		t.Helper()
		st, err := a.Prepare(t.Context(), wire.Query{SQL: sql}, nil)
		if err != nil {
			t.Fatal(err)
		}
		described(t, st)
		return st
	}
	all, some := parse("SELECT * FROM shelf WHERE name = $1"), parse("SELECT height FROM shelf WHERE name = $1")
	if got, err := bindAndRun(t, a, all, "s"); err != nil || !slices.Equal(got, []string{"s|4"}) {
		t.Fatalf("before: %q, %v", got, err)
	}
	if err := a.Sync(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	must(t, b, "ALTER TABLE shelf ADD COLUMN wood text DEFAULT 'oak' NOT NULL")
	if got, err := bindAndRun(t, a, some, "s"); err != nil || !slices.Equal(got, []string{"4"}) {
		t.Errorf("the same columns: %q, %v", got, err)
	}
	_, err := bindAndRun(t, a, all, "s")
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code != pgerr.FeatureNotSupported || e.Message != "cached plan must not change result type" {
		t.Errorf("other columns: %v", err)
	}
	if err := a.Sync(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	inRowStore(t, a, "SELECT * FROM shelf WHERE name = 's'")
	answers(t, a, "SELECT * FROM shelf WHERE name = 's'", "s|4|oak")
}

// TestLookUpOfTypesMadeAgain: a type that was dropped and made again has none of its old rows.
func TestLookUpOfTypesMadeAgain(t *testing.T) {
	h := newHouse(t, shop(t))
	s := h.session(t, "onto")
	must(t, s, "INSERT INTO shelf (name, height) VALUES ('old', 1), ('both', 2)")
	inRowStore(t, s, "SELECT height FROM shelf WHERE name = 'old'")
	must(t, s, "SET ontosql.purge_history = on")
	must(t, s, "DROP TABLE standson")
	must(t, s, "DROP TABLE shelf")
	must(t, s, "CREATE TABLE shelf (name text PRIMARY KEY, height bigint)")
	answers(t, s, "SELECT height FROM shelf WHERE name = 'old'")
	must(t, s, "INSERT INTO shelf (name, height) VALUES ('both', 3)")
	answers(t, s, "SELECT height FROM shelf WHERE name = 'both'", "3")
	inRowStore(t, s, "SELECT height FROM shelf WHERE name = 'old'")
	answers(t, s, "SELECT height FROM shelf WHERE name = 'old'")
	answers(t, s, "SELECT height FROM shelf WHERE name = 'both'", "3")
}

// TestLookUpOfForeignValues: another program commits a value that is none of its column (A17). Behind the
// row store and in it, a look-up warns of it.
func TestLookUpOfForeignValues(t *testing.T) {
	bucket := mem.New("births")
	p := publisher(t, bucket, format.EngineV1, "another")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if _, err := p.Register(t.Context(), at, []format.Schema{{Ref: thing, Fields: thingFields()}}); err != nil {
		t.Fatal(err)
	}
	publish := func(rows ...format.Row) {
		t.Helper()
		at = at.Add(time.Second)
		if _, err := p.Publish(t.Context(), writepath.Commit{At: at, Data: []writepath.Content{{Type: thing, Rows: slices.Values(rows)}}}); err != nil {
			t.Fatal(err)
		}
	}
	publish(thingRow("a", "2001-01-01"), thingRow("b", "2002-02-02"))
	h := newHouse(t, bucket)
	s := h.session(t, "onto")
	inRowStore(t, s, "SELECT born FROM thing WHERE id = 'a'")
	publish(thingRow("a", "2003-03-03"), thingRow("c", "2004-04-04"))
	publish(thingRow("a", "2005-05-05"))
	for range 3 { // behind the row store, or in it
		sameByKey(t, s, "thing", "id", "'a'")
		sameByKey(t, s, "thing", "id", "'b'")
		answers(t, s, "SELECT born::text FROM thing WHERE id = 'a'", "2005-05-05")
	}
	publish(thingRow("b", "never"))
	for range 3 {
		h.notices = nil
		answers(t, s, "SELECT born::text IS NULL FROM thing WHERE id = 'b'", "true")
		answers(t, s, "SELECT born FROM thing WHERE id = 'b'", "NULL")
		if len(h.notices) != 2 || !strings.Contains(h.notices[1], `1 stored values of column "born" of "thing" are no date and read as NULL`) {
			t.Errorf("the client is told %q", h.notices)
		}
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}
