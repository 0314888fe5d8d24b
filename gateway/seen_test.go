package gateway_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// TestAStatementIsKnownAgain sends the same statement as simple-query strings that differ
// in what stands around it, before and after what it means has changed.
func TestAStatementIsKnownAgain(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	s, other := h.session(t, "onto"), h.session(t, "onto")
	simple := func(sql string) string {
		t.Helper()
		queries, err := s.Split(t.Context(), sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		var answers []string
		for _, q := range queries {
			if q.Offset != strings.Index(sql, "SELECT") && len(queries) == 1 {
				t.Errorf("%s was split into %+v", sql, q)
			}
			q.Simple = true // as package wire says
			st, err := s.Prepare(t.Context(), q, nil)
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			rows, err := bindAndRun(t, s, st)
			if err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			answers = append(answers, strings.Join(rows, ","))
		}
		if err := s.Sync(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		return strings.Join(answers, ";")
	}
	const sql = "SELECT count(*) FROM pg_class WHERE relname = 'known_again' AND relkind = 'r'"
	forms := []string{"%s", "%s;", "  %s ;\n", "%s -- of one", "%s /* of ; another */", "%s; -- behind it", "\n\n%s\n;;"}
	for _, want := range []string{"0", "1"} {
		for _, form := range forms {
			if got := simple(fmt.Sprintf(form, sql)); got != want {
				t.Errorf("%q answered %s, want %s", form, got, want)
			}
		}
		if got := simple(sql + ";" + sql + " -- twice"); got != want+";"+want {
			t.Errorf("two statements answered %s, want %s twice", got, want)
		}
		if want == "0" {
			must(t, other, "CREATE TABLE known_again (id text PRIMARY KEY)")
		}
	}
	for range 2 { // positions are those of the text that was sent
		queries, err := s.Split(t.Context(), "  SELECT nosuch -- here")
		if err != nil || len(queries) != 1 {
			t.Fatalf("split into %+v, %v", queries, err)
		}
		_, err = s.Prepare(t.Context(), queries[0], nil)
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Position != 10 {
			t.Errorf("a column that is not there: %v at %d, want position 10", err, e.Position)
		}
		if err := s.Sync(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
}
