package gateway_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/wire"
)

// sameByKey compares the answer of a look-up with that of a query for the same rows that names no key,
// which the engine answers.
func sameByKey(t testing.TB, s wire.Session, from, key, value string) {
	t.Helper()
	byKey := must(t, s, fmt.Sprintf("SELECT * FROM %s WHERE %s = %s", from, key, value))
	scanned := must(t, s, fmt.Sprintf("SELECT * FROM %s WHERE NOT (%s IS DISTINCT FROM %s)", from, key, value))
	slices.Sort(byKey)
	slices.Sort(scanned)
	if !slices.Equal(byKey, scanned) {
		t.Errorf("%s = %s of %s by key:\n%q\nscanned:\n%q", key, value, from, byKey, scanned)
	}
}

// TestLookUpAfterOwnCommit: a look-up sees the commit before it, and the row store answers it: it
// has the rows from memory until they are added to it.
func TestLookUpAfterOwnCommit(t *testing.T) {
	h := newHouse(t, shop(t))
	s := h.session(t, "onto")
	must(t, s, "INSERT INTO item (sku, title) SELECT n, 'Item ' || n FROM generate_series(1, 50) AS g(n)")
	must(t, s, "INSERT INTO shelf (name, height) VALUES ('a', 1), ('b', 2)")
	inRowStore(t, s, "SELECT title FROM item WHERE sku = 1")
	inRowStore(t, s, "SELECT since FROM standson WHERE left_key = 1")
	for n := range 60 {
		sku := n%40 + 20
		must(t, s, fmt.Sprintf(`INSERT INTO item (sku, title, price, weight, sold, added, day, code, raw, tags) VALUES (%d, 'Stück %d', %d.25, 0.5, true, '2026-02-03 04:05:06.7+01', '2026-02-03',
			'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '\xdeadbeef', '{"b":[1,null],"a":"x"}') ON CONFLICT (sku) DO UPDATE SET title = excluded.title, price = excluded.price`, sku, n, n))
		must(t, s, fmt.Sprintf("INSERT INTO standson (left_key, right_key, slot, since) VALUES (%d, 'a', 's%d', '2026-02-03')", sku, n))
		for _, sql := range []string{fmt.Sprintf("SELECT title, price FROM item WHERE sku = %d", sku), fmt.Sprintf("SELECT slot FROM standson WHERE left_key = %d AND right_key = 'a' AND slot = 's%d'", sku, n)} {
			if plan := strings.Join(must(t, s, "EXPLAIN "+sql), "\n"); !isPoint(plan) {
				t.Fatalf("%s is not answered from the row store just after a write:\n%s", sql, plan)
			}
		}
		answers(t, s, fmt.Sprintf("SELECT title FROM item WHERE sku = %d", sku), fmt.Sprintf("Stück %d", n))
		sameByKey(t, s, "item", "sku", fmt.Sprint(sku))
		sameByKey(t, s, "standson", "left_key", fmt.Sprint(sku))
		sameByKey(t, s, fmt.Sprintf("item FOR SYSTEM_TIME AS OF %d", 3+n), "sku", fmt.Sprint(sku))
	}
}

// TestLookUpAfterForeignCommits: another gateway writes single rows, thousands of rows, and the same keys
// again. A look-up sees each commit at once, and as the engine sees it, at this point and at earlier ones.
func TestLookUpAfterForeignCommits(t *testing.T) {
	disk := mem.New("demo")
	if err := demo.Fill(t.Context(), disk, nil); err != nil {
		t.Fatal(err)
	}
	h, other := newHouse(t, disk), newHouse(t, disk)
	s, writer := h.session(t, "onto"), other.session(t, "onto")
	inRowStore(t, s, "SELECT name FROM customer WHERE id = 'c1'")
	inRowStore(t, s, "SELECT * FROM subscription WHERE left_key = 'c1'")
	r := rand.New(rand.NewPCG(29, 7))
	for round := range 12 {
		switch rows := []int{1, 300, 5000}[round%3]; {
		case round%4 == 3:
			must(t, writer, fmt.Sprintf("UPDATE customer SET balance = balance + 1 WHERE id IN ('c%d', 'c%d')", r.IntN(40), r.IntN(40)))
			must(t, writer, "UPDATE product SET price = 1 WHERE false")
		default:
			must(t, writer, fmt.Sprintf("INSERT INTO customer (id, name, tier, balance) SELECT 'c' || n, 'Round %d', 'gold', n FROM generate_series(1, %d) AS g(n) ON CONFLICT (id) DO UPDATE SET name = excluded.name", round, rows))
		}
		for range 8 {
			key := fmt.Sprintf("'c%d'", r.IntN(6000))
			if r.IntN(2) == 0 {
				key = fmt.Sprintf("'c%d'", r.IntN(45))
			}
			sameByKey(t, s, "customer", "id", key)
			sameByKey(t, s, fmt.Sprintf("customer FOR SYSTEM_TIME AS OF %d", 40+r.IntN(20)), "id", key)
			sameByKey(t, s, "subscription", "left_key", key)
		}
	}
}

// TestLookUpOfTwoRowsOfOneCommit: the original commits files with two rows of an identity, of which the
// last counts (A15). Look-ups and histories see that at once, from memory, and later from the store.
func TestLookUpOfTwoRowsOfOneCommit(t *testing.T) {
	disk := mem.New("demo")
	if err := demo.Fill(t.Context(), disk, nil); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, disk)
	s := h.session(t, "onto")
	const look = "SELECT name FROM customer WHERE id = 'c1'"
	inRowStore(t, s, look)
	customer := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}
	for round := range 6 {
		if _, err := (&original.Writer{Bucket: disk, Owner: "original"}).Commit(t.Context(), func(*format.Head) ([]original.Data, error) {
			d := original.Data{Type: customer}
			for n := range 3 {
				for _, key := range []string{"c1", "c2"} {
					d.Rows = append(d.Rows, format.Row{Key: key, Fields: fmt.Appendf(nil, `{"balance":%d.5,"email":null,"id":"%s","name":"round %d.%d","tier":"Gold"}`, n, key, round, n)})
				}
			}
			return []original.Data{d}, nil
		}); err != nil {
			t.Fatal(err)
		}
		check := func() {
			answers(t, s, look, fmt.Sprintf("round %d.2", round))
			for _, from := range []string{"customer", "history.customer", "changes.customer", "customer FOR SYSTEM_TIME AS OF 54"} {
				sameByKey(t, s, from, "id", "'c1'")
			}
		}
		if check(); round%2 == 0 {
			inRowStore(t, s, look)
			check()
		}
	}
}
