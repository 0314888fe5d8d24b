package gateway_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/pgerr"
)

// TestCopyOverExistingRows loads rows of which some are there, by each of the ways
// that ontosql.on_conflict has.
func TestCopyOverExistingRows(t *testing.T) {
	for _, ending := range []bool{true, false} {
		h := newHouse(t, shop(t))
		h.ending = ending
		c := h.copier(t)
		tagged(t, c, `INSERT INTO item (sku, title, price, tags) VALUES (1, 'a', 1.5, '{"k":1}'), (2, 'b', 2.5, NULL)`, "INSERT 0 2")
		load := func(data, want string) {
			t.Helper()
			if tag, err := c.load(t, "COPY item (title, sku, price) FROM STDIN", strings.NewReader(data)); err != nil || tag != want {
				t.Errorf("ending %v: tag %q, %v; want %q", ending, tag, err, want)
			}
		}
		must(t, c, "SET ontosql.on_conflict = 'nothing'")
		load("x\t1\t9\nc\t3\t3.5\n", "COPY 1")
		must(t, c, "SET ontosql.on_conflict = 'update'")
		load("x\t1\t9\nc\t3\t3.5\nd\t4\t\\N\n", "COPY 3") // 3 is as it was
		want := []string{"1|x|9|{\"k\":1}|4", "2|b|2.5|NULL|2", "3|c|3.5|NULL|3", "4|d|NULL|NULL|4"}
		if diff := cmp.Diff(want, must(t, c, "SELECT sku, title, price::text, tags, commit_id FROM item ORDER BY 1")); diff != "" {
			t.Errorf("ending %v: rows (-want +got):\n%s", ending, diff)
		}
		for data, where := range map[string]string{
			"x\t1\t9\n\\N\t5\t1\n": "COPY item, line 2: \"\\N\t5\t1\"",
			"x\t1\t9\ny\tz\t1\n":   `COPY item, line 2, column sku: "z"`,
		} {
			_, err := c.load(t, "COPY item (title, sku, price) FROM STDIN", strings.NewReader(data))
			if e := asError(t, err); e.Where != where {
				t.Errorf("ending %v: %s, %s", ending, e.Message, e.Where)
			}
		}
		_, err := c.load(t, "COPY item (title, sku) FROM STDIN", strings.NewReader("x\t7\ny\t7\n"))
		if e := asError(t, err); e.Code != pgerr.CardinalityViolation {
			t.Errorf("ending %v: a key twice: %v", ending, err)
		}
		if got := must(t, c, "SELECT max(commit_id) FROM ontosql.commits"); got[0] != "4" {
			t.Errorf("ending %v: the head is %s", ending, got[0])
		}
	}
}

// TestCopyMeetsACommit lets another session commit while the data arrives.
func TestCopyMeetsACommit(t *testing.T) {
	for _, policy := range []string{"error", "update"} {
		h := newHouse(t, shop(t))
		h.ending = true
		c, other := h.copier(t), h.session(t, "onto")
		must(t, c, "SET ontosql.on_conflict = "+policy)
		met := false
		c.before = func(context.Context) error {
			if !met {
				met = true
				tagged(t, other, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
			}
			return nil
		}
		tag, err := c.load(t, "COPY shelf FROM STDIN", strings.NewReader("b\t2\na\t3\n"))
		switch policy {
		case "error":
			if e := asError(t, err); e.Code != pgerr.UniqueViolation || e.Where != "COPY shelf, line 2" {
				t.Errorf("%s: %v (%s)", policy, err, e.Where)
			}
		default:
			if err != nil || tag != "COPY 2" {
				t.Errorf("%s: %q, %v", policy, tag, err)
			}
			if got := must(t, c, "SELECT name, height, commit_id FROM shelf ORDER BY 1"); !cmp.Equal(got, []string{"a|3|3", "b|2|3"}) {
				t.Errorf("%s: %q", policy, got)
			}
		}
	}
}

func asError(t testing.TB, err error) *pgerr.Error {
	t.Helper()
	var e *pgerr.Error
	if !errors.As(err, &e) {
		t.Fatalf("the error is %v", err)
	}
	return e
}
