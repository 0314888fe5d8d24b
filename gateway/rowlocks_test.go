package gateway_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// TestRowLocksConflict: which row locks exclude each other (PostgreSQL manual, table 13.3), and
// that a change of the row is excluded by all.
func TestRowLocksConflict(t *testing.T) {
	asksNoMirror(t)
	_, one, two := workspaceTable(t)
	clauses := []string{"FOR KEY SHARE", "FOR SHARE", "FOR NO KEY UPDATE", "FOR UPDATE"}
	for i, held := range clauses {
		for j, asked := range clauses {
			succeeds(t, one, "BEGIN")
			must(t, one, "SELECT * FROM w.t WHERE a = 1 "+held)
			query := "SELECT a FROM w.t WHERE a = 1 " + asked + " NOWAIT"
			if i+j >= 3 {
				e := refused(t, two, pgerr.LockNotAvailable, query)
				if want := `could not obtain lock on row in relation "t"`; e.Message != want {
					t.Errorf("the message is %q, want %q", e.Message, want)
				}
			} else if got := must(t, two, query); len(got) != 1 {
				t.Errorf("%s after %s: %q", asked, held, got)
			}
			must(t, two, "SELECT a FROM w.t WHERE a = 2 "+asked+" NOWAIT") // another row
			must(t, two, "SELECT a FROM w.t")
			succeeds(t, one, "COMMIT")
			must(t, two, query) // it is free
		}
		succeeds(t, one, "BEGIN")
		must(t, one, "SELECT * FROM w.t WHERE a = 1 "+held)
		succeeds(t, two, "SET lock_timeout = 20")
		refused(t, two, pgerr.LockNotAvailable, "UPDATE w.t SET b = 1 WHERE a = 1")
		refused(t, two, pgerr.LockNotAvailable, "DELETE FROM w.t WHERE a = 1")
		succeeds(t, two, "SET lock_timeout = 0")
		tagged(t, one, "UPDATE w.t SET b = 0 WHERE a = 1", "UPDATE 1") // its own
		refused(t, two, pgerr.LockNotAvailable, "SELECT FROM w.t WHERE a = 1 FOR UPDATE NOWAIT")
		succeeds(t, one, "ROLLBACK")
	}
}

// TestLockedRowIsReadAgain: who waited for a row gets its newest version, if that still meets the
// condition. REPEATABLE READ fails if the row was changed, and goes on if it was only locked.
func TestLockedRowIsReadAgain(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	lock := "SELECT a, b FROM w.t WHERE a = 1 FOR UPDATE"
	h.waits(t, one, lock, "COMMIT", two, lock, "1|0")
	h.waits(t, one, "UPDATE w.t SET b = b + 1 WHERE a = 1", "COMMIT", two, lock, "1|1")
	h.waits(t, one, "UPDATE w.t SET b = b + 1 WHERE a = 1", "ROLLBACK", two, lock, "1|1")
	h.waits(t, one, lock, "COMMIT", two, "UPDATE w.t SET b = b + 1 WHERE a = 1 RETURNING b", "2")
	h.waits(t, one, "UPDATE w.t SET b = 9 WHERE a = 1", "COMMIT", two, "SELECT a FROM w.t WHERE b = 2 FOR SHARE", "")
	h.waits(t, one, "DELETE FROM w.t WHERE a = 2", "COMMIT", two, "SELECT a FROM w.t ORDER BY a FOR UPDATE", "1")
	h.waits(t, one, "UPDATE w.t SET b = 3 WHERE a = 1", "COMMIT", two, "SELECT a, b FROM w.t WHERE a = 1 FOR KEY SHARE", "1|3")

	kept := func(first, want string) {
		t.Helper()
		succeeds(t, two, "BEGIN ISOLATION LEVEL REPEATABLE READ")
		must(t, two, "SELECT * FROM w.t")
		h.waits(t, one, first, "COMMIT", two, lock, want)
		succeeds(t, two, "ROLLBACK")
	}
	kept(lock, "1|3")
	kept("UPDATE w.t SET b = 4 WHERE a = 1", pgerr.SerializationFailure)
	succeeds(t, two, "BEGIN ISOLATION LEVEL SERIALIZABLE")
	must(t, two, "SELECT * FROM w.t")
	tagged(t, one, "UPDATE w.t SET b = 5 WHERE a = 1", "UPDATE 1")
	e := refused(t, two, pgerr.SerializationFailure, lock)
	if want := "could not serialize access due to concurrent update"; e.Message != want {
		t.Errorf("the message is %q, want %q", e.Message, want)
	}
	succeeds(t, two, "ROLLBACK")
}

