package gateway_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/pgerr"
)

// TestManyChanges changes so many rows in one statement that their identities are not kept in
// memory.
func TestManyChanges(t *testing.T) {
	for _, ending := range []bool{true, false} {
		h := newHouse(t, shop(t))
		h.ending = ending
		s := h.session(t, "onto")
		upsert := func(rows string) string {
			return "INSERT INTO shelf SELECT 's' || g, 0 FROM " + rows + " AS g ON CONFLICT (name) DO UPDATE SET height = shelf.height + 1"
		}
		shelves := func(want ...string) {
			t.Helper()
			got := must(t, s, "SELECT count(*), sum(height), max(commit_id) FROM shelf")
			got = append(got, must(t, s, "SELECT count(*) FROM history.shelf")...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("ending %v: shelves and versions (-want +got):\n%s", ending, diff)
			}
		}
		tagged(t, s, upsert("generate_series(1, 5000)"), "INSERT 0 5000")
		shelves("5000|0|2", "5000")
		tagged(t, s, upsert("generate_series(1, 10000)"), "INSERT 0 10000")
		shelves("10000|5000|3", "15000")
		// The last row is of a key that an early one, or a late one, has.
		for _, again := range []string{"7", "9999", "10002"} {
			e := refused(t, s, pgerr.CardinalityViolation, upsert("(SELECT generate_series(1, 10002) AS g UNION ALL SELECT "+again+")"))
			if e.Message != "ON CONFLICT DO UPDATE command cannot affect row a second time" {
				t.Errorf("ending %v: %s twice: %s", ending, again, e.Message)
			}
		}
		tagged(t, s, "INSERT INTO shelf SELECT 's' || (g % 15000 + 1), 0 FROM generate_series(0, 29999) AS g ON CONFLICT DO NOTHING", "INSERT 0 5000")
		shelves("15000|5000|4", "20000")
		tagged(t, s, "UPDATE shelf SET height = height", "UPDATE 15000")
		tagged(t, s, "UPDATE shelf SET height = 1", "UPDATE 15000") // 5000 are as they were
		shelves("15000|15000|5", "30000")
		tagged(t, s, "UPDATE shelf SET height = 2 FROM generate_series(0, 29999) AS g WHERE name = 's' || (g % 15000 + 1)", "UPDATE 15000")
		shelves("15000|30000|6", "45000")
		refused(t, s, pgerr.DivisionByZero, "UPDATE shelf SET height = 1 / (height - (name = 's9000')::int * 2)")
		succeeds(t, s, "BEGIN")
		tagged(t, s, "UPDATE shelf SET height = 3", "UPDATE 15000")
		tagged(t, s, "UPDATE shelf SET height = 4", "UPDATE 15000")
		succeeds(t, s, "COMMIT")
		shelves("15000|60000|7", "60000")
	}
}

// TestManyChangesAtOnce are updates of which all but one have to be run again.
func TestManyChangesAtOnce(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	s := h.session(t, "onto")
	tagged(t, s, many("1", "5000"), "INSERT 0 5000")
	done := make(chan string, 4)
	for range cap(done) {
		s := h.session(t, "onto")
		go func() {
			tag, err := run(t, s, "UPDATE shelf SET height = height + 1")
			if err != nil {
				tag = err.Error()
			}
			done <- tag
		}()
	}
	for range cap(done) {
		if tag := <-done; tag != "UPDATE 5000" {
			t.Errorf("one of four at once: %s", tag)
		}
	}
	answers(t, s, "SELECT sum(height), max(commit_id) FROM shelf", "12522500|6")
}

// TestRefusedRowOfAnUpdate shows the columns that the statement does not name.
func TestRefusedRowOfAnUpdate(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	tagged(t, s, "INSERT INTO item (sku, title, price, sold) VALUES (1, 'x', 2.50, true)", "INSERT 0 1")
	for _, sql := range []string{"UPDATE item SET title = NULL", "UPDATE item SET title = NULL RETURNING *"} {
		e := refused(t, s, pgerr.NotNullViolation, sql)
		if want := "Failing row contains (1, null, null, null, 2.5, null, t, null, null, null)."; e.Detail != want {
			t.Errorf("%s: %s, want %s", sql, e.Detail, want)
		}
	}
}
