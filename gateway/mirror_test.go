package gateway_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/wire"
)

// mirrorQuestions read the demo's types in every way a reference can be made.
// %d stands for a commit.
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

// settle reads types until the mirror of the house is complete up to a commit.
func (h *house) settle(t *testing.T, s wire.Session, tables ...string) {
	t.Helper()
	limit := time.Now().Add(20 * time.Second)
	for {
		for _, table := range tables {
			if _, err := ask(t, s, "SELECT count(*) FROM "+table); err != nil {
				t.Fatal(err)
			}
		}
		behind := false
		status := h.mirror.Status()
		for _, st := range status {
			behind = behind || st.Type.Name != "Store" && st.Through < st.Target // stores are too few
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
	// At its pin z4 does not exist, so that the INSERT is none of its errors; the
	// commit is.
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

// TestExplainNamesTheMirror shows the source of a reference.
func TestExplainNamesTheMirror(t *testing.T) {
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	h.settle(t, s, "customer")
	for _, sql := range []string{"EXPLAIN SELECT * FROM customer WHERE id = 'c7'", "EXPLAIN ANALYZE SELECT * FROM customer WHERE id = 'c7'"} {
		rows, err := ask(t, s, sql)
		text := strings.Join(rows, "\n")
		if err != nil || !strings.Contains(text, "Mirror: through commit 54") || !strings.Contains(text, "Files: 0 considered, 0 pruned, 0 read") {
			t.Errorf("%s: %v\n%s", sql, err, text)
		}
	}
}

// TestMirrorThatCannotBeRead takes the tables away behind the gateway's back:
// statements are answered from files, and the tables are built again.
func TestMirrorThatCannotBeRead(t *testing.T) {
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	const sql = "SELECT count(*), max(balance) FROM customer"
	want, err := ask(t, s, sql)
	if err != nil {
		t.Fatal(err)
	}
	h.settle(t, s, "customer")
	for _, broken := range []string{"DROP TABLE ontosql_mirror.main.cur1", "DETACH ontosql_mirror"} {
		conn, err := h.engine.Conn(context.WithoutCancel(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Exec(t.Context(), broken); err != nil {
			t.Fatalf("%s: %v", broken, err)
		}
		conn.Close()
		for range 3 {
			got, err := ask(t, s, sql)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("after %s: %v %v, want %v", broken, got, err, want)
			}
		}
		h.settle(t, s, "customer")
	}
}