// TestLockedRowsAreThoseReturned: LIMIT, conditions, joins, OF, subqueries, views and cursors
// decide which rows are locked. SKIP LOCKED shows what is left.
func TestLockedRowsAreThoseReturned(t *testing.T) {
	_, one, two := workspaceTable(t)
	succeeds(t, one, "CREATE TABLE w.u (x int PRIMARY KEY, a int)", "CREATE VIEW w.v AS SELECT a AS n, b FROM w.t WHERE b = 0", "CREATE TEMP TABLE own (a int)")
	tagged(t, one, "INSERT INTO w.t SELECT i, 0 FROM generate_series(3, 5) i", "INSERT 0 3")
	tagged(t, one, "INSERT INTO w.u VALUES (1, 1), (2, 2), (3, NULL)", "INSERT 0 3")
	for _, c := range []struct{ query, t, u string }{
		{"SELECT * FROM w.t WHERE a > 3 FOR UPDATE", "1 2 3", "1 2 3"},
		{"SELECT * FROM w.t ORDER BY a LIMIT 2 FOR UPDATE", "3 4 5", "1 2 3"},
		{"SELECT * FROM w.t ORDER BY a DESC LIMIT 1 FOR UPDATE", "1 2 3 4", "1 2 3"},
		{"SELECT FROM w.t ORDER BY b FETCH FIRST 1 ROW WITH TIES FOR UPDATE", "", "1 2 3"},
		{"SELECT * FROM w.t JOIN w.u USING (a) FOR UPDATE", "3 4 5", "3"},
		{"SELECT * FROM w.t JOIN w.u USING (a) FOR UPDATE OF u", "1 2 3 4 5", "3"},
		{"SELECT * FROM w.u LEFT JOIN w.t USING (a) FOR UPDATE OF u", "1 2 3 4 5", ""},
		{"SELECT * FROM w.t x JOIN w.u y USING (a) FOR UPDATE OF x FOR SHARE OF y", "3 4 5", "3"},
		{"SELECT * FROM (SELECT * FROM w.t WHERE a < 3) AS q FOR UPDATE", "3 4 5", "1 2 3"},
		{"SELECT * FROM (SELECT * FROM w.t ORDER BY a LIMIT 1 FOR UPDATE) AS q", "2 3 4 5", "1 2 3"},
		{"SELECT * FROM w.v WHERE n = 2 FOR UPDATE", "1 3 4 5", "1 2 3"},
		{"SELECT x FROM w.u WHERE a IN (SELECT a FROM w.t WHERE a < 2 FOR UPDATE)", "2 3 4 5", "1 2 3"},
		{"WITH q AS (SELECT a FROM w.t ORDER BY a LIMIT 1 FOR UPDATE) SELECT count(*) FROM q, q r", "2 3 4 5", "1 2 3"},
		{"WITH q AS (SELECT a FROM w.t ORDER BY a LIMIT 1 FOR UPDATE) UPDATE w.u SET a = 7 FROM q WHERE u.a = q.a", "2 3 4 5", "2 3"},
		{"WITH q AS (SELECT a FROM w.t WHERE a = 4 FOR UPDATE), d AS (DELETE FROM w.u RETURNING x) SELECT a FROM q", "1 2 3 5", ""},
		{"UPDATE w.u SET a = 5 WHERE x = (SELECT a FROM w.t WHERE a = 3 FOR UPDATE)", "1 2 4 5", "1 2"},
		{"INSERT INTO own SELECT a FROM w.t WHERE a = 3 FOR UPDATE", "1 2 4 5", "1 2 3"},
		{"CREATE TABLE w.made AS SELECT a FROM w.t WHERE a = 3 FOR UPDATE", "1 2 4 5", "1 2 3"},
		{"DECLARE c CURSOR FOR SELECT a FROM w.t WHERE a < 4 FOR UPDATE", "4 5", "1 2 3"},
		{"PREPARE p AS SELECT a FROM w.t WHERE a = 4 FOR UPDATE", "1 2 3 4 5", "1 2 3"},
		{"EXECUTE p", "1 2 3 5", "1 2 3"},
		{"EXPLAIN SELECT a FROM w.t FOR UPDATE", "1 2 3 4 5", "1 2 3"},
		{"EXPLAIN ANALYZE SELECT a FROM w.t FOR UPDATE", "", "1 2 3"},
		{"SELECT * FROM own FOR UPDATE", "1 2 3 4 5", "1 2 3"},
		{"SELECT * FROM item FOR UPDATE", "1 2 3 4 5", "1 2 3"},
	} {
		succeeds(t, one, "BEGIN")
		if _, err := ask(t, one, c.query); err != nil {
			t.Errorf("%s: %v", c.query, err)
		}
		for table, want := range map[string]string{"SELECT a FROM w.t": c.t, "SELECT x FROM w.u": c.u} {
			if got := strings.Join(must(t, two, table+" ORDER BY 1 FOR UPDATE SKIP LOCKED"), " "); got != want {
				t.Errorf("after %s, %s finds %q free, want %q", c.query, table, got, want)
			}
		}
		succeeds(t, one, "ROLLBACK")
	}
}

