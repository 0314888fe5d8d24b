package gateway_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// mirrorQuestions read the demo's types by every kind of reference. %d is a commit.
var mirrorQuestions = []string{
	"SELECT count(*), max(balance) FROM customer",
	"SELECT * FROM customer ORDER BY id",
	"SELECT id, name, commit_id, fields_json, committed_at FROM customer WHERE id = 'c7'",
	"SELECT * FROM product WHERE sku IN (101, 102, 999) ORDER BY sku",
	"SELECT tier, count(*) FROM customer GROUP BY tier ORDER BY tier",
	"SELECT * FROM subscription WHERE left_key = 'c3' ORDER BY right_key",
	"SELECT * FROM purchase WHERE right_key = 104 ORDER BY left_key, order_no",
	"SELECT * FROM as_of.customer(%d) ORDER BY id",
	"SELECT count(*), sum(p.qty) FROM purchase FOR SYSTEM_TIME AS OF %d p JOIN customer c ON c.id = p.left_key",
	"SELECT * FROM history.customer WHERE id = 'c7' ORDER BY commit_id",
	"SELECT count(*), count(valid_to), sum(valid_to_commit) FROM history.customer",
	"SELECT id, commit_id FROM history.product WHERE NOT is_current AND commit_id <= %d ORDER BY 1::text, 2",
	"SELECT * FROM changes.customer WHERE id = 'c3' ORDER BY commit_id",
	"SELECT change, count(*) FROM changes.subscription GROUP BY 1 ORDER BY 1",
	"SELECT id, commit_id, tier FROM changes.customer WHERE commit_id > %d ORDER BY 1, 2",
	"SELECT a.id FROM customer a JOIN as_of.customer(%d) b ON a.id = b.id WHERE a.tier <> b.tier ORDER BY 1",
	"SELECT count(*) FROM customer FOR SYSTEM_TIME ALL",
}

// settle reads types until the mirror of the house is complete up to a commit. A test that
// needs this is skipped where mirrors stay empty (mirror/thresholds_mode.go).
func (h *house) settle(t testing.TB, s wire.Session, tables ...string) {
	t.Helper()
	if os.Getenv("ONTOSQL_TEST_MIRROR") == "off" {
		t.Skip("the mirror is off, as ONTOSQL_TEST_MIRROR asks")
	}
	limit := time.Now().Add(testenv.Patience)
	for {
		for _, table := range tables {
			if _, err := ask(t, s, "SELECT count(*) FROM "+table); err != nil {
				t.Fatal(err)
			}
		}
		behind := false
		status := h.mirror.Status()
		for _, st := range status {
			behind = behind || st.State == "building" || st.Type.Name != "Store" && st.Through < st.Target // stores are too few
		}
		if len(status) >= len(tables) && !behind {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("the mirror is behind: %+v", status)
		}
		time.Sleep(time.Millisecond)
	}
}

// waitFor returns once done says so, or fails the test.
func (h *house) waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for limit := time.Now().Add(testenv.Patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("waiting for %s: %+v", what, h.mirror.Status())
		}
	}
}

var demoTables = []string{"customer", "product", "store", "subscription", "purchase"}

// TestMirrorAnswersLikeFiles asks two gateways over one store, one of them
// without a mirror, while both commit: before the mirror is built, when it is,
// and when it lags.
func TestMirrorAnswersLikeFiles(t *testing.T) {
	const seed = 20260101
	r := rand.New(rand.NewPCG(seed, 1))
	h := newHouse(t, nil)
	files := openHouse(t, h.bucket, false)
	with, without := h.session(t, "onto"), files.session(t, "onto")
	head := 54
	compare := func(when string, questions int) {
		t.Helper()
		for range questions {
			sql := mirrorQuestions[r.IntN(len(mirrorQuestions))]
			if strings.Contains(sql, "%d") {
				sql = fmt.Sprintf(sql, r.IntN(head+2))
			}
			want, wantErr := ask(t, without, sql)
			got, err := ask(t, with, sql)
			if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("seed %d, %s: %s: %v, without the mirror %v (-files +mirror):\n%s", seed, when, sql, err, wantErr, diff)
			}
		}
	}
	compare("before the mirror", 10)
	h.settle(t, with, demoTables...)
	compare("mirrored", 40)
	for round := range 4 {
		for i := range 1 + r.IntN(3) {
			writer := []wire.Session{with, without}[r.IntN(2)]
			sql := fmt.Sprintf("INSERT INTO customer (id, name, tier, balance) VALUES ('m%d_%d', 'New', 'gold', %d)", round, i, r.IntN(100))
			if _, err := ask(t, writer, sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			head++
		}
		compare("while the mirror lags", 10)
		h.settle(t, with, demoTables...)
		compare("extended", 10)
	}
}

