package gateway_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// TestCompact calls ontosql.compact: it returns the snapshots that it wrote, the next statement
// reads them, and no answer changes.
func TestCompact(t *testing.T) {
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	const all = "SELECT md5(string_agg(h::text, ',' ORDER BY commit_id, id)) FROM history.customer h"
	before := must(t, s, all)
	if got := must(t, s, "SELECT type_kind, type_name, files, min_commit_id, max_commit_id, rows, bytes > 0 FROM ontosql.compact('customer')"); !slices.Equal(got, []string{"entity|Customer|53|2|54|192|true"}) {
		t.Errorf("compacted %q", got)
	}
	if got := must(t, s, "SELECT entries FROM ontosql.index_health WHERE type_name = 'Customer'"); got[0] != "1" {
		t.Errorf("the index has %s entries", got)
	}
	if got := must(t, h.session(t, "onto"), all); got[0] != before[0] {
		t.Errorf("history is %s, was %s", got, before)
	}
	for _, c := range []struct {
		sql  string
		rows int
	}{
		{"SELECT * FROM ontosql.compact('Customer')", 0}, // there is nothing left to merge
		{"SELECT * FROM ontosql.compact((SELECT table_name FROM ontosql.types WHERE type_name = 'Product'), NULL)", 1},
		{"SELECT * FROM ontosql.compact(strategy => 'tiered', type => 'purchase')", 3},
		{"SELECT * FROM ontosql.compact('subscription') WHERE false", 0}, // it is done all the same
		{"SELECT * FROM ontosql.compact('subscription')", 0},
	} {
		if got := must(t, s, c.sql); len(got) != c.rows {
			t.Errorf("%s: %q, want %d rows", c.sql, got, c.rows)
		}
	}
	must(t, s, "EXPLAIN SELECT * FROM ontosql.compact('store')")
	if got := must(t, s, "SELECT files FROM ontosql.compact($1, $2)", "store", "snapshot"); len(got) != 1 {
		t.Errorf("with parameters: %q", got)
	}
}

// TestCompactIsRefused: ontosql.compact is no part of a transaction, writes nothing for a session
// that may not write, and knows types alone.
func TestCompactIsRefused(t *testing.T) {
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	const compact = "SELECT * FROM ontosql.compact('customer')"
	must(t, s, "BEGIN")
	refused(t, s, pgerr.ActiveSQLTransaction, compact)
	must(t, s, "ROLLBACK")
	must(t, s, "SET default_transaction_read_only = on")
	refused(t, s, pgerr.ReadOnlySQLTransaction, compact)
	must(t, s, "RESET default_transaction_read_only")
	must(t, s, "SET ontosql.as_of = '3'")
	refused(t, s, pgerr.ReadOnlySQLTransaction, compact)
	must(t, s, "RESET ontosql.as_of")
	refused(t, h.session(t, "onto@3"), pgerr.ReadOnlySQLTransaction, compact)
	must(t, s, "CREATE TEMP TABLE customers (n int)")
	for sql, code := range map[string]string{
		"SELECT * FROM ontosql.compact('nothing')":              pgerr.UndefinedTable,
		"SELECT * FROM ontosql.compact('')":                     pgerr.UndefinedTable,
		"SELECT * FROM ontosql.compact('customers')":            pgerr.UndefinedTable,
		"SELECT * FROM ontosql.compact('customer', 'fast')":     pgerr.InvalidParameterValue,
		"SELECT * FROM ontosql.compact('customer', '')":         pgerr.InvalidParameterValue,
		"SELECT * FROM ontosql.compact()":                       pgerr.UndefinedFunction,
		"SELECT * FROM ontosql.compact(NULL)":                   pgerr.NullValueNotAllowed,
		"SELECT * FROM ontosql.compact('a', 'b', 'c')":          pgerr.UndefinedFunction,
		"SELECT ontosql.compact('customer')":                    pgerr.FeatureNotSupported,
		"SELECT ontosql.compact(table_name) FROM ontosql.types": pgerr.FeatureNotSupported,
	} {
		refused(t, s, code, sql)
	}
	if got := must(t, s, "SELECT entries FROM ontosql.index_health WHERE type_name = 'Customer'"); got[0] != "53" {
		t.Errorf("the index has %s entries", got)
	}
	file := fileHouse(t, fixtureCopy(t, "sqlite-v1"), false)
	if e := refused(t, file.session(t, "onto"), pgerr.FeatureNotSupported, compact); !strings.Contains(e.Message, "SQLite") {
		t.Errorf("in a SQLite file: %v", e)
	}
}

