package gateway_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/wire"
)

// TestProgress asks from another session how far ALTER TABLE is, at requests that it
// makes on its way, and after it.
func TestProgress(t *testing.T) {
	asksNoMirror(t)
	disk := mem.New("demo")
	if err := demo.Fill(t.Context(), disk, nil); err != nil {
		t.Fatal(err)
	}
	var watcher wire.Session
	var watching atomic.Bool
	var seen []string
	look := func() {
		if watching.CompareAndSwap(true, false) { // else it is the watcher's own request
			for _, row := range must(t, watcher, "SELECT type_kind, type_name, phase, rows_done, rows_total > rows_done, pid, started_at <= now() FROM ontosql.progress") {
				if !slices.Contains(seen, row) {
					seen = append(seen, row)
				}
			}
			watching.Store(true)
		}
	}
	h := openHouse(t, &faulty.Bucket{Bucket: disk, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
		if key == format.LockKey || strings.HasSuffix(key, "/Customer.parquet") {
			look()
		}
	}}, false)
	h.ending = true
	watcher = h.session(t, "onto")
	s := h.session(t, "onto")
	watching.Store(true)
	must(t, s, "ALTER TABLE customer ALTER COLUMN balance TYPE text")
	watching.Store(false)
	want := []string{
		"entity|Customer|waiting for the write lock|0|true|7|true",
		"entity|Customer|rewriting rows|0|true|7|true",
		"entity|Customer|committing|40|true|7|true",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("on the way another session sees\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
	if left := must(t, watcher, "SELECT * FROM ontosql.progress"); len(left) > 0 {
		t.Errorf("after it there is still %q", left)
	}

	must(t, s, "BEGIN")
	must(t, s, "ALTER TABLE customer ALTER COLUMN balance TYPE numeric USING balance::numeric")
	if left := must(t, watcher, "SELECT * FROM ontosql.progress"); len(left) > 0 {
		t.Errorf("after the statement, and before its COMMIT, there is still %q", left)
	}
	must(t, s, "ROLLBACK")
}