// TestRowLocksEnd: with the transaction, with ROLLBACK TO and with the session.
func TestRowLocksEnd(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	free := func(want string) {
		t.Helper()
		if got := strings.Join(must(t, two, "SELECT a FROM w.t ORDER BY a FOR UPDATE SKIP LOCKED"), " "); got != want {
			t.Errorf("%q is free, want %q", got, want)
		}
	}
	must(t, one, "SELECT a FROM w.t FOR UPDATE") // its transaction has ended
	free("1 2")
	succeeds(t, one, "BEGIN")
	must(t, one, "SELECT a FROM w.t WHERE a = 1 FOR UPDATE")
	succeeds(t, one, "SAVEPOINT s")
	must(t, one, "SELECT a FROM w.t WHERE a = 2 FOR UPDATE")
	free("")
	waits := begins(t, h, two, "SELECT a FROM w.t WHERE a = 2 FOR UPDATE")
	tagged(t, one, "ROLLBACK TO s", "ROLLBACK")
	comes(t, waits, "2")
	free("2")
	for _, mode := range []string{"RowShareLock", "ExclusiveLock"} {
		if got := must(t, two, "SELECT count(*) FROM pg_locks WHERE granted AND mode = '"+mode+"'")[0]; got != "1" {
			t.Errorf("pg_locks has %s of %s", got, mode)
		}
	}
	refused(t, one, pgerr.DivisionByZero, "SELECT 1/0")
	succeeds(t, one, "ROLLBACK")
	free("1 2")
}

// TestDeadlockOfRowLocks: two transactions that have a row FOR SHARE cannot both change it.
func TestDeadlockOfRowLocks(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	for _, s := range []wire.Session{one, two} {
		succeeds(t, s, "BEGIN")
		must(t, s, "SELECT * FROM w.t WHERE a = 1 FOR SHARE")
	}
	waits := begins(t, h, one, "UPDATE w.t SET b = 1 WHERE a = 1 RETURNING b")
	e := refused(t, two, pgerr.DeadlockDetected, "SELECT * FROM w.t WHERE a = 1 FOR UPDATE")
	if !strings.Contains(e.Detail, "waits for ShareLock on transaction") {
		t.Errorf("the detail is %q", e.Detail)
	}
	succeeds(t, two, "ROLLBACK")
	comes(t, waits, "1")
	succeeds(t, one, "COMMIT")
}

// TestRowLocksAndDefinitions: a table whose rows are locked is not dropped, and who waited for a
// change of the table locks the rows of the new one.
func TestRowLocksAndDefinitions(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	h.waits(t, one, "SELECT * FROM w.t FOR KEY SHARE", "COMMIT", two, "ALTER TABLE w.t ADD COLUMN c int DEFAULT 3", "")
	h.waits(t, one, "ALTER TABLE w.t ALTER COLUMN c TYPE bigint", "COMMIT", two, "SELECT a, c FROM w.t ORDER BY a FOR UPDATE", "1|3 2|3")
	h.waits(t, one, "LOCK TABLE w.t IN EXCLUSIVE MODE", "COMMIT", two, "SELECT a FROM w.t ORDER BY a FOR KEY SHARE NOWAIT", "1 2")
	succeeds(t, one, "BEGIN READ ONLY")
	e := refused(t, one, pgerr.ReadOnlySQLTransaction, "SELECT * FROM w.t FOR SHARE")
	if want := "cannot execute SELECT FOR SHARE in a read-only transaction"; e.Message != want {
		t.Errorf("the message is %q, want %q", e.Message, want)
	}
	succeeds(t, one, "ROLLBACK")
	h.waits(t, one, "SELECT * FROM w.t FOR UPDATE", "COMMIT", two, "DROP TABLE w.t", "")
}

