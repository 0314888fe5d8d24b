package gateway_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// TestWhatResultsAreKeptBy asks one text in two ways: what changes the answer
// keeps the answers apart.
func TestWhatResultsAreKeptBy(t *testing.T) {
	asksNoMirror(t)
	h := keeper(t, nil)
	for _, c := range []struct {
		sql  string
		set  string
		args [2]string
	}{
		{sql: "SELECT min(valid_from)::text FROM history.customer", set: "SET TimeZone = 'Asia/Tokyo'"},
		{sql: "SELECT extract(hour FROM min(valid_from))::int FROM history.customer", set: "SET TimeZone = 'Pacific/Kiritimati'"},
		{sql: "SELECT min(valid_from)::text FROM history.customer", set: "SET DateStyle = 'German'"},
		{sql: "SELECT concat(min(valid_from) - max(valid_from)) FROM history.customer", set: "SET IntervalStyle = 'iso_8601'"},
		{sql: "SELECT max(id)::bytea::text FROM customer", set: "SET bytea_output = 'escape'"},
		{sql: "SELECT to_json(count(*) / 3::float8) FROM customer", set: "SET extra_float_digits = 0"},
		{sql: "SELECT count(*) FROM customer", set: "SET search_path = history"},
		{sql: "SELECT count(*), current_schema() FROM customer", set: "SET search_path = history"},
		{sql: "SELECT count(*), current_setting('application_name') FROM customer", set: "SET application_name = 'other'"},
		{sql: "SELECT count(*) FROM customer", set: "SET ontosql.as_of = '10'"},
		{sql: "SELECT count(*) FROM customer", set: "SET ontosql.as_of = 'HEAD~50'"},
		{sql: "SELECT count(*) FROM customer", set: "SET ontosql.as_of = '2025-02-01'"},
		{sql: "SELECT name FROM customer WHERE id = $1", args: [2]string{"c1", "c2"}},
		{sql: "SELECT count(*) FROM customer FOR SYSTEM_TIME AS OF $1", args: [2]string{"10", "54"}},
		{sql: "SELECT count(*) FROM history.customer WHERE commit_id > $1", args: [2]string{"10", "50"}},
		{sql: "SELECT count(*) FROM history.customer WHERE commit_id > 10 AND commit_id <= $1", args: [2]string{"20", "50"}},
	} {
		s := h.session(t, "onto")
		var args [2][]string
		for i, a := range c.args {
			if a != "" {
				args[i] = []string{a}
			}
		}
		first := must(t, s, c.sql, args[0]...)
		keeps(t, s, true, first, c.sql, args[0]...)
		if c.set != "" {
			must(t, s, c.set)
		}
		second, kept := asked(t, s, c.sql, args[1]...)
		if kept || cmp.Equal(first, second) {
			t.Errorf("%s: %s %q answered %q, kept %t, as %q before", c.set, c.sql, c.args, second, kept, first)
		}
		keeps(t, s, true, second, c.sql, args[1]...)
		must(t, s, "RESET ALL")
		keeps(t, s, true, first, c.sql, args[0]...)
	}
	now := must(t, h.session(t, "onto"), "SELECT count(*) FROM customer")
	keeps(t, h.session(t, "onto@10"), true, []string{"12"}, "SELECT count(*) FROM customer") // as ontosql.as_of above
	keeps(t, h.session(t, "onto@1000"), true, now, "SELECT count(*) FROM customer")
	keeps(t, h.session(t, "onto"), true, now, "select  COUNT(*)\nFROM public.customer -- the same to the engine")
}

