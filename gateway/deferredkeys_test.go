package gateway_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// TestDeferredKeysBetweenSessions: of two transactions that write the same key of a constraint
// that is checked at COMMIT, one commits.
func TestDeferredKeysBetweenSessions(t *testing.T) {
	h, one, two := workspaceTable(t)
	must(t, one, "CREATE TABLE w.d (a int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED, b text)")

	// A statement outside of a transaction block waits for the other transaction.
	h.waits(t, one, "INSERT INTO w.d VALUES (1, 'one')", "COMMIT", two, "INSERT INTO w.d VALUES (1, 'two')", pgerr.UniqueViolation)
	h.waits(t, one, "DELETE FROM w.d", "ROLLBACK", two, "INSERT INTO w.d VALUES (1, 'two')", pgerr.UniqueViolation)
	h.waits(t, one, "DELETE FROM w.d", "COMMIT", two, "INSERT INTO w.d VALUES (1, 'two')", "")

	// In a transaction the check at COMMIT waits, and that of the other one does.
	for _, c := range []struct{ end, want string }{{"COMMIT", pgerr.UniqueViolation}, {"ROLLBACK", ""}} {
		must(t, one, "BEGIN")
		must(t, two, "BEGIN")
		must(t, one, "INSERT INTO w.d VALUES (2, 'one')")
		must(t, two, "INSERT INTO w.d VALUES (2, 'two')")
		done := begins(t, h, two, "COMMIT")
		must(t, one, c.end)
		comes(t, done, c.want)
		must(t, one, "DELETE FROM w.d WHERE a = 2")
	}

	// If both wait for each other, one is told and rolls back.
	must(t, one, "BEGIN")
	must(t, two, "BEGIN")
	must(t, one, "INSERT INTO w.d VALUES (3, 'one')")
	must(t, two, "INSERT INTO w.d VALUES (3, 'two')")
	must(t, one, "INSERT INTO w.d VALUES (4, 'one')")
	must(t, two, "INSERT INTO w.d VALUES (5, 'two')")
	must(t, one, "INSERT INTO w.d VALUES (5, 'one')") // now it has to be checked, too
	done := begins(t, h, one, "COMMIT")
	refused(t, two, pgerr.DeadlockDetected, "COMMIT")
	comes(t, done, "")
	if got := strings.Join(must(t, one, "SELECT a, b FROM w.d ORDER BY a"), " "); got != "1|two 3|one 4|one 5|one" {
		t.Errorf("the table has %q", got)
	}
}