// TestCompactProgress asks from another session how far a compaction is.
func TestCompactProgress(t *testing.T) {
	disk := mem.New("demo")
	if err := demo.Fill(t.Context(), disk, nil); err != nil {
		t.Fatal(err)
	}
	var watcher wire.Session
	var watching atomic.Bool
	var seen []string
	h := openHouse(t, &faulty.Bucket{Bucket: disk, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
		mine := op == objstore.OpUpload || op == objstore.OpSwap && strings.HasSuffix(key, "/Customer.json")
		if !mine || !watching.CompareAndSwap(true, false) {
			return
		}
		seen = append(seen, must(t, watcher, `SELECT kind, type_kind, type_name, phase, rows_done, rows_total, pid, started_at <= now() FROM ontosql.progress`)...)
		seen = append(seen, must(t, watcher, `SELECT pid, datname, relid::regclass, command, phase, heap_tuples_scanned, heap_tuples_written FROM pg_stat_progress_cluster`)...)
		watching.Store(true)
	}}, false)
	watcher = h.session(t, "onto")
	s := h.session(t, "onto")
	watching.Store(true)
	must(t, s, "SELECT * FROM ontosql.compact('customer')")
	watching.Store(false)
	want := []string{
		"compaction|entity|Customer|merging files|192|192|7|true", "7|onto|customer|VACUUM FULL|seq scanning heap|192|192",
		"compaction|entity|Customer|publishing the index|192|192|7|true", "7|onto|customer|VACUUM FULL|swapping relation files|192|192",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("another session sees\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
	if left := must(t, watcher, "SELECT 1 FROM ontosql.progress UNION ALL SELECT 2 FROM pg_stat_progress_cluster"); len(left) > 0 {
		t.Errorf("after it there is still %q", left)
	}
}

// TestCopyProgress asks from another session how far a COPY is, and whether it is gone after its end
// and after an error.
func TestCopyProgress(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	c := h.copier(t)
	watcher := h.session(t, "onto")
	look := func() string {
		return strings.Join(append(
			must(t, watcher, `SELECT pid, kind, type_name, phase, rows_done > 0, rows_total FROM ontosql.progress WHERE kind <> 'mirror'`),
			must(t, watcher, `SELECT pid, relid::regclass, command, type, bytes_processed BETWEEN 7 * tuples_processed AND 11 * tuples_processed AND tuples_processed > 0, tuples_excluded FROM pg_stat_progress_copy`)...), "; ")
	}
	must(t, c, "CREATE TEMP TABLE boxes (name text, height bigint)")
	var data strings.Builder
	for n := range 20000 {
		fmt.Fprintf(&data, "%05d\t1\n", n)
	}
	for table, want := range map[string]string{
		"shelf": "8|copy from|Shelf|copying rows|true|NULL; 8|shelf|COPY FROM|PIPE|true|0",
		"boxes": "8|copy from|NULL|copying rows|true|NULL; 8|-|COPY FROM|PIPE|true|0",
	} {
		for _, end := range []string{"", "broken"} {
			var seen string
			pieces := 0
			c.before = func(context.Context) error {
				if pieces++; pieces == 15 {
					seen = look()
				}
				return nil
			}
			_, err := c.load(t, "COPY "+table+" FROM STDIN", strings.NewReader(data.String()+end))
			if seen != want || (err != nil) != (end != "") {
				t.Errorf("%s %s: %v; another session sees\n%s\nwant\n%s", table, end, err, seen, want)
			}
			if left := look(); left != "" {
				t.Errorf("%s %s: after it there is still %s", table, end, left)
			}
			must(t, c, "TRUNCATE boxes")
			if table == "shelf" {
				data.Reset()
				for n := range 20000 {
					fmt.Fprintf(&data, "x%05d\t1\n", n)
				}
			}
		}
	}
}

// TestCopyToProgress is TestCopyProgress of COPY TO.
func TestCopyToProgress(t *testing.T) {
	h := newHouse(t, shop(t))
	watcher := h.session(t, "onto")
	look := func() string {
		return strings.Join(append(
			must(t, watcher, `SELECT kind, type_name, phase, rows_done > 0 FROM ontosql.progress WHERE kind <> 'mirror'`),
			must(t, watcher, `SELECT relid::bigint, command, type, bytes_processed >= 7 * tuples_processed AND tuples_processed > 0 FROM pg_stat_progress_copy`)...), "; ")
	}
	conn := h.client(t)
	to := &watchedWriter{}
	var seen string
	to.each = func(bytes int) {
		if bytes > 1<<20 && seen == "" {
			seen = look()
		}
	}
	if _, err := conn.PgConn().CopyTo(t.Context(), to, "COPY (SELECT 1000000 + g FROM generate_series(1, 2000000) g) TO STDOUT"); err != nil {
		t.Fatal(err)
	}
	if want := "copy to|NULL|copying rows|true; 0|COPY TO|PIPE|true"; seen != want {
		t.Errorf("another session sees %s, want %s", seen, want)
	}
	if left := look(); left != "" {
		t.Errorf("after it there is still %s", left)
	}
}

// watchedWriter counts bytes.
type watchedWriter struct {
	bytes int
	each  func(bytes int)
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	w.bytes += len(p)
	w.each(w.bytes)
	return len(p), nil
}
