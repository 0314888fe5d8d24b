package gateway_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// TestLockedRowsWait: a row that SELECT FOR UPDATE has returned is not written or locked by
// others until the transaction ends. They see then what it has made of the row.
func TestLockedRowsWait(t *testing.T) {
	h, one, two := workspaceTable(t)
	for _, c := range []struct{ first, end, second, want string }{
		{"SELECT a FROM w.t WHERE a = 1 FOR UPDATE", "COMMIT", "UPDATE w.t SET b = 5 WHERE a = 1 RETURNING b", "5"},
		{"SELECT a FROM w.t WHERE a = 1 FOR UPDATE", "ROLLBACK", "UPDATE w.t SET b = b WHERE a = 1 RETURNING b", "5"},
		{"SELECT a FROM w.t WHERE a = 1 FOR NO KEY UPDATE", "COMMIT", "SELECT a, b FROM w.t ORDER BY a FOR UPDATE", "1|5 2|0"},
		{"SELECT a FROM w.t ORDER BY a LIMIT 1 FOR UPDATE", "COMMIT", "SELECT b FROM w.t WHERE a = 1 FOR SHARE", "5"},
		{"SELECT t.a FROM w.t JOIN w.t o ON o.a = t.a + 1 FOR UPDATE OF o", "COMMIT", "UPDATE w.t SET b = b + 1 WHERE a = 2 RETURNING b", "1"},
		{"UPDATE w.t SET b = 9 WHERE a = 1", "COMMIT", "SELECT b FROM w.t WHERE a = 1 FOR UPDATE", "9"},
		{"UPDATE w.t SET b = 10 WHERE a = 1", "COMMIT", "SELECT b FROM w.t WHERE b = 9 FOR UPDATE", ""}, // it is no such row any more
		{"DELETE FROM w.t WHERE a = 1", "ROLLBACK", "SELECT b FROM w.t WHERE a = 1 FOR UPDATE", "10"},
		{"DELETE FROM w.t WHERE a = 1", "COMMIT", "SELECT b FROM w.t WHERE a = 1 FOR UPDATE", ""},
	} {
		h.waits(t, one, c.first, c.end, two, c.second, c.want)
	}
	succeeds(t, one, "BEGIN")
	must(t, one, "SELECT a FROM w.t WHERE a = 2 FOR UPDATE")
	if got := must(t, two, "SELECT a, b FROM w.t"); strings.Join(got, " ") != "2|1" {
		t.Errorf("a reader sees %q", got)
	}
	tagged(t, two, "INSERT INTO w.t VALUES (3, 0)", "INSERT 0 1")
	tagged(t, two, "UPDATE w.t SET b = 1 WHERE a = 3", "UPDATE 1")
	if got := must(t, one, "SELECT a, b FROM w.t WHERE a = 2 FOR UPDATE"); strings.Join(got, " ") != "2|1" {
		t.Errorf("its own rows are %q", got)
	}
	tagged(t, one, "UPDATE w.t SET b = b + 1 WHERE a = 2", "UPDATE 1")
	succeeds(t, one, "COMMIT")
	if got := must(t, two, "SELECT a, b FROM w.t ORDER BY a"); strings.Join(got, " ") != "2|2 3|1" {
		t.Errorf("in the end there are %q", got)
	}
}