// TestParametersAreToldApart gives parameters that a careless key would mix up.
func TestParametersAreToldApart(t *testing.T) {
	asksNoMirror(t)
	s := keeper(t, nil).session(t, "onto")
	ctx := t.Context()
	st, err := s.Prepare(ctx, wire.Query{SQL: "SELECT $1::text, $2::text, $3::text FROM customer WHERE id = 'c1'"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := func(v string) []byte { return []byte(v) }
	for range 2 {
		for _, args := range [][][]byte{
			{text("a"), text("bc"), text("d")},
			{text("ab"), text("c"), text("d")},
			{text("a"), text("b"), text("cd")},
			{nil, text(""), text("")},
			{text(""), nil, text("")},
			{text(""), text(""), nil},
			{text(""), text(""), text("")},
			{text("\x00"), text(""), text("")},
			{text("\x01"), text("\x01"), text("\x01")},
			{nil, nil, nil},
		} {
			var want []string
			for _, a := range args {
				if a == nil {
					want = append(want, "NULL")
				} else {
					want = append(want, string(a))
				}
			}
			p, err := st.Bind(ctx, args)
			if err != nil {
				continue // a text of NUL
			}
			rows, err := drain(ctx, p)
			p.Close()
			if err := s.Sync(ctx, err != nil); err != nil {
				t.Fatal(err)
			}
			if err == nil && !cmp.Equal(rows, []string{strings.Join(want, "|")}) {
				t.Errorf("%q answered %q", args, rows)
			}
		}
	}
	for _, sql := range []string{"SELECT FROM store", "SELECT 1 FROM store", "SELECT FROM store"} {
		want := map[bool]string{true: "1", false: ""}[strings.Contains(sql, "1")]
		if rows := must(t, s, sql); len(rows) != 4 || rows[0] != want {
			t.Errorf("%s answered %q", sql, rows)
		}
	}
	for _, declared := range []uint32{0, 25} { // the text says how the parameter is declared
		st, err := s.Prepare(ctx, wire.Query{SQL: "SELECT pg_typeof($1), count(*) FROM store WHERE $1 = 'x'"}, []uint32{declared})
		if err != nil {
			t.Fatal(err)
		}
		must(t, s, "SET ontosql.result_cache = off")
		want, err := bindAndRun(t, s, st, "x")
		if err != nil {
			t.Fatal(err)
		}
		must(t, s, "RESET ontosql.result_cache")
		for range 2 {
			if got, err := bindAndRun(t, s, st, "x"); err != nil || !cmp.Equal(got, want) {
				t.Errorf("declared as %d the parameter is %q, %v; want %q", declared, got, err, want)
			}
		}
	}
}

// TestWhatIsNeverKept asks twice what must be computed twice.
func TestWhatIsNeverKept(t *testing.T) {
	asksNoMirror(t)
	h := keeper(t, nil)
	s := h.session(t, "onto", wire.Option{Name: "application_name", Value: "a test"})
	for _, sql := range []string{
		"SELECT random(), id FROM customer",
		"SELECT id FROM customer ORDER BY gen_random_uuid() LIMIT 1",
		"SELECT count(*) FROM history.customer WHERE valid_from < now()",
		"SELECT count(*) FROM history.customer WHERE valid_from < current_date",
		"SELECT count(*) FROM history.customer WHERE valid_from < 'yesterday'",
		"SELECT age(valid_from) FROM history.customer",
		"SELECT count(*), clock_timestamp() FROM customer",
		"SELECT set_config('my.own', 'x', false), code FROM store",
		"SELECT count(*) FROM ontosql.commits",
		"SELECT count(*) FROM ontosql.statements",
		"SELECT count(*) FROM customer, ontosql.commits",
		"SELECT count(*) FROM as_of.customer(4 + 6)",
		"SELECT count(*) FROM pg_class, pg_stat_activity",
		"SELECT count(*) FROM pg_timezone_names WHERE is_dst",
		"SELECT 1",
		"EXPLAIN SELECT count(*) FROM customer",
		"EXPLAIN ANALYZE SELECT count(*) FROM customer",
		"SHOW ontosql.result_cache",
	} {
		for range 3 {
			if _, kept := asked(t, s, sql); kept {
				t.Errorf("%s was answered from what was kept", sql)
			}
		}
	}
	const plain = "SELECT count(*) FROM customer"
	must(t, s, plain)
	for setting, kept := range map[string]bool{"off": false, "on": true, "0": false, "true": true} {
		must(t, s, "SET ontosql.result_cache = "+setting)
		keeps(t, s, kept, []string{"40"}, plain)
	}
	keeps(t, h.session(t, "onto", wire.Option{Name: "ontosql.result_cache", Value: "off"}), false, []string{"40"}, plain)
	must(t, s, "SET ontosql.result_cache = off")
	for range 2 {
		keeps(t, s, false, []string{"4"}, "SELECT count(*) FROM store")
	}
	must(t, s, "RESET ontosql.result_cache")
	keeps(t, s, false, []string{"4"}, "SELECT count(*) FROM store") // off keeps nothing either
	refused(t, s, pgerr.InvalidParameterValue, "SET ontosql.result_cache = perhaps")
}

// TestAnswersOfTheCatalogAreKept asks pg_catalog twice, in one session and in another,
// between what changes the answer.
func TestAnswersOfTheCatalogAreKept(t *testing.T) {
	asksNoMirror(t)
	h := keeper(t, nil)
	s := h.session(t, "onto")
	const (
		tables  = "SELECT relname, 'store'::regclass::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1"
		columns = "SELECT count(*) FROM information_schema.columns WHERE table_catalog = current_database() AND table_schema = 'public'"
		visible = "SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'v') AND pg_table_is_visible(oid) AND relname = 'store'"
		path    = "SELECT current_schemas(false)::text, count(*) > 0 FROM pg_namespace"
		roles   = "SELECT count(*) FROM pg_roles"
	)
	for _, sql := range []string{tables, columns, visible, path, roles} {
		first := must(t, s, sql)
		keeps(t, s, true, first, sql)
		keeps(t, h.session(t, "onto"), true, first, sql)
	}
	// What a change of the schema leaves to write gives the catalog another version,
	// whenever it is written.
	settles := func(sql string, want []string) {
		t.Helper()
		for kept, tries := false, 0; !kept; tries++ {
			var rows []string
			if rows, kept = asked(t, s, sql); !cmp.Equal(rows, want) || tries == 1000 {
				t.Fatalf("%s is %q, kept %t, and was %q", sql, rows, kept, want)
			}
		}
	}
	changes := func(what, sql string) {
		t.Helper()
		before := must(t, s, sql)
		must(t, s, what)
		after, kept := asked(t, s, sql)
		if kept || cmp.Equal(before, after) {
			t.Errorf("%s: %s is %q, kept %t, as before", what, sql, after, kept)
		}
		settles(sql, after)
	}
	const setting = "SELECT name, setting, source FROM pg_settings WHERE name = 'work_mem'"
	keeps(t, s, true, must(t, s, setting), setting)
	changes("SET work_mem = '8MB'", setting)
	must(t, s, "BEGIN")
	changes("SET LOCAL work_mem = '9MB'", setting)
	must(t, s, "COMMIT")
	keeps(t, s, true, []string{"work_mem|8192|session"}, setting)
	changes("SET search_path = history", path)
	must(t, s, "RESET search_path")
	changes("CREATE TABLE shelf (id text PRIMARY KEY, n bigint)", tables)
	changes("ALTER TABLE shelf ADD COLUMN note text", columns)
	const user = "SELECT current_user, count(*) FROM customer"
	before := append(must(t, s, roles), must(t, s, user)...)
	other, _, err := h.gateway.Open(t.Context(), wire.Startup{User: "somebody", Database: "onto", PID: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for i, sql := range []string{roles, user} {
		if after, kept := asked(t, other, sql); kept || after[0] == before[i] {
			t.Errorf("%s as another user is %q, kept %t, as before", sql, after, kept)
		}
	}
	// Uncommitted rows are invisible to other sessions and are not cached.
	want := must(t, s, tables)
	must(t, s, "BEGIN")
	must(t, s, "CREATE TABLE rack (id text PRIMARY KEY)")
	for range 2 {
		if got, kept := asked(t, s, tables); kept || cmp.Equal(got, want) {
			t.Errorf("in the transaction the tables are %q, kept %t", got, kept)
		}
	}
	if got, _ := asked(t, h.session(t, "onto"), tables); !cmp.Equal(got, want) {
		t.Errorf("beside the transaction the tables are %q, want %q", got, want)
	}
	must(t, s, "ROLLBACK")
	settles(tables, want)
}

// TestWhatTheMomentHasIsKeptAsLongAsItHasIt reads the relations of the moment twice, and again
// after a change of their rows.
func TestWhatTheMomentHasIsKeptAsLongAsItHasIt(t *testing.T) {
	asksNoMirror(t)
	h := keeper(t, nil)
	s, other := h.session(t, "onto"), h.session(t, "onto")
	for _, step := range []struct {
		sql  string
		does func()
	}{
		{"SELECT classid, objid, mode FROM pg_locks", func() { must(t, other, "SELECT pg_advisory_lock(1, 2)") }},
		{"SELECT objid, mode FROM pg_locks", func() { must(t, other, "SELECT pg_advisory_unlock(1, 2)") }},
		{"SELECT name, statement FROM pg_prepared_statements", func() { must(t, s, "PREPARE one AS SELECT 1") }},
		{"SELECT name FROM pg_prepared_statements", func() { must(t, s, "DEALLOCATE one") }},
		{"SELECT count(*) FROM pg_stat_ssl WHERE NOT ssl", func() { h.session(t, "onto") }},
		{"SELECT numbackends FROM pg_stat_database WHERE datname = current_database()", func() { h.session(t, "onto") }},
		{"SELECT count(*) FROM pg_stat_gssapi, pg_class WHERE relname = 'customer'", func() { h.session(t, "onto") }},
		{"SELECT txid_current(), count(*) FROM pg_class", func() { must(t, other, newCustomer("moment")) }},
	} {
		before := must(t, s, step.sql)
		keeps(t, s, true, before, step.sql)
		step.does()
		after, kept := asked(t, s, step.sql)
		if kept || cmp.Equal(before, after) {
			t.Errorf("%s is %q, kept %t, as before", step.sql, after, kept)
		}
		keeps(t, s, true, after, step.sql)
	}
	third, _, err := h.gateway.Open(t.Context(), wire.Startup{User: "tester", Database: "onto", PID: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	for session, want := range map[wire.Session]string{s: "7", third: "8"} {
		for range 2 {
			if got := must(t, session, "SELECT pg_backend_pid() FROM pg_database LIMIT 1"); !cmp.Equal(got, []string{want}) {
				t.Errorf("session %s is %q", want, got)
			}
		}
	}
	must(t, s, "BEGIN")
	must(t, s, "DECLARE c CURSOR FOR SELECT id FROM customer")
	keeps(t, s, false, []string{"c"}, "SELECT name FROM pg_cursors")
	must(t, s, "CLOSE c")
	keeps(t, s, false, nil, "SELECT name FROM pg_cursors")
	must(t, s, "COMMIT")
}
