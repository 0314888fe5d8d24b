package gateway_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
)

// TestRecoveriesRelation shows the recoveries of commits that the session sees. A damaged
// record counts as missing.
func TestRecoveriesRelation(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	s, past := h.session(t, "onto"), h.session(t, "onto@40")
	const sql = "SELECT actor, for_actor, commit_id, projection, outcome, at = '2026-01-02 03:04:05Z' FROM ontosql.recoveries ORDER BY commit_id"
	if got := must(t, s, sql); len(got) != 0 {
		t.Errorf("a store without a record has %q", got)
	}
	at := format.TimeOf(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	put := func(body []byte) {
		t.Helper()
		if _, err := h.bucket.Put(t.Context(), format.RecoveriesKey, body); err != nil {
			t.Fatal(err)
		}
	}
	put(format.EncodeRecoveries([]format.Recovery{
		{Actor: format.RecoveryActor, At: at, Commit: 7, ForActor: "ann", Outcome: format.RecoveryWritten, Projection: format.RegistryKey},
		{Actor: format.RecoveryActor, At: at, Commit: 50, Outcome: format.RecoveryForeign, Projection: format.TypesKey},
	}))
	rows := []string{
		"ontosql:recovery|ann|7|meta/schema/registry.json|written|true",
		"ontosql:recovery|NULL|50|meta/schema/types.json|foreign change kept|true",
	}
	if got := must(t, s, sql); !slices.Equal(got, rows) {
		t.Errorf("ontosql.recoveries has %q, want %q", got, rows)
	}
	if got := must(t, past, sql); !slices.Equal(got, rows[:1]) {
		t.Errorf("at commit 40 ontosql.recoveries has %q, want %q", got, rows[:1])
	}
	put([]byte(`{"recoveries":[{"actor":`))
	if got := must(t, s, sql); len(got) != 0 {
		t.Errorf("a damaged record has %q", got)
	}
}