// TestNoUpdateIsLost: sessions that read a row FOR UPDATE and write what they computed from it
// count all rounds.
func TestNoUpdateIsLost(t *testing.T) {
	asksNoMirror(t)
	h, one, _ := workspaceTable(t)
	const sessions, rounds = 6, 10
	var all sync.WaitGroup
	for i := range sessions {
		s := h.session(t, "onto")
		all.Go(func() {
			for range rounds {
				read := "SELECT b FROM w.t WHERE a = 1 FOR UPDATE"
				if i%2 == 0 {
					read = "SELECT t.b FROM w.t JOIN w.t AS o ON o.a = t.a WHERE t.a = 1 FOR NO KEY UPDATE OF t"
				}
				_, err := ask(t, s, "BEGIN")
				var rows []string
				if err == nil {
					rows, err = ask(t, s, read)
				}
				if err == nil { // the lock and the write have different numbers
					_, err = ask(t, s, "SAVEPOINT s")
				}
				if err == nil && len(rows) != 1 {
					err = fmt.Errorf("%s: %d rows", read, len(rows))
				}
				if err == nil {
					b, _ := strconv.Atoi(rows[0])
					_, err = ask(t, s, fmt.Sprintf("UPDATE w.t SET b = %d WHERE a = 1", b+1))
				}
				if err == nil {
					_, err = ask(t, s, "COMMIT")
				}
				if err != nil {
					t.Errorf("session %d: %v", i, err)
					return
				}
			}
		})
	}
	all.Wait()
	if got, want := must(t, one, "SELECT b FROM w.t WHERE a = 1")[0], strconv.Itoa(sessions*rounds); got != want {
		t.Errorf("the counter is %s, want %s", got, want)
	}
}

// TestRowLocksAndTypes: a transaction may lock rows of the workspace and write the ontology. A
// statement that does both and meets a lock fails.
func TestRowLocksAndTypes(t *testing.T) {
	_, one, two := workspaceTable(t)
	succeeds(t, one, "BEGIN")
	must(t, one, "SELECT * FROM w.t WHERE a = 1 FOR UPDATE")
	tagged(t, one, "INSERT INTO shelf VALUES ('top', 1)", "INSERT 0 1")
	tagged(t, one, "INSERT INTO shelf SELECT 'shelf ' || a, a FROM w.t WHERE a = 1 FOR UPDATE", "INSERT 0 1")
	if got := must(t, two, "SELECT a FROM w.t FOR UPDATE SKIP LOCKED"); len(got) != 1 || got[0] != "2" {
		t.Errorf("%q is free, want 2", got)
	}
	for _, query := range []string{
		"INSERT INTO shelf SELECT 'other ' || a, a FROM w.t FOR UPDATE",
		"WITH n AS (INSERT INTO shelf VALUES ('other', 1) RETURNING height) SELECT * FROM w.t, n WHERE a = 1 FOR UPDATE OF t",
	} {
		refused(t, two, pgerr.SerializationFailure, query)
	}
	succeeds(t, one, "COMMIT")
	tagged(t, two, "INSERT INTO shelf SELECT 'other ' || a, a FROM w.t FOR UPDATE", "INSERT 0 2")
	if got := must(t, one, "SELECT count(*) FROM shelf")[0]; got != "4" {
		t.Errorf("there are %s rows, want 4", got)
	}
}

