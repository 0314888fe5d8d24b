package gateway_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/pgerr"
)

// TestMigrationUnderWriters rewrites a table that other sessions write to all the time. The
// statement waits for the lock once and no commit comes before it. Readers continue, no row is
// lost, and all rows have the new form.
func TestMigrationUnderWriters(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	s, reader := h.session(t, "onto"), h.session(t, "onto")
	const loaded, writers = 20_000, 3
	must(t, s, fmt.Sprintf("INSERT INTO shelf SELECT 's' || n, n FROM generate_series(1, %d) AS n", loaded))
	var stop atomic.Bool
	var written, read atomic.Int64
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop.Store(true)
	for w := range writers {
		s := h.session(t, "onto")
		wg.Go(func() {
			for n := 0; !stop.Load(); n++ {
				if _, err := ask(t, s, fmt.Sprintf("INSERT INTO shelf (name, height) VALUES ('w%d %d', %d)", w, n, n)); err != nil {
					t.Errorf("writer %d, row %d: %v", w, n, err)
					return
				}
				written.Add(1)
			}
		})
	}
	wg.Go(func() {
		for !stop.Load() {
			if _, err := ask(t, reader, "SELECT count(*) FROM shelf"); err != nil {
				t.Errorf("a reader: %v", err)
				return
			}
			read.Add(1)
		}
	})
	for _, sql := range []string{
		"ALTER TABLE shelf ADD COLUMN wood text NOT NULL DEFAULT 'oak'",
		"ALTER TABLE shelf ALTER COLUMN height TYPE double precision USING height + 0.5",
		"ALTER TABLE shelf RENAME COLUMN wood TO material",
	} {
		before := written.Load()
		must(t, s, sql)
		for written.Load() < before+2*writers && !t.Failed() { // they write on, by the new schema
			must(t, s, "SELECT 1")
		}
	}
	stop.Store(true)
	wg.Wait()
	if got, want := must(t, s, "SELECT count(*), count(*) FILTER (WHERE material = 'oak') FROM shelf"), loaded+written.Load(); got[0] != fmt.Sprintf("%d|%d", want, want) {
		t.Errorf("the table has %s rows, and rows of oak, want %d of both", got, want)
	}
	if got := must(t, s, fmt.Sprintf("SELECT count(*) FROM shelf WHERE name LIKE 's%%' AND height = substr(name, 2)::bigint + 0.5")); got[0] != fmt.Sprint(loaded) {
		t.Errorf("%s of the %d rows were changed as they should", got, loaded)
	}
	if read.Load() == 0 {
		t.Error("nobody read anything meanwhile")
	}
}

// TestMigrationOfManyRows writes as many as go straight into their file: those that
// change, all or none.
func TestMigrationOfManyRows(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	s := h.session(t, "onto")
	must(t, s, "INSERT INTO shelf SELECT 's' || n, n FROM generate_series(1, 30000) AS n")
	if e := refused(t, s, pgerr.DivisionByZero, "ALTER TABLE shelf ALTER COLUMN height TYPE bigint USING height / (height - 29999)"); e.Detail != "Key (name)=(s29999)." {
		t.Errorf("the row that fails is told as %q", e.Detail)
	}
	answers(t, s, "SELECT max(commit_id) FROM ontosql.commits", "2")
	const bound = 12_000
	must(t, s, fmt.Sprintf("ALTER TABLE shelf ALTER COLUMN height TYPE bigint USING CASE WHEN height > %d THEN -height ELSE height END", bound))
	if got := must(t, s, "SELECT row_count FROM ontosql.commits ORDER BY commit_id DESC LIMIT 1"); !cmp.Equal(got, []string{fmt.Sprint(30_000 - bound)}) {
		t.Errorf("%s rows were written again, want those that changed", got)
	}
	if got := must(t, s, fmt.Sprintf("SELECT count(*), count(*) FILTER (WHERE substr(name, 2)::bigint = CASE WHEN height < -%d THEN -height WHEN height > 0 THEN height END) FROM shelf", bound)); !cmp.Equal(got, []string{"30000|30000"}) {
		t.Errorf("the table has %s rows, and of them as they should be", got)
	}
	must(t, s, "UPDATE shelf SET height = 0 WHERE name = 's29999'")
	answers(t, s, "SELECT commit_id, height, is_current FROM history.shelf WHERE name = 's29999' ORDER BY commit_id", "2|29999|false", "3|-29999|false", "4|0|true")
}

// TestMigrationWaitsForTheLock: a migration that rewrites rows waits for a lock as
// every write does, and one that fails or is cancelled gives it back.
func TestMigrationWaitsForTheLock(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	s, writer := h.session(t, "onto"), h.session(t, "onto")
	must(t, s, "INSERT INTO shelf SELECT 's' || n, n FROM generate_series(1, 10) AS n")
	w := &original.Writer{Bucket: h.bucket, Owner: "someone"}
	if err := w.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	must(t, s, "SET lock_timeout = '100ms'")
	refused(t, s, pgerr.LockNotAvailable, "ALTER TABLE shelf ALTER COLUMN height TYPE text")
	w.Release(t.Context())
	must(t, s, "RESET lock_timeout")

	refused(t, s, pgerr.DivisionByZero, "ALTER TABLE shelf ALTER COLUMN height TYPE bigint USING height / (height - 3)")
	must(t, writer, "INSERT INTO shelf VALUES ('a', 1)")
	must(t, s, "ALTER TABLE shelf ALTER COLUMN height TYPE text USING 'h' || height")
	must(t, writer, "INSERT INTO shelf VALUES ('c', 'h1')")
	answers(t, s, "SELECT count(*) FROM shelf WHERE height LIKE 'h%'", "12")
}
