//go:build !mirrormode

package gateway_test

import (
	"slices"
	"testing"
)

// TestMirrorRelation has one row for each type, mirrored or not.
func TestMirrorRelation(t *testing.T) {
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	h.settle(t, s, "customer")
	versions := must(t, s, "SELECT count(*) FROM history.customer")[0]
	must(t, s, "SELECT count(*) FROM product")
	got := must(t, s, `SELECT type_name, state, through_commit_id, head_commit_id, row_count, bytes > 0,
		rows_done, rows_total, started_at, last_used_at <= now(), reason FROM ontosql.mirror WHERE type_name IN ('Customer', 'Product', 'Store') ORDER BY 1`)
	want := []string{
		"Customer|ready|54|54|" + versions + "|true|NULL|NULL|NULL|true|NULL",
		"Product|none|NULL|54|NULL|NULL|NULL|NULL|NULL|true|it was not read often enough",
		"Store|none|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|it was not read",
	}
	if !slices.Equal(got, want) {
		t.Errorf("ontosql.mirror has %q, want %q", got, want)
	}
	if got := must(t, s, "SELECT type_kind, type_name FROM ontosql.types EXCEPT SELECT type_kind, type_name FROM ontosql.mirror"); len(got) != 0 {
		t.Errorf("ontosql.mirror lacks %q", got)
	}
	off := openHouse(t, h.bucket, false).session(t, "onto")
	answers(t, off, "SELECT DISTINCT state, reason FROM ontosql.mirror", "none|there is no mirror")
}
