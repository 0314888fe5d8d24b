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
	asksNoMirror(t)
	h := keeper(t, nil)
	statements := h.statements(t)
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
	open := portalOf(t, s, "SELECT g FROM generate_series(1, 100000) AS t(g)")
	b, err := open.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	begun := b.Len
	for range 3 {
		requests, run := h.bucket.Status().Total().Requests, statements()
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

// statements begins to count those that the engine runs.
func (h *house) statements(t *testing.T) func() int64 {
	t.Helper()
	conn, err := h.engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if err := conn.Exec(t.Context(), "CALL enable_logging('QueryLog')"); err != nil {
		t.Fatal(err)
	}
	count := func() (n int64) {
		const own = "SELECT count(*) FROM duckdb_logs WHERE message NOT LIKE '%duckdb_logs%'"
		if err := conn.Each(t.Context(), own, nil, func(b *column.Batch, i int) { n = b.Cols[0].I64[i] }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := conn.Exec(t.Context(), "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	if count() == 0 {
		t.Fatal("the engine logs no statements")
	}
	return count
}

// TestKeptResultsFollowCommits: a commit ends the answers over the types it
// wrote, as far as they look at that commit, and no others.
func TestKeptResultsFollowCommits(t *testing.T) {
	asksNoMirror(t)
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

// TestOwnRowsAreNeverStale writes within a transaction what a kept result lacks.
func TestOwnRowsAreNeverStale(t *testing.T) {
	asksNoMirror(t)
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
	asksNoMirror(t)
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
		t.Run("insert "+name, func(t *testing.T) { // at its end the writer has left, and nothing of its own is on the way
			writer := keeper(t, bucket).session(t, "onto")
			for _, id := range []string{"z1", "z2"} {
				must(t, writer, fmt.Sprintf("INSERT INTO customer (id, name, tier, balance) VALUES ('%s', '%s', 'gold', 1)", id, name))
			}
		})
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
	asksNoMirror(t)
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
	asksNoMirror(t)
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
	openPortal(t, s, long).Close()
	if err := s.Sync(ctx, false); err != nil {
		t.Fatal(err)
	}
	cancelled := openPortal(t, s, long)
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
	open := openPortal(t, s, long)
	if rows, kept := asked(t, s, long); kept || len(rows) != 20000 {
		t.Errorf("beside a portal that is half read: %d rows, kept %t", len(rows), kept)
	}
	kept := openPortal(t, s, long)
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
	asksNoMirror(t)
	s := keeper(t, nil).session(t, "onto")
	const sql = "SELECT count(*) FROM customer"
	must(t, s, sql)
	must(t, s, "BEGIN")
	must(t, s, sql)
	p := newPortal(t, s, sql)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(pgerr.New(pgerr.QueryCanceled, "canceling statement due to user request"))
	_, err := p.Next(ctx)
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
	asksNoMirror(t)
	ctx := t.Context()
	bucket := mem.New("unreadable")
	p := publisher(t, bucket, format.EngineV1, "test")
	ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if _, err := p.Register(ctx, at, []format.Schema{{Ref: ref, Fields: thingFields()}}); err != nil {
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
