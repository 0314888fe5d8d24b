package gateway_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// TestViewsOfAWorkspace creates, reads and drops views that all sessions see.
func TestViewsOfAWorkspace(t *testing.T) {
	_, one, two := workspaceTable(t)
	succeeds(t, one, "BEGIN", "CREATE VIEW w.v AS SELECT a, b + 1 AS c FROM w.t")
	if got := strings.Join(must(t, one, "SELECT * FROM w.v ORDER BY a"), " "); got != "1|1 2|1" {
		t.Errorf("in its transaction the view has %q", got)
	}
	refused(t, two, pgerr.UndefinedTable, "SELECT * FROM w.v")
	succeeds(t, one, "ROLLBACK")
	refused(t, one, pgerr.UndefinedTable, "SELECT * FROM w.v")
	succeeds(t, one, "CREATE VIEW w.v AS SELECT a, b + 1 AS c FROM w.t")
	succeeds(t, two, "SET search_path = w", "CREATE VIEW v2 AS SELECT c FROM v JOIN public.shelf ON name <> ''", "CREATE TEMP VIEW mine AS SELECT * FROM v")
	if got := must(t, one, "SELECT count(*) FROM w.v2")[0]; got != "0" {
		t.Errorf("the view over the ontology has %s rows", got)
	}
	e := refused(t, one, pgerr.DependentObjectsStillExist, "DROP TABLE w.t")
	if want := "view w.v depends on table w.t\nview w.v2 depends on view w.v"; e.Detail != want {
		t.Errorf("the detail is %q, want %q", e.Detail, want)
	}
	if got := strings.Join(must(t, one, "SELECT viewname FROM pg_views WHERE schemaname = 'w' ORDER BY 1"), " "); got != "v v2" {
		t.Errorf("pg_views has %q", got)
	}
	succeeds(t, one, "ALTER TABLE w.t RENAME TO renamed", "CREATE SCHEMA other", "ALTER TABLE w.renamed SET SCHEMA other", "ALTER VIEW w.v RENAME TO first")
	if got := must(t, two, "SELECT count(*) FROM v2, first")[0]; got != "0" {
		t.Errorf("after the renames the views have %s rows", got)
	}
	succeeds(t, one, "DROP SCHEMA other CASCADE")
	refused(t, two, pgerr.UndefinedTable, "SELECT * FROM v2")
	refused(t, two, pgerr.UndefinedTable, "SELECT * FROM mine") // of this session, whose view nobody else sees
	succeeds(t, one, "DROP SCHEMA w")
}
