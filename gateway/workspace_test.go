package gateway_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// outcome is what a statement of another session came to.
type outcome struct {
	rows []string
	err  error
}

// begins runs a statement in the background and waits until it waits for a lock.
func begins(t *testing.T, h *house, s wire.Session, sql string) <-chan outcome {
	t.Helper()
	done := make(chan outcome, 1)
	go func() {
		rows, err := ask(t, s, sql)
		done <- outcome{rows, err}
	}()
	watcher := h.session(t, "onto")
	for until := time.Now().Add(testenv.Patience); must(t, watcher, "SELECT count(*) FROM pg_locks WHERE NOT granted")[0] == "0"; {
		select {
		case o := <-done:
			t.Fatalf("%s did not wait: %q, %v", sql, o.rows, o.err)
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(until) {
			t.Fatalf("%s waits for no lock", sql)
		}
	}
	return done
}

// comes checks what a statement in the background came to: rows, or a SQLSTATE.
func comes(t *testing.T, done <-chan outcome, want string) {
	t.Helper()
	select {
	case o := <-done:
		got := strings.Join(o.rows, " ")
		if e := (*pgerr.Error)(nil); errors.As(o.err, &e) {
			got = e.Code
		}
		if got != want {
			t.Errorf("the statement that waited came to %q (%v), want %q", got, o.err, want)
		}
	case <-time.After(testenv.Patience):
		t.Fatal("the statement still waits")
	}
}

// waits checks that a statement waits for the end of a transaction that has run another one, and
// what it answers then.
func (h *house) waits(t *testing.T, one wire.Session, first, end string, two wire.Session, second, want string) {
	t.Helper()
	succeeds(t, one, "BEGIN")
	must(t, one, first)
	answer := begins(t, h, two, second)
	succeeds(t, one, end)
	comes(t, answer, want)
}

// workspaceTable are two sessions and the table w.t of a and b.
func workspaceTable(t *testing.T) (h *house, one, two wire.Session) {
	t.Helper()
	h = newHouse(t, shop(t))
	one, two = h.session(t, "onto"), h.session(t, "onto")
	succeeds(t, one, "CREATE SCHEMA w", "CREATE TABLE w.t (a int PRIMARY KEY, b int)")
	tagged(t, one, "INSERT INTO w.t VALUES (1, 0), (2, 0)", "INSERT 0 2")
	return h, one, two
}

// TestWritersOfOneRowWait: the second writer sees what the first has committed, or that it
// rolled back, as READ COMMITTED does.
func TestWritersOfOneRowWait(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	succeeds(t, one, "BEGIN")
	tagged(t, one, "UPDATE w.t SET b = b + 1 WHERE a = 1", "UPDATE 1")
	tagged(t, two, "UPDATE w.t SET b = b + 5 WHERE a = 2", "UPDATE 1") // another row
	if got := must(t, two, "SELECT b FROM w.t WHERE a = 1")[0]; got != "0" {
		t.Errorf("a reader sees %s, which is not committed", got)
	}
	waits := begins(t, h, two, "UPDATE w.t SET b = b * 10 WHERE b > 0 OR a = 1 RETURNING a, b")
	succeeds(t, one, "COMMIT")
	comes(t, waits, "1|10 2|50")

	h.waits(t, one, "DELETE FROM w.t WHERE a = 1", "ROLLBACK", two, "UPDATE w.t SET b = 7 WHERE a = 1 RETURNING a, b", "1|7")

	succeeds(t, one, "BEGIN", "SAVEPOINT s")
	tagged(t, one, "UPDATE w.t SET b = 8 WHERE a = 1", "UPDATE 1")
	waits = begins(t, h, two, "DELETE FROM w.t WHERE a = 1 RETURNING b")
	tagged(t, one, "ROLLBACK TO s", "ROLLBACK") // gives the row free at once
	comes(t, waits, "7")
	succeeds(t, one, "COMMIT")
}

// TestKeysOfRunningTransactions: whether a key is a duplicate is known when the transaction
// that has it ends.
func TestKeysOfRunningTransactions(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	for _, c := range []struct{ first, end, second, want string }{
		{"INSERT INTO w.t VALUES (7, 1)", "COMMIT", "INSERT INTO w.t VALUES (7, 2)", pgerr.UniqueViolation},
		{"INSERT INTO w.t VALUES (8, 1)", "ROLLBACK", "INSERT INTO w.t VALUES (8, 2) RETURNING b", "2"},
		{"DELETE FROM w.t WHERE a = 8", "COMMIT", "INSERT INTO w.t VALUES (8, 3) RETURNING b", "3"},
		{"DELETE FROM w.t WHERE a = 8", "ROLLBACK", "INSERT INTO w.t VALUES (8, 4)", pgerr.UniqueViolation},
		{"INSERT INTO w.t VALUES (9, 1)", "COMMIT", "INSERT INTO w.t VALUES (9, 5) ON CONFLICT (a) DO UPDATE SET b = t.b + excluded.b RETURNING b", "6"},
		{"INSERT INTO w.t VALUES (10, 1)", "COMMIT", "INSERT INTO w.t VALUES (10, 5) ON CONFLICT DO NOTHING RETURNING b", ""},
		{"UPDATE w.t SET a = 11 WHERE a = 10", "COMMIT", "UPDATE w.t SET a = 11 WHERE a = 9", pgerr.UniqueViolation},
	} {
		h.waits(t, one, c.first, c.end, two, c.second, c.want)
	}
}

// TestKeptSnapshots: REPEATABLE READ sees the rows of its start, and may not change those that
// others have changed since.
func TestKeptSnapshots(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	succeeds(t, one, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	must(t, one, "SELECT * FROM w.t")
	tagged(t, two, "UPDATE w.t SET b = 1 WHERE a = 1", "UPDATE 1")
	tagged(t, two, "INSERT INTO w.t VALUES (3, 0)", "INSERT 0 1")
	if got := strings.Join(must(t, one, "SELECT a, b FROM w.t ORDER BY 1"), " "); got != "1|0 2|0" {
		t.Errorf("the transaction sees %q, want what it saw first", got)
	}
	tagged(t, one, "UPDATE w.t SET b = 9 WHERE a = 2", "UPDATE 1")
	if got := strings.Join(must(t, one, "SELECT a, b FROM w.t ORDER BY 1"), " "); got != "1|0 2|9" {
		t.Errorf("the transaction sees %q, want its own change, too", got)
	}
	refused(t, one, pgerr.SerializationFailure, "UPDATE w.t SET b = 9 WHERE a = 1")
	succeeds(t, one, "ROLLBACK")
	if got := strings.Join(must(t, one, "SELECT a, b FROM w.t ORDER BY 1"), " "); got != "1|1 2|0 3|0" {
		t.Errorf("afterwards there is %q", got)
	}
	_ = h
}

// TestSnapshotsEndWithTheirTransactions: a transaction that has only read leaves no snapshot to
// the next one.
func TestSnapshotsEndWithTheirTransactions(t *testing.T) {
	asksNoMirror(t)
	_, one, two := workspaceTable(t)
	for i, want := range []string{"2", "3", "4"} {
		succeeds(t, one, "BEGIN ISOLATION LEVEL REPEATABLE READ")
		if got := must(t, one, "SELECT count(*) FROM w.t")[0]; got != want {
			t.Errorf("transaction %d sees %s rows, want %s", i, got, want)
		}
		tagged(t, two, "INSERT INTO w.t SELECT max(a) + 1, 0 FROM w.t", "INSERT 0 1")
		if got := must(t, one, "SELECT count(*) FROM w.t")[0]; got != want {
			t.Errorf("transaction %d then sees %s rows, want %s", i, got, want)
		}
		tagged(t, one, []string{"COMMIT", "ROLLBACK"}[i%2], []string{"COMMIT", "ROLLBACK"}[i%2])
	}
}

// TestDeadlockOfRows: the transaction that closes the circle is told, and the other goes on.
func TestDeadlockOfRows(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	for _, s := range []wire.Session{one, two} {
		succeeds(t, s, "BEGIN")
	}
	tagged(t, one, "UPDATE w.t SET b = 1 WHERE a = 1", "UPDATE 1")
	tagged(t, two, "UPDATE w.t SET b = 2 WHERE a = 2", "UPDATE 1")
	waits := begins(t, h, one, "UPDATE w.t SET b = 1 WHERE a = 2 RETURNING a")
	e := refused(t, two, pgerr.DeadlockDetected, "UPDATE w.t SET b = 2 WHERE a = 1")
	if !strings.Contains(e.Detail, "waits for ShareLock on transaction") {
		t.Errorf("the detail is %q", e.Detail)
	}
	succeeds(t, two, "ROLLBACK")
	comes(t, waits, "2")
	succeeds(t, one, "COMMIT")
	if got := strings.Join(must(t, two, "SELECT a, b FROM w.t ORDER BY 1"), " "); got != "1|1 2|1" {
		t.Errorf("the table has %q", got)
	}
}

// TestDefinitionsWait: a change of a table waits for those who write it, and they for it.
func TestDefinitionsWait(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	succeeds(t, one, "BEGIN")
	tagged(t, one, "INSERT INTO w.t VALUES (3, 0)", "INSERT 0 1")
	waits := begins(t, h, two, "DROP TABLE w.t")
	tagged(t, one, "INSERT INTO w.t VALUES (4, 0)", "INSERT 0 1")
	succeeds(t, one, "COMMIT")
	comes(t, waits, "")
	refused(t, one, pgerr.UndefinedTable, "SELECT * FROM w.t")

	succeeds(t, one, "BEGIN", "CREATE TABLE w.t (a text)")
	refused(t, two, pgerr.UndefinedTable, "SELECT * FROM w.t")
	waits = begins(t, h, two, "CREATE TABLE w.t (a int)")
	succeeds(t, one, "COMMIT")
	comes(t, waits, pgerr.DuplicateTable)

	h.waits(t, one, "TRUNCATE w.t", "ROLLBACK", two, "INSERT INTO w.t VALUES ('x') RETURNING a", "x")

	h.waits(t, one, "CREATE TABLE w.u (a int)", "COMMIT", two, "DROP SCHEMA w CASCADE", "")
	if got := must(t, one, "SELECT count(*) FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'w'")[0]; got != "0" {
		t.Errorf("the schema has %s relations", got)
	}
	succeeds(t, two, "SET lock_timeout = 10")
	succeeds(t, one, "CREATE SCHEMA w", "CREATE TABLE w.t (a int)", "BEGIN")
	tagged(t, one, "INSERT INTO w.t VALUES (1)", "INSERT 0 1")
	refused(t, two, pgerr.LockNotAvailable, "TRUNCATE w.t")
	succeeds(t, one, "COMMIT")
}

// TestSchemaDroppedUnderReaders: readers do not hold up a DROP. What a cursor or a snapshot has
// begun to read stays whole until its transaction ends.
func TestSchemaDroppedUnderReaders(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	three := h.session(t, "onto")
	succeeds(t, one, "CREATE VIEW w.v AS SELECT a FROM w.t", "BEGIN")
	tagged(t, one, "DECLARE c CURSOR FOR SELECT a FROM w.v", "DECLARE CURSOR")
	tagged(t, one, "DECLARE kept CURSOR WITH HOLD FOR SELECT a * 10 FROM w.t", "DECLARE CURSOR")
	if got := must(t, one, "FETCH 1 FROM c")[0]; got != "1" {
		t.Errorf("the cursor begins with %s", got)
	}
	succeeds(t, three, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	if got := must(t, three, "SELECT sum(a) FROM w.v")[0]; got != "3" {
		t.Errorf("the snapshot has %s", got)
	}
	succeeds(t, two, "DROP SCHEMA w CASCADE", "CREATE SCHEMA w", "CREATE TABLE w.t (a int)")
	tagged(t, two, "INSERT INTO w.t VALUES (100)", "INSERT 0 1")
	if got := must(t, one, "FETCH ALL FROM c"); strings.Join(got, " ") != "2" {
		t.Errorf("the cursor goes on with %q", got)
	}
	if got := must(t, one, "SELECT a FROM w.t"); strings.Join(got, " ") != "100" {
		t.Errorf("READ COMMITTED has %q of the new table", got)
	}
	succeeds(t, one, "COMMIT")
	if got := must(t, one, "FETCH ALL FROM kept"); strings.Join(got, " ") != "10 20" {
		t.Errorf("the cursor WITH HOLD has %q", got)
	}
	refused(t, three, pgerr.UndefinedTable, "SELECT sum(a) FROM w.v") // names are found as of now
	succeeds(t, three, "ROLLBACK")
	if got := must(t, three, "SELECT sum(a) FROM w.t")[0]; got != "100" {
		t.Errorf("after the snapshot the new table has %s", got)
	}
}

// TestOneTransactionWritesOneWorld: the ontology and the workspace cannot commit together.
func TestOneTransactionWritesOneWorld(t *testing.T) {
	asksNoMirror(t)
	_, s, _ := workspaceTable(t)
	for _, pair := range [][2]string{
		{"INSERT INTO w.t VALUES (5, 5)", "INSERT INTO shelf (name) VALUES ('s9')"},
		{"INSERT INTO shelf (name) VALUES ('s9')", "INSERT INTO w.t VALUES (5, 5)"},
		{"CREATE TABLE w.v AS SELECT 1 AS a", "CREATE TABLE newtype (id text PRIMARY KEY)"},
		{"CREATE TABLE newtype (id text PRIMARY KEY)", "DROP TABLE w.t"},
	} {
		succeeds(t, s, "BEGIN")
		must(t, s, pair[0])
		must(t, s, "CREATE TEMP TABLE mine AS SELECT * FROM w.t") // belongs to neither
		refused(t, s, pgerr.FeatureNotSupported, pair[1])
		succeeds(t, s, "ROLLBACK")
	}
	succeeds(t, s, "BEGIN READ ONLY")
	refused(t, s, pgerr.ReadOnlySQLTransaction, "INSERT INTO w.t VALUES (5, 5)")
	succeeds(t, s, "ROLLBACK")
	if got := must(t, s, "SELECT count(*) FROM w.t WHERE a > 4")[0]; got != "0" {
		t.Errorf("%s rows are left", got)
	}
}

// TestNothingIsRemovedByWith: a part of a statement cannot remove rows of a type, whether its
// rows are read or not.
func TestNothingIsRemovedByWith(t *testing.T) {
	_, s, _ := workspaceTable(t)
	before := strings.Join(must(t, s, "SELECT * FROM shelf ORDER BY 1"), " ")
	for _, sql := range []string{
		"WITH gone AS (DELETE FROM shelf RETURNING name) UPDATE shelf SET height = 1",
		"WITH gone AS (DELETE FROM shelf RETURNING name) SELECT count(*) FROM gone",
		"WITH gone AS (DELETE FROM shelf) SELECT 1",
		"WITH gone AS (DELETE FROM shelf RETURNING name) INSERT INTO w.t SELECT 5, 5 FROM gone",
		"WITH gone AS (DELETE FROM history.shelf) SELECT 1",
		"CREATE TABLE w.copy AS WITH gone AS (DELETE FROM shelf RETURNING name) SELECT * FROM gone",
	} {
		refused(t, s, pgerr.FeatureNotSupported, sql)
	}
	if after := strings.Join(must(t, s, "SELECT * FROM shelf ORDER BY 1"), " "); after != before {
		t.Errorf("the type has %q, and had %q", after, before)
	}
}

// TestAClientThatLeavesRollsBack: what a session wrote that ends without COMMIT is gone, and who
// waited for it goes on.
func TestAClientThatLeavesRollsBack(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	succeeds(t, one, "BEGIN")
	tagged(t, one, "UPDATE w.t SET b = 9 WHERE a = 1", "UPDATE 1")
	tagged(t, one, "DELETE FROM w.t WHERE a = 2", "DELETE 1")
	succeeds(t, one, "SAVEPOINT s")
	tagged(t, one, "INSERT INTO w.t VALUES (3, 3)", "INSERT 0 1")
	tagged(t, one, "CREATE TABLE w.half AS SELECT 1 AS a", "SELECT 1")
	waits := begins(t, h, two, "UPDATE w.t SET b = b + 1 RETURNING a, b")
	one.Close()
	comes(t, waits, "1|1 2|1")
	tagged(t, two, "INSERT INTO w.t VALUES (3, 0)", "INSERT 0 1")
	succeeds(t, two, "CREATE TABLE w.half (a int)")
	if got := strings.Join(must(t, two, "SELECT a, b FROM w.t ORDER BY 1"), " "); got != "1|1 2|1 3|0" {
		t.Errorf("the table has %q", got)
	}
	if got := must(t, two, "SELECT count(*) FROM pg_locks WHERE locktype <> 'advisory'")[0]; got != "0" {
		t.Errorf("%s locks are left", got)
	}
}
