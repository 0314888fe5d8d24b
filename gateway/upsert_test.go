package gateway_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/pgerr"
)

func TestOnConflict(t *testing.T) {
	for _, ending := range []bool{true, false} {
		h := newHouse(t, shop(t))
		h.ending = ending
		s := h.session(t, "onto")
		tagged(t, s, "INSERT INTO shelf VALUES ('a', 1), ('b', 2)", "INSERT 0 2") // commit 2
		tagged(t, s, "INSERT INTO shelf VALUES ('a', 9), ('c', 3), ('c', 4) ON CONFLICT DO NOTHING", "INSERT 0 1")
		tagged(t, s, "INSERT INTO shelf VALUES ('a', 9), ('c', 9) ON CONFLICT (name) DO NOTHING", "INSERT 0 0")
		if got := must(t, s, "INSERT INTO shelf VALUES ('b', 20), ('d', 4) ON CONFLICT (name) DO UPDATE SET height = shelf.height + excluded.height RETURNING *"); !cmp.Equal(got, []string{"b|22", "d|4"}) {
			t.Errorf("ending %v: DO UPDATE returned %q", ending, got)
		}
		tagged(t, s, "INSERT INTO shelf AS s VALUES ('a', 1), ('b', 1) ON CONFLICT (name) DO UPDATE SET height = 0 WHERE s.height > 20", "INSERT 0 1")
		tagged(t, s, "INSERT INTO shelf VALUES ('a', 1) ON CONFLICT ON CONSTRAINT shelf_pkey DO UPDATE SET height = excluded.height", "INSERT 0 1") // as it is
		want := []string{"a|1|2", "b|2|2", "b|22|4", "b|0|5", "c|3|3", "d|4|4"}
		if diff := cmp.Diff(want, must(t, s, "SELECT name, height, commit_id FROM history.shelf ORDER BY name, commit_id")); diff != "" {
			t.Errorf("ending %v: versions (-want +got):\n%s", ending, diff)
		}
		if e := refused(t, s, pgerr.CardinalityViolation, "INSERT INTO shelf VALUES ('x', 1), ('x', 2) ON CONFLICT (name) DO UPDATE SET height = 5"); e.Message != "ON CONFLICT DO UPDATE command cannot affect row a second time" {
			t.Errorf("a key twice: %s", e.Message)
		}
		refused(t, s, pgerr.InvalidColumnReference, "INSERT INTO shelf VALUES ('x', 1) ON CONFLICT (height) DO NOTHING")
		tagged(t, s, "INSERT INTO standson VALUES (1, 'a', 'left', '2026-01-01')", "INSERT 0 1")
		tagged(t, s, "INSERT INTO standson VALUES (1, 'a', 'left', '2026-02-02'), (1, 'a', 'right', NULL) ON CONFLICT (slot, right_key, left_key) DO UPDATE SET since = excluded.since", "INSERT 0 2")
		if got := must(t, s, "SELECT slot, since::text FROM standson ORDER BY 1"); !cmp.Equal(got, []string{"left|2026-02-02", "right|NULL"}) {
			t.Errorf("ending %v: relation %q", ending, got)
		}
	}
}

func TestOnConflictWithinATransaction(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	succeeds(t, s, "BEGIN")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 5), ('b', 2) ON CONFLICT (name) DO UPDATE SET height = shelf.height + excluded.height", "INSERT 0 2")
	tagged(t, s, "INSERT INTO shelf VALUES ('b', 9) ON CONFLICT DO NOTHING", "INSERT 0 0")
	refused(t, s, pgerr.UniqueViolation, "INSERT INTO shelf VALUES ('b', 3)")
	succeeds(t, s, "ROLLBACK", "BEGIN")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 5) ON CONFLICT (name) DO UPDATE SET height = shelf.height + excluded.height", "INSERT 0 1")
	succeeds(t, s, "COMMIT")
	answers(t, s, "SELECT name, height, commit_id FROM history.shelf", "a|6|2")
}

// TestOnConflictSetting is ON CONFLICT for statements that do not say it.
func TestOnConflictSetting(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	tagged(t, s, "INSERT INTO item (sku, title, sold) VALUES (1, 'x', true)", "INSERT 0 1")
	insert := "INSERT INTO item (sku, title) VALUES (1, 'y'), (2, 'z')"
	refused(t, s, pgerr.UniqueViolation, insert)
	must(t, s, "SET ontosql.on_conflict = nothing")
	tagged(t, s, insert, "INSERT 0 1")
	must(t, s, "SET ontosql.on_conflict = 'update'")
	tagged(t, s, insert, "INSERT 0 2")
	answers(t, s, "SELECT sku, title, sold FROM item ORDER BY 1", "1|y|true", "2|z|NULL")
	answers(t, s, "SELECT count(*) FROM history.item", "3")
	tagged(t, s, insert+" ON CONFLICT DO NOTHING", "INSERT 0 0") // the statement says it
	must(t, s, "RESET ontosql.on_conflict")
	refused(t, s, pgerr.UniqueViolation, insert)
	refused(t, s, pgerr.InvalidParameterValue, "SET ontosql.on_conflict = 'replace'")
}

func TestMerge(t *testing.T) {
	for _, ending := range []bool{true, false} {
		h := newHouse(t, shop(t))
		h.ending = ending
		s := h.session(t, "onto")
		tagged(t, s, "INSERT INTO shelf VALUES ('a', 1), ('b', 2), ('c', 3)", "INSERT 0 3")
		tagged(t, s, `MERGE INTO shelf AS t USING (VALUES ('a', 10), ('b', 0), ('d', 4), ('e', -1)) AS v(n, h) ON t.name = v.n
			WHEN MATCHED AND v.h = 0 THEN DO NOTHING
			WHEN MATCHED THEN UPDATE SET height = t.height + v.h
			WHEN NOT MATCHED AND v.h > 0 THEN INSERT (name, height) VALUES (v.n, v.h * 2)`, "MERGE 2")
		if got := must(t, s, "SELECT name, height FROM shelf ORDER BY 1"); !cmp.Equal(got, []string{"a|11", "b|2", "c|3", "d|8"}) {
			t.Errorf("ending %v: after MERGE %q", ending, got)
		}
		e := refused(t, s, pgerr.CardinalityViolation, "MERGE INTO shelf t USING (VALUES ('a', 1), ('a', 2)) v(n, h) ON t.name = n WHEN MATCHED THEN UPDATE SET height = h")
		if e.Message != "MERGE command cannot affect row a second time" {
			t.Errorf("a row twice: %s", e.Message)
		}
		refused(t, s, pgerr.UniqueViolation, "MERGE INTO shelf t USING (VALUES ('a', 1)) v(n, h) ON t.name = 'zzz' WHEN NOT MATCHED THEN INSERT VALUES (n, h)")
		refused(t, s, pgerr.UniqueViolation, "MERGE INTO shelf t USING (VALUES ('q', 1), ('q', 2)) v(n, h) ON t.name = n WHEN NOT MATCHED THEN INSERT VALUES (n, h)")
		refused(t, s, pgerr.FeatureNotSupported, "MERGE INTO shelf t USING (VALUES ('a', 1)) v(n, h) ON t.name = n WHEN MATCHED THEN DELETE")
		if got := must(t, s, "SELECT max(commit_id) FROM ontosql.commits"); got[0] != "3" {
			t.Errorf("ending %v: the head is %s", ending, got[0])
		}
	}
}
