package gateway_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// TestReadersOfARefresh: other sessions see the old rows until the refresh commits. After
// REFRESH CONCURRENTLY a transaction that keeps its snapshot sees them, too; after a plain one
// it sees the new rows, as in PostgreSQL.
func TestReadersOfARefresh(t *testing.T) {
	asksNoMirror(t)
	h, one, two := workspaceTable(t)
	three := h.session(t, "onto")
	tagged(t, one, "CREATE MATERIALIZED VIEW w.m AS SELECT a, b FROM w.t", "SELECT 2")
	succeeds(t, one, "CREATE UNIQUE INDEX ON w.m (a)")
	rows := func(s int, want string) {
		t.Helper()
		on := one
		switch s {
		case 2:
			on = two
		case 3:
			on = three
		}
		if got := strings.Join(must(t, on, "SELECT a, b FROM w.m ORDER BY a"), " "); got != want {
			t.Errorf("session %d sees %q, want %q", s, got, want)
		}
	}
	succeeds(t, three, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	rows(3, "1|0 2|0")
	tagged(t, one, "UPDATE w.t SET b = 5 WHERE a = 1", "UPDATE 1")
	for _, how := range []string{"CONCURRENTLY ", ""} {
		before := "1|0 2|0"
		if how == "" {
			before = "1|5 2|0"
			tagged(t, one, "UPDATE w.t SET b = 6 WHERE a = 1", "UPDATE 1")
		}
		succeeds(t, one, "BEGIN")
		tagged(t, one, "REFRESH MATERIALIZED VIEW "+how+"w.m", "REFRESH MATERIALIZED VIEW")
		rows(2, before)
		waits := begins(t, h, two, "REFRESH MATERIALIZED VIEW "+how+"w.m")
		succeeds(t, one, "COMMIT")
		comes(t, waits, "")
		if how != "" {
			rows(1, "1|5 2|0")
			rows(2, "1|5 2|0")
			rows(3, "1|0 2|0")
			continue
		}
		rows(2, "1|6 2|0")
		rows(3, "1|6 2|0")
	}
	succeeds(t, three, "ROLLBACK")
}

// TestACursorOverARefresh reads the rows that were there when it was opened.
func TestACursorOverARefresh(t *testing.T) {
	_, one, two := workspaceTable(t)
	tagged(t, one, "CREATE MATERIALIZED VIEW w.m AS SELECT a FROM w.t", "SELECT 2")
	succeeds(t, two, "BEGIN")
	tagged(t, two, "DECLARE c CURSOR FOR SELECT a FROM w.m ORDER BY a", "DECLARE CURSOR")
	if got := must(t, two, "FETCH c")[0]; got != "1" {
		t.Errorf("the first row is %q", got)
	}
	tagged(t, one, "DELETE FROM w.t", "DELETE 2")
	tagged(t, one, "REFRESH MATERIALIZED VIEW w.m", "REFRESH MATERIALIZED VIEW")
	if got := must(t, two, "FETCH c")[0]; got != "2" {
		t.Errorf("the second row is %q", got)
	}
	succeeds(t, two, "COMMIT")
	if got := must(t, two, "SELECT count(*) FROM w.m")[0]; got != "0" {
		t.Errorf("afterwards there are %s rows", got)
	}
}

// TestMaterializedViewsOfTheOntology have the rows of the point of the REFRESH.
func TestMaterializedViewsOfTheOntology(t *testing.T) {
	_, one, _ := workspaceTable(t)
	tagged(t, one, "INSERT INTO shelf (name) VALUES ('s1')", "INSERT 0 1")
	at := must(t, one, "SHOW ontosql.last_commit_id")[0]
	tagged(t, one, "INSERT INTO shelf (name) VALUES ('s2')", "INSERT 0 1")
	tagged(t, one, "CREATE MATERIALIZED VIEW w.m AS SELECT name FROM shelf", "SELECT 2")
	tagged(t, one, "INSERT INTO shelf (name) VALUES ('s3')", "INSERT 0 1")
	rows := func(want string) {
		t.Helper()
		if got := strings.Join(must(t, one, "SELECT name FROM w.m ORDER BY name"), " "); got != want {
			t.Errorf("the materialized view has %q, want %q", got, want)
		}
	}
	rows("s1 s2")
	tagged(t, one, "REFRESH MATERIALIZED VIEW w.m", "REFRESH MATERIALIZED VIEW")
	rows("s1 s2 s3")
	tagged(t, one, "SET ontosql.as_of = '"+at+"'", "SET")
	tagged(t, one, "REFRESH MATERIALIZED VIEW w.m", "REFRESH MATERIALIZED VIEW")
	succeeds(t, one, "RESET ontosql.as_of")
	rows("s1")
	succeeds(t, one, "BEGIN")
	tagged(t, one, "UPDATE shelf SET height = 1 WHERE name = 's1'", "UPDATE 1")
	e := refused(t, one, pgerr.FeatureNotSupported, "REFRESH MATERIALIZED VIEW w.m")
	if e.Hint == "" {
		t.Errorf("a transaction of both worlds is refused with %q and no hint", e.Message)
	}
	succeeds(t, one, "ROLLBACK")
	e = refused(t, one, pgerr.FeatureNotSupported, "CREATE MATERIALIZED VIEW public.m AS SELECT 1 AS a")
	if e.Hint == "" {
		t.Errorf("a materialized view of the ontology is refused with %q and no hint", e.Message)
	}
}

// TestCopyIntoAMaterializedView is refused before the data.
func TestCopyIntoAMaterializedView(t *testing.T) {
	asksNoMirror(t)
	_, one, _ := workspaceTable(t)
	tagged(t, one, "CREATE MATERIALIZED VIEW w.m AS SELECT a FROM w.t", "SELECT 2")
	e := refused(t, one, pgerr.WrongObjectType, "COPY w.m FROM STDIN")
	if want := `cannot copy to materialized view "m"`; e.Message != want {
		t.Errorf("the error is %q, want %q", e.Message, want)
	}
}
