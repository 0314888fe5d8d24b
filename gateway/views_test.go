package gateway_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// TestViewFollowsItsType renames, drops and adds columns of a type that a view reads.
func TestViewFollowsItsType(t *testing.T) {
	h := newHouse(t, shop(t))
	s, other := h.session(t, "onto"), h.session(t, "onto")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 1), ('b', 2)", "INSERT 0 2")
	succeeds(t, s,
		"CREATE TEMP VIEW v AS SELECT *, height + 1 AS higher FROM shelf", "CREATE TEMP VIEW names AS SELECT name FROM v",
		"PREPARE p AS SELECT * FROM v ORDER BY name")
	succeeds(t, other, "ALTER TABLE shelf RENAME COLUMN height TO tall", "ALTER TABLE shelf ADD COLUMN higher bigint")
	for _, sql := range []string{"SELECT * FROM v ORDER BY name", "EXECUTE p"} {
		if got := strings.Join(must(t, s, sql), " "); got != "a|1|2 b|2|3" {
			t.Errorf("%s: %q", sql, got)
		}
	}
	succeeds(t, other, "SET ontosql.purge_history = on", "ALTER TABLE shelf DROP COLUMN tall")
	e := refused(t, s, pgerr.UndefinedColumn, "SELECT name FROM v")
	if e.Position != 0 || !strings.Contains(e.Detail, `The view "v" reads it`) {
		t.Errorf("the error of a dropped column is %+v", e)
	}
	refused(t, s, pgerr.UndefinedColumn, "EXECUTE p")
	if _, err := run(t, s, "DROP VIEW v CASCADE"); err != nil {
		t.Error(err)
	}
}

// TestViewOfDroppedType drops the type that a view reads.
func TestViewOfDroppedType(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, shop(t)).session(t, "onto")
	succeeds(t, s, "CREATE TABLE gone (id text PRIMARY KEY)", "CREATE TEMP VIEW v AS SELECT id FROM gone", "DROP TABLE gone")
	e := refused(t, s, pgerr.UndefinedTable, "SELECT * FROM v")
	if e.Position != 0 || !strings.Contains(e.Detail, `The view "v" reads it`) {
		t.Errorf("the error of a dropped type is %+v", e)
	}
	must(t, s, "SELECT relname FROM pg_class WHERE relkind = 'v'") // the catalog can be read
	succeeds(t, s, "DROP VIEW v")
}

// TestViewNamesAreBound changes search_path, and creates a temporary table with the name of
// the type that a view reads.
func TestViewNamesAreBound(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
	tagged(t, s, "UPDATE shelf SET height = 2", "UPDATE 1")
	succeeds(t, s,
		"CREATE TEMP VIEW latest AS SELECT height FROM shelf", "SET search_path = history", "CREATE TEMP VIEW versions AS SELECT height FROM shelf",
		"CREATE TEMP TABLE shelf (height int)", "RESET search_path")
	if got := strings.Join(must(t, s, "SELECT height FROM latest"), " "); got != "2" {
		t.Errorf("latest: %q", got)
	}
	if got := strings.Join(must(t, s, "SELECT height FROM versions ORDER BY 1"), " "); got != "1 2" {
		t.Errorf("versions: %q", got)
	}
}

// TestViewAtPoints reads views at the session's point, and one that names a point.
func TestViewAtPoints(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
	first := must(t, s, "SELECT max(commit_id) FROM shelf")[0]
	tagged(t, s, "UPDATE shelf SET height = 2", "UPDATE 1")
	succeeds(t, s, "CREATE TEMP VIEW now AS SELECT height FROM shelf")
	tagged(t, s, "CREATE TEMP VIEW was AS SELECT height FROM shelf FOR SYSTEM_TIME AS OF "+first, "CREATE VIEW")
	succeeds(t, s, "CREATE TEMP VIEW both_points AS SELECT now.height - was.height FROM now, was")
	answers(t, s, "SELECT * FROM both_points", "1")
	tagged(t, s, "SET ontosql.as_of = "+first, "SET")
	answers(t, s, "SELECT * FROM now", "1")
	succeeds(t, s, "RESET ontosql.as_of", "BEGIN")
	tagged(t, s, "UPDATE shelf SET height = 7", "UPDATE 1")
	answers(t, s, "SELECT * FROM both_points", "6")
	succeeds(t, s, "ROLLBACK")
}

// TestViewsOfTwoSessions checks that the result cache tells views of one name apart.
func TestViewsOfTwoSessions(t *testing.T) {
	h := newHouse(t, shop(t))
	one, two := h.session(t, "onto"), h.session(t, "onto")
	tagged(t, one, "INSERT INTO shelf VALUES ('a', 1), ('b', 2)", "INSERT 0 2")
	succeeds(t, one, "CREATE TEMP VIEW v AS SELECT name FROM shelf WHERE height = 1")
	succeeds(t, two, "CREATE TEMP VIEW v AS SELECT name FROM shelf WHERE height = 2")
	for range 3 {
		if a, b := must(t, one, "SELECT name FROM v")[0], must(t, two, "SELECT name FROM v")[0]; a != "a" || b != "b" {
			t.Fatalf("the sessions read %s and %s", a, b)
		}
	}
	succeeds(t, one, "CREATE OR REPLACE TEMP VIEW v AS SELECT name FROM shelf WHERE height = 2")
	answers(t, one, "SELECT name FROM v", "b")
	refused(t, h.session(t, "onto"), pgerr.UndefinedTable, "SELECT * FROM v")
}

// TestTooManyViews reads views that read each other twice, many times over.
func TestTooManyViews(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, shop(t)).session(t, "onto")
	succeeds(t, s, "CREATE TEMP VIEW v0 AS SELECT 1 AS a")
	for i := range 9 {
		from, to := string(rune('0'+i)), string(rune('1'+i))
		if _, err := run(t, s, "CREATE TEMP VIEW v"+to+" AS SELECT a FROM v"+from+" UNION ALL SELECT a FROM v"+from); err != nil {
			t.Logf("%d: %v", i, err)
			break
		}
	}
	_, err := run(t, s, "CREATE TEMP VIEW last AS SELECT * FROM v9 UNION ALL SELECT * FROM v9")
	if err == nil {
		t.Error("a statement reads a thousand views")
	}
}
