package schemas

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
)

// TestCatalogFunctionsInATransaction asks the functions of the catalog about what the
// session has changed and not committed: it sees its own at once, another session sees
// nothing of it, and neither does it itself after it has taken it back.
func TestCatalogFunctionsInATransaction(t *testing.T) {
	disk := filled(t, founded(t, format.EngineV1))
	g := gateOver(t, disk)
	open := func() *session {
		s, err := g.session(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	s, other := open(), open()
	questions := []struct{ sql, before, own string }{
		{"SELECT obj_description('item'::regclass, 'pg_class')", "NULL", "things"},
		{"SELECT obj_description('item'::regclass)", "NULL", "things"},
		{"SELECT col_description('item'::regclass, 2)", "NULL", "its name"},
		{"SELECT count(*) FROM pg_description WHERE objoid = 'item'::regclass", "0", "2"},
		{"SELECT to_regclass('fresh')::text", "NULL", "fresh"},
		{"SELECT count(*) FROM pg_class WHERE relname = 'fresh' AND pg_table_is_visible(oid)", "0", "1"},
		{"SELECT count(*) FROM pg_constraint WHERE pg_get_constraintdef(oid) = 'PRIMARY KEY (made)'", "0", "1"},
		{"SELECT count(*) FROM pg_type WHERE typname = 'fresh' AND format_type(oid, NULL) = 'fresh'", "0", "1"},
	}
	check := func(what string, s *session, own bool) {
		t.Helper()
		for _, q := range questions {
			want := q.before
			if own {
				want = q.own
			}
			if got, err := s.ask(q.sql); err != nil || !cmp.Equal(got, []string{want}) {
				t.Errorf("%s: %s is %q, %v, want %q", what, q.sql, got, err, want)
			}
		}
	}
	check("before", s, false)
	changes := []string{
		"COMMENT ON TABLE item IS 'things'", "COMMENT ON COLUMN item.title IS 'its name'", "CREATE TABLE fresh (made bigint PRIMARY KEY)",
	}
	for _, sql := range append([]string{"BEGIN", "SAVEPOINT start"}, changes...) {
		if err := s.do(sql); err != nil {
			t.Fatal(err)
		}
	}
	check("in the transaction", s, true)
	check("another session", other, false)
	if err := s.do("ROLLBACK TO start"); err != nil {
		t.Fatal(err)
	}
	check("taken back", s, false)
	if err := s.do(append(changes, "COMMIT")...); err != nil {
		t.Fatal(err)
	}
	check("committed", s, true)
	check("another session, committed", other, true)
}
