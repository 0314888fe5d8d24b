package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

// keeper opens a gateway with a result cache and no mirror, so that nothing
// happens in the background.
func keeper(t testing.TB, bucket objstore.Bucket) *house {
	t.Helper()
	return buildHouse(t, bucket, houseOptions{results: 32 << 20})
}

// asked is must, and whether the answer had been kept, as the query log says.
func asked(t *testing.T, s wire.Session, sql string, args ...string) (rows []string, kept bool) {
	t.Helper()
	rows = must(t, s, sql, args...)
	log := must(t, s, "SELECT cached, source FROM ontosql.statements ORDER BY statement_id DESC LIMIT 1")
	if kept = log[0] == "true|result cache"; !kept && !strings.HasPrefix(log[0], "false|") {
		t.Errorf("%s: the log says %q", sql, log)
	}
	return rows, kept
}

// keeps checks that the answer is rows and whether it had been kept.
func keeps(t *testing.T, s wire.Session, want bool, rows []string, sql string, args ...string) {
	t.Helper()
	got, kept := asked(t, s, sql, args...)
	if kept != want || !cmp.Equal(got, rows) {
		t.Errorf("%s %q answered %q, kept before: %t; want %q, %t", sql, args, got, kept, rows, want)
	}
}

// TestKeptResultCostsNothing counts requests to the store and statements of the
// engine. The session's connection to that is taken by another portal, which need
// not make way.
func TestKeptResultCostsNothing(t *testing.T) {
	h := keeper(t, nil)
	conn, err := h.engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Exec(t.Context(), "CALL enable_logging('QueryLog')"); err != nil {
		t.Fatal(err)
	}
	statements := func() (n int64) {
		const own = "SELECT count(*) FROM duckdb_logs WHERE message NOT LIKE '%duckdb_logs%'"
		if err := conn.Each(t.Context(), own, nil, func(b *column.Batch, i int) { n = b.Cols[0].I64[i] }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	s := h.session(t, "onto")
	const sql = "SELECT tier, count(*), max(balance) FROM history.customer WHERE commit_id <= $1 GROUP BY tier ORDER BY tier"
	st, err := s.Prepare(t.Context(), wire.Query{SQL: sql}, nil)
	if err != nil {
		t.Fatal(err)
	}
	must(t, s, "BEGIN")
	first, err := bindAndRun(t, s, st, "40")
	if err != nil {
		t.Fatal(err)
	}
	rest, err := s.Prepare(t.Context(), wire.Query{SQL: "SELECT g FROM generate_series(1, 100000) AS t(g)"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	open, err := rest.Bind(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := open.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	begun := b.Len
	for range 3 {
		requests, run := h.bucket.Status().Total().Requests, statements()
		if run == 0 {
			t.Fatal("the engine logs no statements")
		}
		again, err := bindAndRun(t, s, st, "40")
		if err != nil || !cmp.Equal(first, again) {
			t.Errorf("answered %q, %v, and %q before", again, err, first)
		}
		if requests, run = h.bucket.Status().Total().Requests-requests, statements()-run; requests+run != 0 {
			t.Errorf("%d requests and %d statements of the engine, want none", requests, run)
		}
	}
	if rows, err := drain(t.Context(), open); err != nil || begun+len(rows) != 100000 {
		t.Errorf("the other portal gave %d and %d rows, %v; want 100000", begun, len(rows), err)
	}
	open.Close()
	must(t, s, "COMMIT")
	keeps(t, s, true, first, sql, "40")
	keeps(t, h.session(t, "onto"), true, first, sql, "40")
}

// TestKeptResultsFollowCommits: a commit ends the answers over the types it
// wrote, as far as they look at that commit, and no others.
func TestKeptResultsFollowCommits(t *testing.T) {
	h := keeper(t, nil)
	s := h.session(t, "onto")
	customer := []string{
		"SELECT count(*), max(name) FROM customer",
		"SELECT count(*), max(valid_to), max(committed_at) FROM history.customer",
		"SELECT change, count(*) FROM changes.customer GROUP BY 1 ORDER BY 1",
		"SELECT count(*) FROM customer FOR SYSTEM_TIME ALL",
		"SELECT count(*) FROM customer, store",
		"SELECT count(*) FROM as_of.customer(1000)",
		"SELECT count(*) FROM history.customer WHERE commit_id > 50",
	}
	others := []string{
		"SELECT count(*), max(city) FROM store",
		"SELECT count(*), max(valid_to), max(committed_at) FROM history.product",
	}
	past := []string{
		"SELECT count(*) FROM as_of.customer(10)",
		"SELECT count(*) FROM customer FOR SYSTEM_TIME AS OF '2025-06-01'",
		"SELECT count(*), max(commit_id) FROM history.customer WHERE commit_id <= 50",
	}
	answers := map[string][]string{}
	for _, sql := range slices.Concat(customer, others, past) {
		answers[sql] = must(t, s, sql)
	}
	still := func(when string, all ...[]string) {
		t.Helper()
		for _, sql := range slices.Concat(all...) {
			if got, kept := asked(t, s, sql); !kept || !cmp.Equal(got, answers[sql]) {
				t.Errorf("%s: %s answered %q, kept %t; want what was kept, %q", when, sql, got, kept, answers[sql])
			}
		}
	}
	still("before any commit", customer, others, past)
	must(t, s, "INSERT INTO product (sku, title, price) VALUES (900, 'Lamp', 1)")
	still("after a commit of products", customer, others[:1], past)
	if _, kept := asked(t, s, others[1]); kept {
		t.Errorf("after a commit of products: %s was answered from what was kept", others[1])
	}
	must(t, s, "INSERT INTO customer (id, name, tier, balance) VALUES ('z1', 'Zoë', 'gold', 1)")
	for _, sql := range customer {
		got, kept := asked(t, s, sql)
		if kept || cmp.Equal(got, answers[sql]) {
			t.Errorf("after a commit of customers: %s answered %q, kept %t, and %q before", sql, got, kept, answers[sql])
		}
		answers[sql] = got
	}
	still("after a commit of customers", others[:1], past, customer)
}

// TestWhatResultsAreKeptBy asks one text in two ways: what changes the answer
// keeps the answers apart.
func TestWhatResultsAreKeptBy(t *testing.T) {
	h := keeper(t, nil)
	for _, c := range []struct {
		sql  string
		set  string
		args [2]string
	}{
		{sql: "SELECT min(valid_from)::text FROM history.customer", set: "SET TimeZone = 'Asia/Tokyo'"},
		{sql: "SELECT extract(hour FROM min(valid_from))::int FROM history.customer", set: "SET TimeZone = 'Pacific/Kiritimati'"},
		{sql: "SELECT count(*) FROM customer", set: "SET search_path = history"},
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
		"SELECT current_setting('application_name'), id FROM customer",
		"SELECT set_config('my.own', 'x', false), code FROM store",
		"SELECT id FROM customer WHERE name = current_user",
		"SELECT count(*) FROM ontosql.commits",
		"SELECT count(*) FROM ontosql.statements",
		"SELECT count(*) FROM customer, ontosql.commits",
		"SELECT count(*) FROM pg_class",
		"SELECT count(*) FROM information_schema.columns",
		"SELECT count(*) FROM customer WHERE 'customer'::regclass IS NOT NULL",
		"SELECT count(*) FROM as_of.customer(4 + 6)",
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

// TestOwnRowsAreNeverStale writes within a transaction what a kept result lacks.
func TestOwnRowsAreNeverStale(t *testing.T) {
	h := keeper(t, nil)
	s, other := h.session(t, "onto"), h.session(t, "onto")
	const sql = "SELECT count(*) FROM customer"
	must(t, s, sql)
	must(t, s, "BEGIN")
	keeps(t, s, true, []string{"40"}, sql)
	must(t, s, "INSERT INTO customer (id, name, tier, balance) VALUES ('z1', 'Zoë', 'gold', 1)")
	for range 2 {
		keeps(t, s, false, []string{"41"}, sql)
	}
	keeps(t, other, true, []string{"40"}, sql)
	keeps(t, s, false, []string{"4"}, "SELECT count(*) FROM store")
	keeps(t, s, true, []string{"4"}, "SELECT count(*) FROM store")
	must(t, s, "ROLLBACK")
	keeps(t, s, true, []string{"40"}, sql)
	must(t, s, "INSERT INTO customer (id, name, tier, balance) VALUES ('z1', 'Zoë', 'gold', 1)")
	keeps(t, other, false, []string{"41"}, sql)
	keeps(t, s, true, []string{"41"}, sql)
}

// TestKeptResultsOfAnotherHistory restores the bucket to an older state, from
// which it takes another course through the same numbers.
func TestKeptResultsOfAnotherHistory(t *testing.T) {
	ctx := t.Context()
	bucket := mem.New("restored")
	if err := demo.Fill(ctx, bucket, nil); err != nil {
		t.Fatal(err)
	}
	backup := map[string][]byte{}
	if err := bucket.List(ctx, "", func(o objstore.Object) error {
		body, _, err := bucket.Get(ctx, o.Key)
		backup[o.Key] = body
		return err
	}); err != nil {
		t.Fatal(err)
	}
	s := keeper(t, bucket).session(t, "onto")
	insert := func(name string) {
		t.Helper()
		writer := keeper(t, bucket).session(t, "onto")
		for _, id := range []string{"z1", "z2"} {
			must(t, writer, fmt.Sprintf("INSERT INTO customer (id, name, tier, balance) VALUES ('%s', '%s', 'gold', 1)", id, name))
		}
	}
	const newest, first = "SELECT count(*), max(name) FROM customer WHERE id >= 'z'", "SELECT count(*), max(name) FROM as_of.customer(55) WHERE id >= 'z'"
	const before = "SELECT count(*) FROM as_of.customer(54)"
	insert("Zoë")
	for kept := range 2 {
		keeps(t, s, kept == 1, []string{"2|Zoë"}, newest)
		keeps(t, s, kept == 1, []string{"1|Zoë"}, first)
		keeps(t, s, kept == 1, []string{"40"}, before)
	}
	if err := bucket.List(ctx, "", func(o objstore.Object) error { // what did not change is not written again
		body, _, err := bucket.Get(ctx, o.Key)
		if old, ok := backup[o.Key]; !ok {
			return bucket.Delete(ctx, o.Key)
		} else if !bytes.Equal(old, body) {
			put(t, bucket, o.Key, old)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	insert("Ann")
	for kept := range 2 {
		keeps(t, s, kept == 1, []string{"2|Ann"}, newest)
		keeps(t, s, kept == 1, []string{"1|Ann"}, first)
		keeps(t, s, true, []string{"40"}, before) // of the history that both share
	}
}

// TestKeptResultsOfAnotherSchema adds a column, which takes no commit.
func TestKeptResultsOfAnotherSchema(t *testing.T) {
	bucket := mem.New("schema")
	if err := demo.Fill(t.Context(), bucket, nil); err != nil {
		t.Fatal(err)
	}
	s := keeper(t, bucket).session(t, "onto")
	const sql = "SELECT row_to_json(s)::text FROM store s ORDER BY code LIMIT 1"
	keeps(t, s, true, must(t, s, sql), sql)
	addField(t, bucket, "Store", "phone")
	if rows, kept := asked(t, s, sql); kept || !strings.Contains(rows[0], "phone") {
		t.Errorf("%s answered %q, kept %t; want the new column in it", sql, rows, kept)
	}
}

// TestOnlyWholeResultsAreKept: what fails, is left half read, or is large.
func TestOnlyWholeResultsAreKept(t *testing.T) {
	h := keeper(t, nil)
	s := h.session(t, "onto")
	ctx := t.Context()
	const broken = "SELECT 1 / (30000 - g) FROM store, generate_series(1, 20000) AS t(g)"
	const fails = "SELECT 1 / (15000 - g) FROM store, generate_series(1, 20000) AS t(g)"
	for range 2 {
		refused(t, s, pgerr.DivisionByZero, fails)
	}
	if rows, kept := asked(t, s, broken); kept || len(rows) != 80000 {
		t.Errorf("%s answered %d rows, kept %t", broken, len(rows), kept)
	}
	if rows, kept := asked(t, s, broken); !kept || len(rows) != 80000 {
		t.Errorf("%s answered %d rows, kept %t", broken, len(rows), kept)
	}

	const long = "SELECT g, code FROM store, generate_series(1, 5000) AS t(g) ORDER BY g, code"
	partly := func() wire.Portal {
		t.Helper()
		st, err := s.Prepare(ctx, wire.Query{SQL: long}, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := st.Bind(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Next(ctx); err != nil {
			t.Fatal(err)
		}
		return p
	}
	partly().Close()
	if err := s.Sync(ctx, false); err != nil {
		t.Fatal(err)
	}
	cancelled := partly()
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := cancelled.Next(gone); err == nil {
		t.Error("a cancelled statement goes on")
	}
	cancelled.Close()
	if err := s.Sync(ctx, true); err != nil {
		t.Fatal(err)
	}
	must(t, s, "BEGIN")
	open := partly()
	if rows, kept := asked(t, s, long); kept || len(rows) != 20000 {
		t.Errorf("beside a portal that is half read: %d rows, kept %t", len(rows), kept)
	}
	kept := partly()
	for name, p := range map[string]wire.Portal{"engine": open, "kept": kept} {
		rest, err := drain(ctx, p)
		if err != nil || rest[len(rest)-1] != must(t, s, "SELECT 5000, max(code) FROM store")[0] {
			t.Errorf("the rest of a portal (%s): %d rows, the last %q, %v", name, len(rest), rest[len(rest)-1], err)
		}
		p.Close()
	}
	must(t, s, "COMMIT")

	const export = "SELECT repeat(code, 100), g FROM store, generate_series(1, 5000) AS t(g)"
	for range 2 {
		if rows, kept := asked(t, s, export); kept || len(rows) != 20000 {
			t.Errorf("a result of more than a mebibyte: %d rows, kept %t", len(rows), kept)
		}
	}
}

// TestKeptResultIsCancelled ends a statement before its kept rows are sent.
func TestKeptResultIsCancelled(t *testing.T) {
	s := keeper(t, nil).session(t, "onto")
	const sql = "SELECT count(*) FROM customer"
	must(t, s, sql)
	must(t, s, "BEGIN")
	must(t, s, sql)
	st, err := s.Prepare(t.Context(), wire.Query{SQL: sql}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := st.Bind(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(pgerr.New(pgerr.QueryCanceled, "canceling statement due to user request"))
	_, err = p.Next(ctx)
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code != pgerr.QueryCanceled {
		t.Errorf("a cancelled statement: %v, want 57014", err)
	}
	p.Close()
	if st := s.Status(); st != wire.Failed {
		t.Errorf("status is %c, want E", st)
	}
	must(t, s, "ROLLBACK")
}

// TestWarningsAreToldEachTime: a result that a client was warned of is not kept.
func TestWarningsAreToldEachTime(t *testing.T) {
	ctx := t.Context()
	bucket := mem.New("unreadable")
	if _, err := writepath.Init(ctx, bucket, writepath.InitOptions{Engine: format.EngineV1}); err != nil {
		t.Fatal(err)
	}
	p, err := writepath.NewPublisher(ctx, bucket, "test")
	if err != nil {
		t.Fatal(err)
	}
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if _, err = p.Register(ctx, at, []format.Schema{{Ref: ref, Fields: []format.SchemaField{key, format.NewField("born", format.FieldDate, true)}}}); err != nil {
		t.Fatal(err)
	}
	rows := []format.Row{{Key: "a", Fields: []byte(`{"born":"yesterday","id":"a"}`)}}
	if _, err := p.Publish(ctx, writepath.Commit{At: at, Data: []writepath.Content{{Type: ref, Rows: slices.Values(rows)}}}); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(ctx); err != nil {
		t.Fatal(err)
	}
	h := keeper(t, bucket)
	s := h.session(t, "onto")
	for range 3 {
		h.notices = nil
		keeps(t, s, false, []string{"a|NULL"}, "SELECT id, born FROM thing")
		if len(h.notices) != 1 || !strings.Contains(h.notices[0], "read as NULL") {
			t.Errorf("notices are %q, want one of the value that cannot be read", h.notices)
		}
	}
	for i := range 2 {
		keeps(t, s, i == 1, []string{"a"}, "SELECT id FROM thing")
	}
}
