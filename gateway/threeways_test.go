package gateway_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/wire"
)

// TestEveryPointInThreeWays: after random commits of two gateways, look-ups by key at every point, of
// histories and of changes answer the same from the row store, from the mirror and from the files.
func TestEveryPointInThreeWays(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			bucket := mem.New("demo")
			if err := demo.Fill(t.Context(), bucket, nil); err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(29, seed))
			rows, files := newHouse(t, bucket), openHouse(t, bucket, false)
			mirrored := buildHouse(t, bucket, houseOptions{mirror: mirrorBudget(true), noRows: true})
			ways := []wire.Session{files.session(t, "onto"), mirrored.session(t, "onto"), rows.session(t, "onto")}
			looked := []string{"SELECT * FROM customer WHERE id = 'c1'", "SELECT * FROM purchase WHERE left_key = 'c1'"}
			for _, sql := range looked {
				inRowStore(t, ways[2], sql)
			}
			for range 10 {
				changeCustomers(t, r, ways[r.IntN(len(ways))])
				if r.IntN(2) == 0 { // some look-ups come just behind a commit, some after more
					sameInAllWays(t, ways, lookUpAt(r, "HEAD"))
				}
			}
			for _, sql := range looked {
				inRowStore(t, ways[2], sql)
			}
			head := 54 + 10
			for point := 1; point <= head; point++ {
				for range 4 {
					sameInAllWays(t, ways, lookUpAt(r, fmt.Sprint(point)))
				}
			}
		})
	}
}

// changeCustomers changes some customers and their purchases.
func changeCustomers(t *testing.T, r *rand.Rand, s wire.Session) {
	t.Helper()
	key := func() string { return fmt.Sprintf("'c%d'", r.IntN(60)) }
	must(t, s, []string{
		"INSERT INTO customer (id, name, tier, balance) VALUES (" + key() + ", 'made', 'Gold', 1) ON CONFLICT (id) DO UPDATE SET tier = 'Made', balance = customer.balance + 1",
		"UPDATE customer SET balance = balance * 2, name = name || '+' WHERE id IN (" + key() + ", " + key() + ", 'c1')",
		"INSERT INTO purchase (left_key, right_key, order_no, qty, store) SELECT id, 100, 'n' || " + fmt.Sprint(r.IntN(3)) + ", 3, 's1' FROM customer WHERE id IN (" + key() + ", 'c2') ON CONFLICT DO NOTHING",
		"INSERT INTO customer (id, name, tier, balance) SELECT 'n' || g, 'new', 'Gold', g FROM generate_series(1, " + fmt.Sprint(1+r.IntN(3000)) + ") AS g ON CONFLICT (id) DO UPDATE SET balance = excluded.balance + 1",
	}[r.IntN(4)])
}

// lookUpAt is a look-up at a point, or of what was before.
func lookUpAt(r *rand.Rand, point string) string {
	key := []string{"'c1'", fmt.Sprintf("'c%d'", r.IntN(60)), fmt.Sprintf("'n%d'", r.IntN(3000))}[r.IntN(3)]
	return []string{
		"SELECT * FROM customer FOR SYSTEM_TIME AS OF '" + point + "' WHERE id = " + key,
		"SELECT id, balance, commit_id FROM as_of.customer('" + point + "') WHERE id IN (" + key + ", 'c3')",
		"SELECT * FROM purchase FOR SYSTEM_TIME AS OF '" + point + "' WHERE left_key = " + key,
		"SELECT commit_id, balance, is_current, valid_to_commit FROM history.customer WHERE id = " + key,
		"SELECT commit_id, change, changed_fields, before FROM changes.customer WHERE id = " + key,
		"SELECT order_no, commit_id FROM history.purchase WHERE left_key = " + key,
	}[r.IntN(6)]
}

func sameInAllWays(t *testing.T, ways []wire.Session, sql string) {
	t.Helper()
	var answers [3][]string
	for i, s := range ways {
		answers[i] = must(t, s, sql)
		slices.Sort(answers[i])
	}
	for i, way := range []string{"mirror", "row store"} {
		if diff := cmp.Diff(answers[0], answers[i+1]); diff != "" {
			t.Errorf("%s (-files +%s):\n%s", sql, way, diff)
		}
	}
}
