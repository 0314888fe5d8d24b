package gateway_test

import (
	"slices"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// A transaction exports its snapshot to others, as pg_dump -j does: they see what it sees,
// without later commits and without its uncommitted rows.
func TestTransactionsShareASnapshot(t *testing.T) {
	h := newHouse(t, nil)
	first, second := h.session(t, "onto"), h.session(t, "onto")
	count := "SELECT count(*) FROM store"
	before := must(t, first, count)
	must(t, first, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	must(t, first, "INSERT INTO store (code, city, open) VALUES ('own', 'Own', true)")
	name := must(t, first, "SELECT pg_export_snapshot()")[0]
	must(t, second, "INSERT INTO store (code, city, open) VALUES ('late', 'Late', true)")

	must(t, second, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	must(t, second, "SET TRANSACTION SNAPSHOT '"+name+"'")
	if got := must(t, second, count); !slices.Equal(got, before) {
		t.Errorf("%s rows behind SET TRANSACTION SNAPSHOT, want %s", got, before)
	}
	must(t, second, "COMMIT")
	answers(t, second, "SELECT count(*) FROM store WHERE code = 'late'", "1")
}

func TestSnapshotsThatAreNone(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	for _, c := range []struct{ begin, set, code string }{
		{"BEGIN ISOLATION LEVEL REPEATABLE READ", "SET LOCAL TRANSACTION SNAPSHOT '00000000-00000001-1'", pgerr.FeatureNotSupported},
		{"BEGIN ISOLATION LEVEL READ COMMITTED", "SET TRANSACTION SNAPSHOT '00000000-00000001-1'", pgerr.FeatureNotSupported},
		{"BEGIN ISOLATION LEVEL REPEATABLE READ", "SET TRANSACTION SNAPSHOT '1'", pgerr.InvalidParameterValue},
		{"BEGIN ISOLATION LEVEL REPEATABLE READ", "SET TRANSACTION SNAPSHOT '00000000-00000001-1x'", pgerr.InvalidParameterValue},
		{"BEGIN ISOLATION LEVEL REPEATABLE READ", "SET TRANSACTION SNAPSHOT '7FFFFFFF-00000001-1'", pgerr.InvalidParameterValue},
	} {
		must(t, s, c.begin)
		refused(t, s, c.code, c.set)
		must(t, s, "ROLLBACK")
	}
	must(t, s, "BEGIN ISOLATION LEVEL SERIALIZABLE")
	must(t, s, "SELECT 1")
	refused(t, s, pgerr.ActiveSQLTransaction, "SET TRANSACTION SNAPSHOT '00000000-00000001-1'")
	must(t, s, "ROLLBACK")
}
