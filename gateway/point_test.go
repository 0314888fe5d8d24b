package gateway_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/wire"
)

// inRowStore asks a look-up until the row store answers it. If ONTOSQL_TEST_MIRROR turns the row store
// off, the engine answers, and the test compares its answers.
func inRowStore(t testing.TB, s wire.Session, sql string) {
	t.Helper()
	for limit := time.Now().Add(testenv.Patience); ; time.Sleep(time.Millisecond) {
		must(t, s, sql)
		plan := strings.Join(must(t, s, "EXPLAIN "+sql), "\n")
		if isPoint(plan) {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("%s is not answered from the row store:\n%s", sql, plan)
		}
	}
}

// isPoint reports whether a plan is a look-up in the row store, which it cannot be if that is off.
func isPoint(plan string) bool {
	return strings.Contains(plan, "Point: row store") || rowStoreIsOff()
}

// rowStoreIsOff reports whether ONTOSQL_TEST_MIRROR turns the row store off.
func rowStoreIsOff() bool { return os.Getenv("ONTOSQL_TEST_MIRROR") == "off" }

// TestRowStoreAnswersLikeTheEngine asks look-ups by key that the row store answers, and the same
// ones as queries that the engine answers: at every point, for rows that are not there, in both formats.
func TestRowStoreAnswersLikeTheEngine(t *testing.T) {
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	for _, sql := range []string{
		"SELECT * FROM customer WHERE id = 'c7'", "SELECT * FROM product WHERE sku = 101",
		"SELECT * FROM subscription WHERE left_key = 'c3' AND right_key = 101", "SELECT * FROM purchase WHERE left_key = 'c3' AND right_key = 104 AND order_no = 'o1'",
	} {
		inRowStore(t, s, sql)
	}
	plan := strings.Join(must(t, s, "EXPLAIN ANALYZE SELECT * FROM customer WHERE id IN ('c7', 'c8', 'nobody')"), "\n")
	if !isPoint(plan) || strings.Contains(plan, "Point: row store") && !strings.Contains(plan, "(rows=2)") {
		t.Errorf("EXPLAIN ANALYZE does not tell of the row store:\n%s", plan)
	}
	r := rand.New(rand.NewPCG(29, 1))
	for range 200 {
		window := []string{"%s", "%s FOR SYSTEM_TIME AS OF " + fmt.Sprint(r.IntN(45)), "as_of.%s(" + fmt.Sprint(r.IntN(45)) + ")"}[r.IntN(3)]
		key := func(n int) string { return fmt.Sprintf("'c%d'", r.IntN(n)) }
		from := [][2]string{
			{"customer", "id = " + key(50)},
			{"customer", fmt.Sprintf("id IN (%s, %s, 'nobody', %s)", key(50), key(50), key(50))},
			{"product", fmt.Sprintf("sku = %d", 100+r.IntN(10))},
			{"product", fmt.Sprintf("sku IN (%d, '%d')", 100+r.IntN(10), 100+r.IntN(10))},
			{"subscription", fmt.Sprintf("left_key = %s AND right_key = %d", key(12), 100+r.IntN(8))},
			{"purchase", "left_key = " + key(12)},
			{"subscription", fmt.Sprintf("left_key IN (%s, %s)", key(12), key(12))},
			{"purchase", fmt.Sprintf("left_key = %s AND right_key = %d AND order_no = 'o%d'", key(12), 100+r.IntN(8), r.IntN(9))},
		}[r.IntN(8)]
		sql := "SELECT * FROM " + fmt.Sprintf(window, from[0]) + " WHERE " + from[1]
		if plan := strings.Join(must(t, s, "EXPLAIN "+sql), "\n"); !isPoint(plan) {
			t.Fatalf("%s is not answered from the row store:\n%s", sql, plan)
		}
		got := must(t, s, sql+" ")
		want := must(t, s, sql+" ORDER BY 1, 2")
		less := func(a, b string) bool { return a < b }
		if diff := cmp.Diff(want, got, cmpopts.SortSlices(less)); diff != "" {
			t.Errorf("%s (-engine +row store):\n%s", sql, diff)
		}
	}
}