// TestPinBelowTheMirror keeps a transaction open while others commit and the
// mirror goes past its pin: it sees what it saw, knows which identities exist
// there, and what it wrote itself.
func TestPinBelowTheMirror(t *testing.T) {
	h := newHouse(t, nil)
	old, other := h.session(t, "onto"), h.session(t, "onto")
	h.settle(t, other, "customer")
	must := func(s wire.Session, sql string) []string {
		t.Helper()
		rows, err := ask(t, s, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return rows
	}
	must(old, "BEGIN")
	before := must(old, "SELECT count(*), max(id) FROM customer")
	must(other, "INSERT INTO customer (id, name, tier, balance) VALUES ('z1', 'After', 'gold', 1), ('z2', 'After', 'gold', 2)")
	h.settle(t, other, "customer")
	if diff := cmp.Diff(before, must(old, "SELECT count(*), max(id) FROM customer")); diff != "" {
		t.Errorf("the transaction sees another customer table than before (-before +after):\n%s", diff)
	}
	if rows := must(old, "SELECT * FROM customer WHERE id = 'z1'"); len(rows) != 0 {
		t.Errorf("the transaction sees a row of a later commit: %v", rows)
	}
	must(old, "INSERT INTO customer (id, name, tier, balance) VALUES ('z3', 'Mine', 'gold', 3)")
	if rows := must(old, "SELECT id FROM customer WHERE id >= 'z' ORDER BY 1"); !slices.Equal(rows, []string{"z3"}) {
		t.Errorf("after its own INSERT the transaction sees %v, want z3", rows)
	}
	_, err := ask(t, old, "INSERT INTO customer (id, name, tier, balance) VALUES ('c7', 'Twice', 'gold', 3)")
	if err == nil || !strings.Contains(err.Error(), "Key (id)=(c7) already exists") && !strings.Contains(err.Error(), "duplicate key") {
		t.Errorf("INSERT of an identity that exists: %v, want 23505", err)
	}
	must(old, "ROLLBACK")
	must(old, "BEGIN")
	must(old, "SELECT count(*) FROM customer")
	must(other, "INSERT INTO customer (id, name, tier, balance) VALUES ('z4', 'After', 'gold', 1)")
	h.settle(t, other, "customer")
	// z4 does not exist at its pin, so the INSERT succeeds and the commit fails.
	must(old, "INSERT INTO customer (id, name, tier, balance) VALUES ('z4', 'Mine', 'gold', 3)")
	if _, err := ask(t, old, "COMMIT"); err == nil {
		t.Error("two transactions inserted one identity")
	}
	if _, err := ask(t, old, "INSERT INTO customer (id, name, tier, balance) VALUES ('z4', 'Again', 'gold', 3)"); err == nil {
		t.Error("an identity that only the mirror has was inserted again")
	}
}

// TestStatementKeptOverAnExtension runs statements that a session keeps prepared
// before and after the mirror has grown: the engine's plans hold for the rows
// that they were made over and no others.
func TestStatementKeptOverAnExtension(t *testing.T) {
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	h.settle(t, s, "customer")
	const byKey, all = "SELECT name FROM customer WHERE id = 'zz9'", "SELECT count(*) FROM customer WHERE id >= 'zz'"
	for _, want := range []string{"0", "1"} {
		for range 2 {
			rows, err := ask(t, s, byKey)
			if err != nil || fmt.Sprint(len(rows)) != want {
				t.Fatalf("%s: %v %v, want %s rows", byKey, rows, err, want)
			}
			if rows, err = ask(t, s, all); err != nil || !slices.Equal(rows, []string{want}) {
				t.Fatalf("%s: %v %v, want %s", all, rows, err, want)
			}
		}
		if want == "0" {
			if _, err := ask(t, s, "INSERT INTO customer (id, name, tier, balance) VALUES ('zz9', 'Late', 'gold', 1)"); err != nil {
				t.Fatal(err)
			}
			h.settle(t, s, "customer")
		}
	}
}

// TestKeyAsAParameter runs prepared statements with one key after the other, over
// the mirror and over files, before and after the mirror has grown.
func TestKeyAsAParameter(t *testing.T) {
	h := newHouse(t, nil)
	files := openHouse(t, h.bucket, false)
	with, without := h.session(t, "onto"), files.session(t, "onto")
	h.settle(t, with, demoTables...)
	questions := []struct {
		sql  string
		args []string // of one parameter each
	}{
		{"SELECT * FROM customer WHERE id = $1", []string{"c7", "c8", "none", "zz9", "it's", ""}},
		{"SELECT id, commit_id FROM customer WHERE $1 = id AND tier <> 'gold'", []string{"c7", "c8", "c9", "zz9"}},
		{"SELECT * FROM customer WHERE id IN ($1, 'c3') ORDER BY id", []string{"c7", "c3", "none"}},
		{"SELECT * FROM product WHERE sku = $1", []string{"101", " 101", "0102", "+103", "-1", "9223372036854775807"}},
		{"SELECT * FROM product WHERE sku = $1::int", []string{"101", "0102", "-2147483648"}},
		{"SELECT * FROM subscription WHERE left_key = $1 ORDER BY right_key", []string{"c3", "c4"}},
		{"SELECT * FROM purchase WHERE right_key = $1 AND left_key <> 'c1' ORDER BY left_key, order_no", []string{"104", "105"}},
		{"SELECT tier, commit_id FROM as_of.customer(30) WHERE id = $1", []string{"c7", "c8", "zz9"}},
		{"SELECT * FROM history.customer WHERE id = $1 ORDER BY commit_id", []string{"c7", "c8", "zz9"}},
		{"SELECT a.id FROM customer a JOIN customer b ON a.tier = b.tier WHERE a.id = $1 AND b.id <> $1 ORDER BY 1", []string{"c7", "c8"}},
	}
	prepare := func(s wire.Session) (list []wire.Statement) {
		for _, q := range questions {
			st, err := s.Prepare(t.Context(), wire.Query{SQL: q.sql}, nil)
			if err != nil {
				t.Fatalf("%s: %v", q.sql, err)
			}
			list = append(list, st)
		}
		return list
	}
	over, plain := prepare(with), prepare(without)
	for _, when := range []string{"mirrored", "extended"} {
		for i, q := range questions {
			for _, arg := range q.args {
				got, err := bindAndRun(t, with, over[i], arg)
				want, wantErr := bindAndRun(t, without, plain[i], arg)
				if diff := cmp.Diff(want, got); diff != "" || err != nil || wantErr != nil {
					t.Errorf("%s: %s with %q: %v, without the mirror %v (-files +mirror):\n%s", when, q.sql, arg, err, wantErr, diff)
				}
			}
			for name, s := range map[string]wire.Statement{"the mirror": over[i], "files": plain[i]} {
				p, err := s.Bind(t.Context(), [][]byte{nil})
				if err != nil {
					t.Fatal(err)
				}
				rows, err := drain(t.Context(), p)
				p.Close()
				if err != nil || len(rows) > 0 && !strings.Contains(q.sql, "IN (") {
					t.Errorf("%s: %s with NULL over %s: %v %v, want no rows", when, q.sql, name, rows, err)
				}
			}
			for _, s := range []wire.Session{with, without} {
				if err := s.Sync(t.Context(), false); err != nil {
					t.Fatal(err)
				}
			}
		}
		must(t, with, "INSERT INTO customer (id, name, tier, balance) VALUES ($1, 'Late', 'silver', 1)", map[string]string{"mirrored": "zz9", "extended": "zz10"}[when])
		h.settle(t, with, demoTables...)
	}
}

// TestExplainNamesTheMirror shows the source of a reference.
func TestExplainNamesTheMirror(t *testing.T) {
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	h.settle(t, s, "customer")
	for _, sql := range []string{"EXPLAIN SELECT count(*) FROM customer WHERE id = 'c7'", "EXPLAIN ANALYZE SELECT count(*) FROM customer WHERE id = 'c7'"} {
		rows, err := ask(t, s, sql)
		text := strings.Join(rows, "\n")
		through := h.mirror.Status()[0].Through
		want := fmt.Sprintf("Mirror: through commit %d\n", through)
		if through == 54 {
			want += "        Files: 0 considered, 0 pruned, 0 read\n"
		}
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v\n%s", sql, err, text)
		}
	}
}

