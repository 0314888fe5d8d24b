package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
)

// heaps is the number of tables that hold temporary tables in the engine.
func heaps(t *testing.T, h *house) (n int) {
	t.Helper()
	conn, err := h.engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Each(t.Context(), "SELECT table_name FROM duckdb_tables() WHERE column_count > 2 AND sql LIKE '%xmin BIGINT%'", nil, func(*column.Batch, int) { n++ })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTemporaryTablesBelongToTheirSession(t *testing.T) {
	h := newHouse(t, shop(t))
	one, two := h.session(t, "onto"), h.session(t, "onto")
	succeeds(t, one, "CREATE TEMP TABLE shelf (name text PRIMARY KEY)")
	tagged(t, one, "INSERT INTO shelf VALUES ('mine')", "INSERT 0 1")
	succeeds(t, two, "CREATE TEMP TABLE shelf (name int)")
	tagged(t, two, "INSERT INTO shelf VALUES (1), (2)", "INSERT 0 2")
	if got := strings.Join(must(t, one, "SELECT name FROM shelf"), " "); got != "mine" {
		t.Errorf("the first session has %q", got)
	}
	if got := strings.Join(must(t, two, "SELECT name FROM shelf ORDER BY 1"), " "); got != "1 2" {
		t.Errorf("the second session has %q", got)
	}
	if got := must(t, h.session(t, "onto"), "SELECT count(*) FROM shelf")[0]; got != "0" {
		t.Errorf("the type has %s rows", got)
	}
	refused(t, h.session(t, "onto"), pgerr.UndefinedTable, "SELECT * FROM pg_temp.shelf")
}

// TestTemporaryTablesLeaveNothing ends tables in every way and counts those of the engine.
func TestTemporaryTablesLeaveNothing(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, shop(t))
	for _, end := range [][]string{
		{"DROP TABLE t, u"},
		{"DISCARD TEMP"},
		{"DISCARD ALL"},
		{"BEGIN", "TRUNCATE t", "INSERT INTO t VALUES (1)", "SAVEPOINT s", "TRUNCATE t", "DROP TABLE u", "ROLLBACK TO s", "COMMIT", "DROP TABLE t", "DROP TABLE u"},
		{"BEGIN", "DROP TABLE t", "ROLLBACK", "DROP TABLE u", "DROP TABLE t"},
		{"BEGIN", "CREATE TEMP TABLE v AS SELECT 1 AS a", "INSERT INTO v VALUES (2)", "ROLLBACK", "DISCARD TEMP"},
	} {
		s := h.session(t, "onto")
		succeeds(t, s, "CREATE TEMP TABLE t (a int UNIQUE)")
		tagged(t, s, "CREATE TEMP TABLE u AS SELECT g FROM generate_series(1, 10) g", "SELECT 10")
		if n := heaps(t, h); n != 2 {
			t.Fatalf("two tables have %d heaps", n)
		}
		for _, sql := range end {
			if _, err := run(t, s, sql); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
		if n := heaps(t, h); n != 0 {
			t.Errorf("after %s there are %d heaps", strings.Join(end, "; "), n)
		}
		succeeds(t, s, "CREATE TEMP TABLE t (a int)")
		s.Close()
		if n := heaps(t, h); n != 0 {
			t.Errorf("after the end of the session there are %d heaps", n)
		}
	}
}

// TestTemporaryTableAndCommit writes the ontology and a temporary table in one transaction:
// both are committed, or neither.
func TestTemporaryTableAndCommit(t *testing.T) {
	h := newHouse(t, shop(t))
	s, other := h.session(t, "onto"), h.session(t, "onto")
	succeeds(t, s, "CREATE TEMP TABLE log (name text)")
	write := func() {
		t.Helper()
		succeeds(t, s, "BEGIN")
		tagged(t, s, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
		tagged(t, s, "INSERT INTO log SELECT name FROM shelf", "INSERT 0 1")
	}
	write()
	succeeds(t, s, "ROLLBACK")
	write()
	tagged(t, other, "INSERT INTO shelf VALUES ('a', 2)", "INSERT 0 1")
	refused(t, s, pgerr.SerializationFailure, "COMMIT")
	answers(t, s, "SELECT count(*) FROM log", "0")
	tagged(t, s, "INSERT INTO log SELECT name FROM shelf", "INSERT 0 1")
	answers(t, s, "SELECT * FROM log", "a")
}

// TestTemporaryTableInThePast writes in sessions that read the past.
func TestTemporaryTableInThePast(t *testing.T) {
	s := newHouse(t, nil).session(t, "onto@3")
	tagged(t, s, "CREATE TEMP TABLE c AS SELECT id FROM customer", fmt.Sprintf("SELECT %s", must(t, s, "SELECT count(*) FROM customer")[0]))
	if _, err := run(t, s, "DELETE FROM c"); err != nil {
		t.Error(err)
	}
	refused(t, s, pgerr.ReadOnlySQLTransaction, "UPDATE customer SET name = 'x'")
}

// TestPreparedStatementOnATemporaryTable prepares statements, then drops and creates the table.
func TestPreparedStatementOnATemporaryTable(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, shop(t)).session(t, "onto")
	succeeds(t, s, "CREATE TEMP TABLE t (a int)", "PREPARE ins AS INSERT INTO t VALUES ($1)", "PREPARE sel AS SELECT a FROM t")
	tagged(t, s, "EXECUTE ins(1)", "INSERT 0 1")
	succeeds(t, s, "DROP TABLE t")
	refused(t, s, pgerr.UndefinedTable, "EXECUTE ins(2)")
	succeeds(t, s, "CREATE TEMP TABLE t (a int)")
	tagged(t, s, "EXECUTE ins(3)", "INSERT 0 1")
	answers(t, s, "EXECUTE sel", "3")
}
