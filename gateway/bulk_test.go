package gateway_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/pgerr"
)

// many inserts rows s<from> to s<to> of table shelf, too many for their identities
// to be kept.
func many(from, to string) string {
	return "INSERT INTO shelf SELECT 's' || g, g FROM generate_series(" + from + ", " + to + ") AS g"
}

func TestManyRowsAreOfManyIdentities(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	s := h.session(t, "onto")
	twice := func(sql, detail string) {
		t.Helper()
		if e := refused(t, s, pgerr.UniqueViolation, sql); e.Detail != detail {
			t.Errorf("%s: %s, want %s", sql, e.Detail, detail)
		}
	}
	// The second 7 comes before the second 3.
	twice("INSERT INTO shelf SELECT 's' || CASE g WHEN 90001 THEN 3 WHEN 80000 THEN 7 ELSE g END, g FROM generate_series(1, 100000) AS g",
		"Key (name)=(s7) already exists.")
	tagged(t, s, many("1", "70000"), "INSERT 0 70000")
	twice(many("69999", "150000"), "Key (name)=(s69999) already exists.")
	// A row that is stored comes before one that comes twice.
	twice("INSERT INTO shelf SELECT 's' || CASE WHEN g > 150000 THEN 99999 ELSE g END, g FROM generate_series(70000, 150001) AS g",
		"Key (name)=(s70000) already exists.")
	answers(t, s, "SELECT count(*), max(commit_id) FROM shelf", "70000|2")
}

// TestManyRowsInATransaction writes after, and over, rows of which only the table
// knows the identities.
func TestManyRowsInATransaction(t *testing.T) {
	s := newHouse(t, shop(t)).session(t, "onto")
	tagged(t, s, "INSERT INTO shelf VALUES ('old', 0)", "INSERT 0 1")
	succeeds(t, s, "BEGIN")
	tagged(t, s, many("1", "70000"), "INSERT 0 70000")
	succeeds(t, s, "SAVEPOINT a")
	for _, c := range [][2]string{
		{"INSERT INTO shelf VALUES ('new', 1), ('s69000', 1)", "Key (name)=(s69000) already exists."},
		{many("70001", "140000") + " UNION ALL SELECT 's5', 5", "Key (name)=(s5) already exists."},
		{
			"MERGE INTO shelf t USING (VALUES ('s6', 1), ('s7', 2)) v(n, h) ON t.name = n AND t.height = 6 WHEN MATCHED THEN UPDATE SET height = h WHEN NOT MATCHED THEN INSERT VALUES (n, h)",
			"Key (name)=(s7) already exists.",
		},
	} {
		if e := refused(t, s, pgerr.UniqueViolation, c[0]); e.Detail != c[1] {
			t.Errorf("%s: %s, want %s", c[0], e.Detail, c[1])
		}
		succeeds(t, s, "ROLLBACK TO a")
	}
	tagged(t, s, "UPDATE shelf SET height = -height WHERE name IN ('s1', 's2', 'old')", "UPDATE 3") // old stays as it is
	succeeds(t, s, "SAVEPOINT b")
	tagged(t, s, "INSERT INTO shelf VALUES ('s1', 5), ('s3', 5), ('x', 5) ON CONFLICT (name) DO UPDATE SET height = 5", "INSERT 0 3")
	tagged(t, s, many("70001", "140000"), "INSERT 0 70000")
	succeeds(t, s, "ROLLBACK TO b")
	tagged(t, s, "INSERT INTO shelf VALUES ('s70001', 5)", "INSERT 0 1") // its number is free again
	tagged(t, s, "UPDATE shelf SET height = 7 WHERE name = 's2'", "UPDATE 1")
	seen := "SELECT count(*), sum(height) FROM shelf"
	inside := must(t, s, seen)
	succeeds(t, s, "COMMIT")
	if diff := cmp.Diff(inside, must(t, s, seen)); diff != "" {
		t.Errorf("before and after COMMIT (-before +after):\n%s", diff)
	}
	got := must(t, s, "SELECT name || ':' || height FROM history.shelf WHERE commit_id = 3 AND (name IN ('s1', 's2', 's3', 's70000', 's70001', 'x', 'old') OR height < 0) ORDER BY name")
	if diff := cmp.Diff("s1:-1 s2:7 s3:3 s70000:70000 s70001:5", strings.Join(got, " ")); diff != "" {
		t.Errorf("commit 3 (-want +got):\n%s", diff)
	}
	answers(t, s, "SELECT count(*) FROM history.shelf", "70002")
}

func TestReturningOfManyRows(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, shop(t))
	h.ending = true
	s := h.session(t, "onto")
	got := must(t, s, many("1", "100000")+" RETURNING height, fields_json")
	if len(got) != 100000 || got[99999] != `100000|{"height":100000,"name":"s100000"}` {
		t.Errorf("%d rows, the last %q", len(got), got[len(got)-1])
	}
}
