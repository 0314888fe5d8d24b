package gateway_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// shelves are the names in table shelf, in their order.
func shelves(t *testing.T, s wire.Session) string {
	t.Helper()
	return strings.Join(must(t, s, "SELECT name FROM shelf ORDER BY name"), " ")
}

func TestRollbackToUndoesWhatCameSince(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	succeeds(t, s, "BEGIN")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
	succeeds(t, s, "SAVEPOINT one")
	tagged(t, s, "INSERT INTO shelf VALUES ('b', 1)", "INSERT 0 1")
	tagged(t, s, "INSERT INTO item (sku, title) VALUES (1, 'x')", "INSERT 0 1") // the first of its type
	succeeds(t, s, "SAVEPOINT two")
	tagged(t, s, "INSERT INTO shelf VALUES ('c', 1)", "INSERT 0 1")
	if got := shelves(t, s); got != "a b c" {
		t.Fatalf("before any rollback there are %q", got)
	}
	succeeds(t, s, "ROLLBACK TO two")
	if got := shelves(t, s); got != "a b" {
		t.Errorf("after ROLLBACK TO two there are %q", got)
	}
	tagged(t, s, "INSERT INTO shelf VALUES ('c', 2)", "INSERT 0 1") // its key is free again
	succeeds(t, s, "ROLLBACK TO SAVEPOINT one")
	refused(t, s, pgerr.InvalidSavepointSpecification, "ROLLBACK TO two") // it came after one
	if s.Status() != wire.Failed {
		t.Errorf("after an error the status is %c", s.Status())
	}
	succeeds(t, s, "ROLLBACK TO one")
	tagged(t, s, "INSERT INTO shelf VALUES ('d', 1)", "INSERT 0 1")
	succeeds(t, s, "COMMIT")
	if got := shelves(t, s); got != "a d" {
		t.Errorf("committed are %q", got)
	}
	answers(t, s, "SELECT array_to_string(types, '+') FROM ontosql.commits WHERE commit_id = 2", "Shelf")
}

// TestAFailedStatementIsUndoneBySavepoint fails in the middle of its rows, many of
// which lie in a table by then.
func TestAFailedStatementIsUndoneBySavepoint(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	succeeds(t, s, "BEGIN")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
	succeeds(t, s, "SAVEPOINT s")
	refused(t, s, pgerr.UniqueViolation, "INSERT INTO shelf SELECT 's' || (g % 29000), g FROM generate_series(1, 30000) AS g")
	refused(t, s, pgerr.InFailedSQLTransaction, "INSERT INTO shelf VALUES ('b', 1)")
	refused(t, s, pgerr.InFailedSQLTransaction, "SAVEPOINT again")
	refused(t, s, pgerr.InFailedSQLTransaction, "RELEASE s")
	succeeds(t, s, "ROLLBACK TO s")
	tagged(t, s, "INSERT INTO shelf VALUES ('s1', 1), ('b', 1)", "INSERT 0 2")
	succeeds(t, s, "COMMIT")
	if got := shelves(t, s); got != "a b s1" {
		t.Errorf("committed are %q", got)
	}
}

func TestSavepointsOfOneNameAndSettings(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	must(t, s, "SET application_name = 'outside'")
	succeeds(t, s, "BEGIN", "SAVEPOINT p")
	must(t, s, "SET application_name = 'first'")
	must(t, s, "SET LOCAL TimeZone = 'Asia/Tokyo'")
	succeeds(t, s, "SAVEPOINT p")
	must(t, s, "SET application_name = 'second'")
	must(t, s, "SET LOCAL TimeZone = 'America/Lima'")
	shown := func() string {
		return strings.Join(must(t, s, "SELECT current_setting('application_name'), current_setting('TimeZone'), '2026-01-01 00:00Z'::timestamptz::date"), "")
	}
	if got := shown(); got != "second|America/Lima|20453" {
		t.Errorf("set: %q", got)
	}
	succeeds(t, s, "ROLLBACK TO p")
	if got := shown(); got != "first|Asia/Tokyo|20454" {
		t.Errorf("after ROLLBACK TO the newer p: %q", got)
	}
	succeeds(t, s, "RELEASE p", "ROLLBACK TO p")
	if got := shown(); got != "outside|UTC|20454" {
		t.Errorf("after ROLLBACK TO the older p: %q", got)
	}
	succeeds(t, s, "COMMIT")
}

func TestWhatNeedsABlock(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, shop(t)).session(t, "onto")
	for sql, message := range map[string]string{
		"SAVEPOINT a":        "SAVEPOINT can only be used in transaction blocks",
		"RELEASE a":          "RELEASE SAVEPOINT can only be used in transaction blocks",
		"ROLLBACK TO a":      "ROLLBACK TO SAVEPOINT can only be used in transaction blocks",
		"COMMIT AND CHAIN":   "COMMIT AND CHAIN can only be used in transaction blocks",
		"ROLLBACK AND CHAIN": "ROLLBACK AND CHAIN can only be used in transaction blocks",
	} {
		if e := refused(t, s, pgerr.NoActiveSQLTransaction, sql); e.Message != message {
			t.Errorf("%s: %s", sql, e.Message)
		}
	}
	succeeds(t, s, "BEGIN")
	if e := refused(t, s, pgerr.InvalidSavepointSpecification, "RELEASE nosuch"); e.Message != `savepoint "nosuch" does not exist` {
		t.Errorf("RELEASE: %s", e.Message)
	}
	tagged(t, s, "COMMIT", "ROLLBACK")
}

func TestChainKeepsTheModes(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	succeeds(t, s, "BEGIN ISOLATION LEVEL SERIALIZABLE")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
	succeeds(t, s, "COMMIT AND CHAIN")
	if got := must(t, s, "SHOW transaction_isolation"); s.Status() != wire.InTransaction || got[0] != "serializable" {
		t.Errorf("the next transaction: status %c, %s", s.Status(), got[0])
	}
	tagged(t, s, "INSERT INTO shelf VALUES ('b', 1)", "INSERT 0 1")
	refused(t, s, pgerr.UndefinedTable, "SELECT 1 FROM nowhere")
	tagged(t, s, "COMMIT AND CHAIN", "ROLLBACK")
	succeeds(t, s, "SET TRANSACTION READ ONLY", "ROLLBACK AND CHAIN")
	refused(t, s, pgerr.ReadOnlySQLTransaction, "INSERT INTO shelf VALUES ('c', 1)")
	succeeds(t, s, "ROLLBACK")
	if got := must(t, s, "SHOW transaction_isolation"); s.Status() != wire.Idle || got[0] != "read committed" {
		t.Errorf("afterwards: status %c, %s", s.Status(), got[0])
	}
	if got := shelves(t, s); got != "a" {
		t.Errorf("committed are %q", got)
	}
}
