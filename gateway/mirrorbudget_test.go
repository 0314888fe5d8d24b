package gateway_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestStreamKeepsItsTables reads a large result from the mirror, slowly, while
// another type would need the room of its tables: they stay until the last row
// was read, and then make room; the statements after that read files, rightly.
func TestStreamKeepsItsTables(t *testing.T) {
	const rows = 15_000
	var ahead atomic.Int64
	h := buildHouse(t, shop(t), houseOptions{
		mirror:    10 << 20, // for one of them
		mirrorNow: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
	})
	s, other := h.session(t, "onto"), h.session(t, "onto")
	must(t, s, fmt.Sprintf("INSERT INTO shelf SELECT md5(g::text) || md5('a' || g) || md5('b' || g), g FROM generate_series(1, %d) AS g", rows))
	must(t, s, fmt.Sprintf("INSERT INTO item (sku, title) SELECT g, md5(g::text) || md5('a' || g) || md5('b' || g) || md5('c' || g) FROM generate_series(1, %d) AS g", rows))
	for n := range 6 { // the types lie in the older half of the history
		must(t, s, fmt.Sprintf("INSERT INTO standson VALUES (%d, 'shelf', 'x', NULL)", n))
	}
	const shelves, items = "SELECT count(*), sum(height) FROM shelf", "SELECT count(*), sum(sku) FROM item"
	want := []string{fmt.Sprintf("%d|%d", rows, rows*(rows+1)/2)}
	right := func(when string) {
		t.Helper()
		for _, sql := range []string{shelves, items} {
			if got := must(t, other, sql); !slices.Equal(got, want) {
				t.Errorf("%s %s answers %q, want %q", when, sql, got, want)
			}
		}
	}
	until := func(what string, done func(shelf, item string) bool) {
		t.Helper()
		for limit := time.Now().Add(testenv.Patience); ; time.Sleep(time.Millisecond) {
			must(t, other, items)
			told := map[string]string{}
			for _, st := range h.mirror.Status() {
				told[st.Type.Name] = fmt.Sprint(st.State, " ", st.Reason)
			}
			if done(told["Shelf"], told["Item"]) {
				return
			}
			if time.Now().After(limit) {
				t.Fatalf("not %s: %v", what, told)
			}
		}
	}
	h.settle(t, s, "shelf")
	p := portalOf(t, s, "SELECT name, height FROM shelf")
	defer p.Close()
	first, err := p.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := first.Len
	for range 3 {
		until("refused for want of room while shelves stream", func(shelf, item string) bool {
			return strings.HasPrefix(shelf, "ready") && strings.Contains(item, "budget")
		})
		right("while shelves stream")
		ahead.Add(int64(2 * time.Minute))
	}
	for {
		b, err := p.Next(t.Context())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("after %d rows: %v", got, err)
		}
		got += b.Len
	}
	if got != rows {
		t.Errorf("the stream had %d rows, want %d", got, rows)
	}
	ahead.Add(int64(2 * time.Minute))
	until("the items' turn", func(shelf, item string) bool {
		return strings.HasPrefix(shelf, "none") && strings.HasPrefix(item, "ready")
	})
	right("when items took the place of shelves")
	if plan := strings.Join(must(t, other, "EXPLAIN "+shelves), "\n"); strings.Contains(plan, "Mirror") {
		t.Errorf("shelves are read from tables that are gone:\n%s", plan)
	}
}
