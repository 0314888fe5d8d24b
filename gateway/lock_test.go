package gateway_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// TestLockTable locks in the modes that block no rows. The other modes are refused with a hint.
func TestLockTable(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, shop(t)).session(t, "onto")
	refused(t, s, pgerr.NoActiveSQLTransaction, "LOCK TABLE shelf IN ACCESS SHARE MODE")
	for _, sql := range []string{
		"LOCK TABLE shelf IN ACCESS SHARE MODE", "LOCK TABLE ONLY shelf, public.item IN ROW SHARE MODE", "LOCK shelf IN ROW EXCLUSIVE MODE NOWAIT",
		"LOCK TABLE history.shelf, pg_class IN ACCESS SHARE MODE",
	} {
		succeeds(t, s, "BEGIN")
		tagged(t, s, sql, "LOCK TABLE")
		tagged(t, s, "INSERT INTO shelf VALUES ('"+sql+"', 1)", "INSERT 0 1")
		succeeds(t, s, "COMMIT")
	}
	for _, sql := range []string{"LOCK shelf", "LOCK TABLE shelf IN SHARE MODE", "LOCK TABLE shelf IN SHARE ROW EXCLUSIVE MODE", "LOCK TABLE shelf IN SHARE UPDATE EXCLUSIVE MODE"} {
		succeeds(t, s, "BEGIN")
		if e := refused(t, s, pgerr.FeatureNotSupported, sql); !strings.Contains(e.Hint, "SERIALIZABLE") {
			t.Errorf("%s: hint %q", sql, e.Hint)
		}
		succeeds(t, s, "ROLLBACK")
	}
	succeeds(t, s, "BEGIN")
	if e := refused(t, s, pgerr.UndefinedTable, "LOCK TABLE shelf, nosuch"); e.Position != 0 {
		t.Errorf("an unknown table: at %d, and PostgreSQL tells no place", e.Position)
	}
	succeeds(t, s, "ROLLBACK")
}
