package gateway_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/wire"
)

// TestConstantIsWorkedOutOnce: the engine is asked for the answer of a statement that
// reads nothing when it first runs, and not again, prepared or not.
func TestConstantIsWorkedOutOnce(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	for sql, want := range map[string][]string{
		"SELECT 1":                              {"1"},
		"SELECT 1 + 1 AS two, 'a' || 'b', NULL": {"2|ab|NULL"},
		"SELECT 1 WHERE 2 > 1":                  {"1"},
		"SELECT current_database(), length(version()) > 0, current_setting('DateStyle')":                                          {"onto|true|ISO, MDY"},
		"SELECT round(extract(epoch from pg_postmaster_start_time() at time zone 'UTC')) > 0, pg_conf_load_time() > '2001-01-01'": {"true|true"},
		"SELECT inet_client_addr() IS NULL OR inet_client_port() >= 0, inet_server_addr() IS NULL OR inet_server_port() >= 0":     {"true|true"},
	} {
		must(t, s, sql)
		statements := h.statements(t)
		before := statements()
		for range 3 {
			if got := must(t, s, sql); !cmp.Equal(got, want) {
				t.Errorf("%s answered %q, want %q", sql, got, want)
			}
		}
		if n := statements() - before; n != 0 {
			t.Errorf("%s: the engine ran %d statements, want none", sql, n)
		}
	}
}

// TestWhatIsNoConstant: answers that depend on more than the text are computed each time, and
// so are those of more than one row.
func TestWhatIsNoConstant(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	for _, sql := range []string{"SELECT clock_timestamp()", "SELECT now()", "SELECT random()", "SELECT gen_random_uuid()::text"} {
		if first, second := must(t, s, sql), must(t, s, sql); cmp.Equal(first, second) {
			t.Errorf("%s answered %q twice", sql, first)
		}
	}
	ask := func(st wire.Statement, args ...string) []string {
		t.Helper()
		got, err := bindAndRun(t, s, st, args...)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	prepared := func(sql string) wire.Statement {
		t.Helper()
		st, err := s.Prepare(t.Context(), wire.Query{SQL: sql}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	echo := prepared("SELECT $1::int + 1")
	for arg, want := range map[string]string{"1": "2", "41": "42"} {
		if got := ask(echo, arg); got[0] != want {
			t.Errorf("$1 + 1 of %s is %q", arg, got)
		}
	}
	zoned, setting := prepared("SELECT timestamptz '2026-01-01 00:00:00+00'::text"), prepared("SELECT current_setting('application_name')")
	for _, c := range []struct{ zone, want string }{{"UTC", "2026-01-01 00:00:00+00"}, {"Asia/Tokyo", "2026-01-01 09:00:00+09"}} {
		must(t, s, "SET TimeZone = '"+c.zone+"'")
		must(t, s, "SET application_name = '"+c.zone+"'")
		if got := ask(zoned); got[0] != c.want {
			t.Errorf("in %s: %q, want %q", c.zone, got, c.want)
		}
		if got := ask(setting); got[0] != c.zone {
			t.Errorf("the setting is %q, want %q", got, c.zone)
		}
	}
	rows := prepared("VALUES (1), (2)")
	for range 2 {
		if got := ask(rows); !cmp.Equal(got, []string{"1", "2"}) {
			t.Errorf("VALUES answered %q", got)
		}
	}
}

// TestSessionsAreNoConstants changes one setting after another beneath statements that
// ask for it: as text, prepared, and after a ROLLBACK.
func TestSessionsAreNoConstants(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	for _, c := range []struct{ sql, first, set, second string }{
		{"SELECT current_setting('application_name')", "one", "SET application_name = 'two'", "two"},
		{"SELECT current_setting('my.tenant', true)", "a", "SELECT set_config('my.tenant', 'b', false)", "b"},
		{"SELECT current_schema()", "public", "SET search_path = history", "history"},
		{"SELECT current_schemas(false)::text", "{history}", "SET search_path = changes", "{changes}"},
		{"SELECT pg_client_encoding()", "UTF8", "SET client_encoding = 'LATIN1'", "LATIN1"},
	} {
		if c.first == "one" {
			must(t, s, "SET application_name = 'one'")
			must(t, s, "SET my.tenant = 'a'")
		}
		st, err := s.Prepare(t.Context(), wire.Query{SQL: c.sql}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ask := func(want string) {
			t.Helper()
			for range 2 {
				prepared, err := bindAndRun(t, s, st)
				if got := must(t, s, c.sql); err != nil || got[0] != want || prepared[0] != want {
					t.Errorf("%s answered %q, prepared %q (%v), want %q", c.sql, got, prepared, err, want)
				}
			}
		}
		ask(c.first)
		must(t, s, "BEGIN")
		must(t, s, c.set)
		ask(c.second)
		must(t, s, "ROLLBACK")
		ask(c.first)
		must(t, s, c.set)
		ask(c.second)
	}
}