// TestLockedRowsAreNotWaitedFor: NOWAIT, SKIP LOCKED, lock_timeout, deadlocks and REPEATABLE READ.
func TestLockedRowsAreNotWaitedFor(t *testing.T) {
	h, one, two := workspaceTable(t)
	succeeds(t, one, "BEGIN")
	must(t, one, "SELECT a FROM w.t WHERE a = 1 FOR UPDATE")
	refused(t, two, pgerr.LockNotAvailable, "SELECT a FROM w.t FOR UPDATE NOWAIT")
	if got := must(t, two, "SELECT a FROM w.t WHERE a = 2 FOR UPDATE NOWAIT"); strings.Join(got, " ") != "2" {
		t.Errorf("the row that is free is %q", got)
	}
	if got := must(t, two, "SELECT a FROM w.t ORDER BY a LIMIT 1 FOR UPDATE SKIP LOCKED"); strings.Join(got, " ") != "2" {
		t.Errorf("SKIP LOCKED gives %q", got)
	}
	if got := must(t, two, "UPDATE w.t SET b = 7 WHERE a = (SELECT a FROM w.t ORDER BY a FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING a"); strings.Join(got, " ") != "2" {
		t.Errorf("an UPDATE by SKIP LOCKED writes %q", got)
	}
	if got := must(t, two, "WITH next AS (SELECT a FROM w.t ORDER BY a FOR UPDATE SKIP LOCKED LIMIT 1) DELETE FROM w.t USING next WHERE t.a = next.a RETURNING t.a"); strings.Join(got, " ") != "2" {
		t.Errorf("a DELETE by SKIP LOCKED removes %q", got)
	}
	refused(t, two, pgerr.LockNotAvailable, "UPDATE w.t SET b = 7 WHERE a IN (SELECT a FROM w.t FOR UPDATE NOWAIT)")
	refused(t, two, pgerr.FeatureNotSupported, "SELECT * FROM (SELECT a FROM w.t FOR UPDATE SKIP LOCKED) q")
	succeeds(t, two, "SET lock_timeout = 10")
	refused(t, two, pgerr.LockNotAvailable, "SELECT a FROM w.t FOR UPDATE")
	refused(t, two, pgerr.LockNotAvailable, "UPDATE w.t SET b = 1")
	succeeds(t, two, "RESET lock_timeout")
	succeeds(t, one, "SAVEPOINT s", "ROLLBACK TO s", "COMMIT")

	tagged(t, one, "INSERT INTO w.t VALUES (2, 0)", "INSERT 0 1")
	succeeds(t, one, "BEGIN")
	succeeds(t, two, "BEGIN")
	must(t, one, "SELECT a FROM w.t WHERE a = 1 FOR UPDATE")
	must(t, two, "SELECT a FROM w.t WHERE a = 2 FOR UPDATE")
	waits := begins(t, h, one, "SELECT a FROM w.t WHERE a = 2 FOR UPDATE")
	refused(t, two, pgerr.DeadlockDetected, "SELECT a FROM w.t WHERE a = 1 FOR UPDATE")
	succeeds(t, two, "ROLLBACK")
	comes(t, waits, "2")
	succeeds(t, one, "COMMIT")

	succeeds(t, one, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	must(t, one, "SELECT a FROM w.t")
	tagged(t, two, "UPDATE w.t SET b = 3 WHERE a = 1", "UPDATE 1")
	refused(t, one, pgerr.SerializationFailure, "SELECT a FROM w.t WHERE a = 1 FOR UPDATE")
	succeeds(t, one, "ROLLBACK", "BEGIN READ ONLY")
	refused(t, one, pgerr.ReadOnlySQLTransaction, "SELECT a FROM w.t FOR UPDATE")
	succeeds(t, one, "ROLLBACK")
}

// TestLockedBySubqueries: a clause of a subquery or a view locks the whole table, if the
// statement does not write it; places where nothing would be locked are refused.
func TestLockedBySubqueries(t *testing.T) {
	h, one, two := workspaceTable(t)
	succeeds(t, one, "CREATE VIEW w.v AS SELECT a FROM w.t WHERE a = 1", "CREATE TABLE w.u (a int)", "CREATE TEMP TABLE mine (a int)")
	tagged(t, one, "CREATE MATERIALIZED VIEW w.m AS SELECT 1 AS a", "SELECT 1")
	for _, first := range []string{
		"SELECT a FROM w.v FOR UPDATE", "SELECT * FROM (SELECT a FROM w.t) q FOR UPDATE", "SELECT * FROM (SELECT a FROM w.t FOR UPDATE) q",
		"SELECT 1 WHERE 1 IN (SELECT a FROM w.t FOR UPDATE)", "INSERT INTO w.u SELECT a FROM w.t FOR UPDATE RETURNING a",
	} {
		h.waits(t, one, first, "COMMIT", two, "UPDATE w.t SET b = 1 WHERE a = 2 RETURNING a", "2")
	}
	refused(t, one, pgerr.WrongObjectType, "SELECT * FROM w.m FOR UPDATE")
	refused(t, one, pgerr.FeatureNotSupported, "CREATE TABLE w.c AS SELECT a FROM w.t FOR UPDATE")
	succeeds(t, one, "BEGIN")
	if got := must(t, one, "SELECT a FROM mine FOR UPDATE"); len(got) > 0 {
		t.Errorf("the temporary table has %q", got)
	}
	must(t, one, "SELECT i.sku FROM item i JOIN w.t ON true FOR UPDATE OF i") // rows of a type need no lock
	tagged(t, two, "UPDATE w.t SET b = 2", "UPDATE 2")
	tagged(t, one, "DECLARE c CURSOR FOR SELECT a FROM w.t ORDER BY a FOR UPDATE", "DECLARE CURSOR")
	if got := must(t, one, "FETCH 1 FROM c"); strings.Join(got, " ") != "1" {
		t.Errorf("the cursor begins with %q", got)
	}
	waits := begins(t, h, two, "UPDATE w.t SET b = 4 WHERE a = 1 RETURNING a")
	succeeds(t, one, "COMMIT")
	comes(t, waits, "1")
}

// TestQueueOfJobs: sessions that take jobs with SKIP LOCKED get each job once, and counters that
// are read FOR UPDATE lose no step.
func TestQueueOfJobs(t *testing.T) {
	h, one, _ := workspaceTable(t)
	const jobs, workers = 60, 6
	succeeds(t, one, "CREATE TABLE w.job (id int PRIMARY KEY, taken int)", "CREATE TABLE w.done (id int, worker int)")
	tagged(t, one, fmt.Sprintf("INSERT INTO w.job SELECT g FROM generate_series(1, %d) g", jobs), fmt.Sprintf("INSERT 0 %d", jobs))
	var all sync.WaitGroup
	for w := range workers {
		s := h.session(t, "onto")
		all.Go(func() {
			for {
				succeeds(t, s, "BEGIN")
				got, err := ask(t, s, "SELECT id FROM w.job WHERE taken IS NULL ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED")
				if err != nil || len(got) == 0 {
					if err != nil {
						t.Errorf("worker %d: %v", w, err)
					}
					succeeds(t, s, "ROLLBACK")
					return
				}
				for _, sql := range []string{
					fmt.Sprintf("UPDATE w.job SET taken = %d WHERE id = %s", w, got[0]),
					fmt.Sprintf("INSERT INTO w.done VALUES (%s, %d)", got[0], w),
				} {
					if _, err := ask(t, s, sql); err != nil {
						t.Errorf("worker %d: %s: %v", w, sql, err)
					}
				}
				b, err := ask(t, s, "SELECT b FROM w.t WHERE a = 1 FOR UPDATE")
				if err != nil || len(b) != 1 {
					t.Errorf("worker %d: the counter is %q, %v", w, b, err)
					return
				}
				n, _ := strconv.Atoi(b[0])
				tagged(t, s, fmt.Sprintf("UPDATE w.t SET b = %d WHERE a = 1", n+1), "UPDATE 1")
				succeeds(t, s, "COMMIT")
			}
		})
	}
	all.Wait()
	if got := must(t, one, "SELECT count(*), count(DISTINCT id) FROM w.done")[0]; got != fmt.Sprintf("%d|%[1]d", jobs) {
		t.Errorf("jobs done, and different ones: %s, want %d of each", got, jobs)
	}
	if got := must(t, one, "SELECT b FROM w.t WHERE a = 1")[0]; got != strconv.Itoa(jobs) {
		t.Errorf("the counter has %s, want %d", got, jobs)
	}
}
