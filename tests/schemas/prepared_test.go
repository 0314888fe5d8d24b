package schemas

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
)

// TestPreparedInATransaction prepares a text again after the transaction changed the table that
// it reads: the statement has the new columns, while other sessions see the old ones.
func TestPreparedInATransaction(t *testing.T) {
	disk := filled(t, founded(t, format.EngineV1))
	g := gateOver(t, disk)
	s, err := g.session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other, err := g.session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	const all = "SELECT * FROM stands"
	if err := s.do("ALTER TABLE stands ALTER COLUMN since TYPE text", "BEGIN"); err != nil {
		t.Fatal(err)
	}
	for _, turn := range []struct{ sql, want string }{
		{"SAVEPOINT start", "1|top|a|2026-01-02"},
		{"ALTER TABLE stands RENAME COLUMN slot TO place", "1|top|a|2026-01-02"},
		{"ALTER TABLE stands DROP COLUMN since", "1|top|a"},
		{"ALTER TABLE stands ADD COLUMN more text DEFAULT 'x'", "1|top|a|x"},
		{"ROLLBACK TO start", "1|top|a|2026-01-02"},
	} {
		if err := errors.Join(s.do(turn.sql), other.do("SELECT left_key FROM stands")); err != nil {
			t.Fatal(err)
		}
		if got, err := s.ask(all); err != nil || !cmp.Equal(got, []string{turn.want}) {
			t.Errorf("after %s: %q, %v, want %q", turn.sql, got, err, turn.want)
		}
	}
}
