package gateway_test

import "testing"

// TestForeignKeysBetweenSessions lets two sessions write both ends of a foreign key.
func TestForeignKeysBetweenSessions(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	must(t, one, "CREATE TABLE w.p (id int PRIMARY KEY, n int)")
	must(t, one, "CREATE TABLE w.c (x int REFERENCES w.p ON DELETE CASCADE)")
	must(t, one, "CREATE TABLE w.d (x int REFERENCES w.p DEFERRABLE INITIALLY DEFERRED)")
	must(t, one, "CREATE TABLE w.e (x int REFERENCES w.p)")
	must(t, one, "INSERT INTO w.p VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)")

	// The row that an open transaction references stays.
	h.waits(t, one, "INSERT INTO w.e VALUES (1)", "COMMIT", two, "DELETE FROM w.p WHERE id = 1", "23503")

	// A row that an open transaction deletes cannot be referenced, unless that rolls back.
	h.waits(t, one, "DELETE FROM w.p WHERE id = 2", "ROLLBACK", two, "INSERT INTO w.c VALUES (2)", "")
	h.waits(t, one, "DELETE FROM w.p WHERE id = 2", "COMMIT", two, "INSERT INTO w.c VALUES (2)", "23503")

	// A change of other columns is nothing to wait for, and a row of an open transaction is not
	// there.
	must(t, one, "BEGIN")
	must(t, one, "UPDATE w.p SET n = 30 WHERE id = 3")
	must(t, two, "INSERT INTO w.c VALUES (3)")
	must(t, one, "INSERT INTO w.p VALUES (9, 9)")
	refused(t, two, "23503", "INSERT INTO w.c VALUES (9)")
	must(t, one, "COMMIT")

	// CASCADE waits for a row that another transaction has added.
	h.waits(t, two, "INSERT INTO w.c VALUES (3)", "COMMIT", one, "DELETE FROM w.p WHERE id = 3", "")
	if got := must(t, one, "SELECT count(*) FROM w.c"); got[0] != "0" {
		t.Errorf("%s rows reference a row that is gone", got[0])
	}

	// The check at COMMIT waits, too.
	must(t, one, "BEGIN")
	must(t, one, "DELETE FROM w.p WHERE id = 4")
	must(t, two, "BEGIN")
	must(t, two, "INSERT INTO w.d VALUES (4)")
	done := begins(t, h, two, "COMMIT")
	must(t, one, "COMMIT")
	comes(t, done, "23503")

	// Who checks at COMMIT finds out, and others do not wait for that.
	must(t, one, "BEGIN")
	must(t, one, "INSERT INTO w.d VALUES (5)")
	must(t, two, "DELETE FROM w.p WHERE id = 5")
	refused(t, one, "23503", "COMMIT")
	if got := must(t, one, "SELECT x FROM w.d"); len(got) != 0 {
		t.Errorf("w.d has %q", got)
	}
}

// TestSequencesOfSessions lets two sessions take values of one sequence.
func TestSequencesOfSessions(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	must(t, one, "CREATE SEQUENCE w.s CACHE 10")
	for _, c := range []struct{ got, want string }{
		{must(t, one, "SELECT nextval('w.s')")[0], "1"},
		{must(t, two, "SELECT nextval('w.s')")[0], "11"},
		{must(t, one, "SELECT nextval('w.s')")[0], "2"},
		{must(t, two, "SELECT currval('w.s')")[0], "11"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
	h.waits(t, one, "ALTER SEQUENCE w.s RESTART 500", "COMMIT", two, "SELECT nextval('w.s')", "500")
	h.waits(t, one, "SELECT nextval('w.s')", "COMMIT", two, "DROP SEQUENCE w.s", "")
	refused(t, one, "42P01", "SELECT nextval('w.s')")
}