// TestJobQueue: each job goes to one worker.
func TestJobQueue(t *testing.T) {
	asksNoMirror(t)
	h, one, _ := workspaceTable(t)
	const jobs, workers = 60, 6
	succeeds(t, one, "CREATE TABLE w.job (id int PRIMARY KEY, taken int NOT NULL DEFAULT 0)", "CREATE TABLE w.done (id int)")
	tagged(t, one, fmt.Sprintf("INSERT INTO w.job SELECT i FROM generate_series(1, %d) i", jobs), fmt.Sprintf("INSERT 0 %d", jobs))
	var all sync.WaitGroup
	for i := range workers {
		s := h.session(t, "onto")
		all.Go(func() {
			run := func(sql string) []string {
				rows, err := ask(t, s, sql)
				if err != nil {
					t.Errorf("worker %d, %s: %v", i, sql, err)
				}
				return rows
			}
			for !t.Failed() {
				var job []string
				switch i % 3 {
				case 0:
					run("BEGIN")
					if job = run("SELECT id FROM w.job WHERE taken = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"); len(job) == 1 {
						run("UPDATE w.job SET taken = taken + 1 WHERE id = " + job[0])
					}
				case 1:
					run("BEGIN")
					job = run("UPDATE w.job SET taken = taken + 1 WHERE id = (SELECT id FROM w.job WHERE taken = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id")
				case 2:
					run("BEGIN")
					job = run("WITH next AS (SELECT id FROM w.job WHERE taken = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE w.job SET taken = taken + 1 FROM next WHERE job.id = next.id RETURNING job.id")
				}
				if len(job) == 1 {
					run("INSERT INTO w.done VALUES (" + job[0] + ")")
				}
				run("COMMIT")
				if len(job) == 0 { // the jobs that are left are those of others
					return
				}
			}
		})
	}
	all.Wait()
	if got, want := must(t, one, "SELECT count(*), count(DISTINCT id) FROM w.done")[0], fmt.Sprintf("%d|%d", jobs, jobs); got != want {
		t.Errorf("%s jobs were done, want %s", got, want)
	}
	if got, want := must(t, one, "SELECT min(taken), max(taken), sum(taken) FROM w.job")[0], fmt.Sprintf("1|1|%d", jobs); got != want {
		t.Errorf("jobs were taken %s times, want %s", got, want)
	}
}

// TestWaitForRowLockEnds: with lock_timeout, statement_timeout and cancellation.
func TestWaitForRowLockEnds(t *testing.T) {
	asksNoMirror(t)
	_, one, two := workspaceTable(t)
	succeeds(t, one, "BEGIN")
	must(t, one, "SELECT * FROM w.t FOR UPDATE")
	lock := "SELECT * FROM w.t WHERE a = 1 FOR SHARE"
	succeeds(t, two, "SET lock_timeout = 20")
	refused(t, two, pgerr.LockNotAvailable, lock)
	succeeds(t, two, "SET lock_timeout = 0", "SET statement_timeout = 20")
	refused(t, two, pgerr.QueryCanceled, lock)
	succeeds(t, two, "SET statement_timeout = 0")
	succeeds(t, one, "COMMIT")
	must(t, two, lock)
}

// TestManyLockedRows: the order and the number of rows stay those of the query, and a lock among
// many is met.
func TestManyLockedRows(t *testing.T) {
	asksNoMirror(t)
	_, one, two := workspaceTable(t)
	const rows = 20_000
	tagged(t, one, fmt.Sprintf("INSERT INTO w.t SELECT i, -i FROM generate_series(3, %d) i", rows), fmt.Sprintf("INSERT 0 %d", rows-2))
	succeeds(t, one, "BEGIN")
	got := must(t, one, "SELECT a FROM w.t WHERE a > 2 ORDER BY b FOR UPDATE")
	for i, a := range got {
		if a != strconv.Itoa(rows-i) {
			t.Fatalf("row %d of %d is %s, want %d", i, len(got), a, rows-i)
		}
	}
	if free := must(t, two, "SELECT a FROM w.t ORDER BY a FOR UPDATE SKIP LOCKED"); strings.Join(free, " ") != "1 2" {
		t.Errorf("%d rows are free, want 2", len(free))
	}
	succeeds(t, one, "ROLLBACK")
	succeeds(t, two, "BEGIN")
	must(t, two, "SELECT a FROM w.t WHERE a = 7777 FOR UPDATE")
	refused(t, one, pgerr.LockNotAvailable, "SELECT a FROM w.t FOR UPDATE NOWAIT")
	succeeds(t, two, "ROLLBACK")
}