// TestMirrorThatCannotBeRead takes the tables away behind the gateway's back:
// statements are answered from files, and the tables are built again. The file itself is
// not detached: the engine takes that for damage of all its databases.
func TestMirrorThatCannotBeRead(t *testing.T) {
	for _, broken := range []string{"DROP TABLE ontosql_mirror.main.cur1"} {
		t.Run(broken, func(t *testing.T) {
			h := newHouse(t, nil)
			s := h.session(t, "onto")
			const sql = "SELECT count(*), max(balance) FROM customer"
			want := must(t, s, sql)
			h.settle(t, s, "customer")
			conn, err := h.engine.Conn(context.WithoutCancel(t.Context()))
			if err != nil {
				t.Fatal(err)
			}
			if err := conn.Exec(t.Context(), broken); err != nil {
				t.Fatal(err)
			}
			conn.Close()
			for range 3 {
				if got, err := ask(t, s, sql); err != nil || !slices.Equal(got, want) {
					t.Errorf("got %v %v, want %v; the engine: %v", got, err, want, h.engine.Err())
				}
			}
			h.settle(t, s, "customer")
		})
	}
}

// TestInsertWhereTheMirrorCannotBeRead takes the tables away before statements
// that write: what they look up and what they read comes from files then.
func TestInsertWhereTheMirrorCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct{ sql, code, rows string }{
		"an identity that exists":  {sql: "INSERT INTO customer (id, name, tier, balance) VALUES ('c7', 'Twice', 'gold', 1)", code: pgerr.UniqueViolation},
		"a new identity":           {sql: "INSERT INTO customer (id, name, tier, balance) VALUES ('n1', 'New', 'gold', 1)", rows: "41"},
		"rows of a query":          {sql: "INSERT INTO customer (id, name, tier, balance) SELECT 'n' || id, name, tier, balance FROM customer", rows: "80"},
		"RETURNING that reads":     {sql: "INSERT INTO customer (id, name, tier, balance) VALUES ('n1', 'New', 'gold', 1) RETURNING (SELECT count(*) FROM customer)", rows: "41"},
		"RETURNING, and many rows": {sql: "INSERT INTO customer (id, name, tier, balance) SELECT 'n' || g, 'New', 'gold', 1 FROM generate_series(1, 12000) AS g RETURNING (SELECT count(*) FROM customer)", rows: "12040"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, nil)
			s := h.session(t, "onto")
			h.settle(t, s, "customer")
			conn, err := h.engine.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			for _, table := range []string{"cur1", "hist1"} {
				if err := conn.Exec(t.Context(), "DROP TABLE ontosql_mirror.main."+table); err != nil {
					t.Fatal(err)
				}
			}
			if c.code != "" {
				refused(t, s, c.code, c.sql)
				return
			}
			must(t, s, c.sql)
			if rows := must(t, s, "SELECT count(*) FROM customer"); !slices.Equal(rows, []string{c.rows}) {
				t.Errorf("after %s there are %v rows, want %s", c.sql, rows, c.rows)
			}
		})
	}
}

// TestSessionFunctionsAnswerOnce lets the mirror be extended between the moment when a
// statement's sources are found and the engine's start, while the statement waits for
// an advisory lock. It begins again, and has the lock once.
func TestSessionFunctionsAnswerOnce(t *testing.T) {
	const sql = "SELECT count(*), pg_advisory_lock(7) FROM customer"
	h := newHouse(t, nil)
	s, other := h.session(t, "onto"), h.session(t, "onto")
	h.settle(t, s, "customer")
	must(t, other, "SELECT pg_advisory_lock(7)")
	done := make(chan error, 1)
	go func() {
		_, err := ask(t, s, sql)
		done <- err
	}()
	h.waitFor(t, "the statement to wait for the lock", func() bool {
		return len(must(t, other, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")) == 1
	})
	must(t, other, "INSERT INTO customer (id, name, tier, balance) VALUES ('late', 'Late', 'silver', 1)")
	h.settle(t, other, "customer")
	must(t, other, "SELECT pg_advisory_unlock(7)")
	if err := <-done; err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	for _, want := range []string{"true", "false"} {
		if got := must(t, s, "SELECT pg_advisory_unlock(7)"); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: unlocking answers %q, want %q", sql, got, want)
		}
	}
}
