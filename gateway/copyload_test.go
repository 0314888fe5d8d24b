package gateway_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// loadRows are so many that COPY keeps their identities nowhere but in their file.
const loadRows = 70_000

// loadLines are rows of shelf from s<from> on, each by its own line of csv but for
// the third, which has two.
func loadLines(from, n int, more ...string) string {
	var data strings.Builder
	for i := range n {
		if i == 2 {
			data.WriteString("\"s\n\",0\n")
			continue
		}
		fmt.Fprintf(&data, "s%d,%d\n", from+i, i)
	}
	for _, line := range more {
		data.WriteString(line + "\n")
	}
	return data.String()
}

// TestLoadNamesTheFirstDuplicate loads many rows with duplicates, stored keys, or both. The
// error names the line of the first.
func TestLoadNamesTheFirstDuplicate(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	c := h.copier(t)
	must(t, c, "INSERT INTO shelf VALUES ('stored', 1), ('too', 1)")
	const sql = "COPY shelf FROM STDIN (FORMAT csv)"
	for _, tc := range []struct {
		more []string
		line int
		key  string
	}{
		{[]string{"s17,1", "s5,1"}, 1, "s17"},
		{[]string{"a,1", "stored,1", "too,1"}, 2, "stored"},
		{[]string{"stored,1", "s5,1", "stored,1"}, 1, "stored"},
		{[]string{"s5,1", "stored,1"}, 1, "s5"},
		{[]string{"stored ,1", "\"s\n\",1"}, 3, "s\n"}, // the second has two lines
	} {
		_, err := c.load(t, sql, strings.NewReader(loadLines(0, loadRows, tc.more...)))
		e := asError(t, err)
		want := fmt.Sprintf("COPY shelf, line %d", loadRows+1+tc.line)
		if e.Code != pgerr.UniqueViolation || e.Where != want || e.Detail != "Key (name)=("+tc.key+") already exists." {
			t.Errorf("%q: %s, %s, %s; want %s of %s", tc.more, e.Message, e.Detail, e.Where, want, tc.key)
		}
	}
	for from := range 2 {
		if tag, err := c.load(t, sql, strings.NewReader(strings.Replace(loadLines(from*loadRows, loadRows), "\"s\n\"", fmt.Sprint("t", from), 1))); err != nil || tag != fmt.Sprint("COPY ", loadRows) {
			t.Fatalf("a load without duplicates: %q, %v", tag, err)
		}
	}
	answers(t, c, "SELECT count(*), count(DISTINCT name), max(commit_id) FROM shelf", "140002|140002|4")
}

// TestLoadMeetsACommit lets another session commit while the data of a load
// arrives: of an identity that comes in it, or of another.
func TestLoadMeetsACommit(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	c, other := h.copier(t), h.session(t, "onto")
	for _, tc := range []struct{ name, where string }{{"s69990", "COPY shelf, line 69992"}, {"other", ""}} {
		left := 20 // pieces of data
		c.before = func(context.Context) error {
			if left--; left == 0 {
				tagged(t, other, "INSERT INTO shelf VALUES ('"+tc.name+"', 1)", "INSERT 0 1")
			}
			return nil
		}
		data := loadLines(0, loadRows)
		if tc.where == "" {
			data = loadLines(loadRows, loadRows)
		}
		tag, err := c.load(t, "COPY shelf FROM STDIN (FORMAT csv)", strings.NewReader(data))
		if tc.where == "" {
			if err != nil || tag != fmt.Sprint("COPY ", loadRows) {
				t.Errorf("%s: %q, %v", tc.name, tag, err)
			}
			continue
		}
		if e := asError(t, err); e.Code != pgerr.UniqueViolation || e.Where != tc.where {
			t.Errorf("%s: %v (%s)", tc.name, err, e.Where)
		}
	}
	answers(t, c, "SELECT commit_id, count(*) FROM shelf GROUP BY 1 ORDER BY 1", "2|1", "3|1", "4|70000")
}

// TestLoadOfARelation loads relations of one item with many shelves.
func TestLoadOfARelation(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	c := h.copier(t)
	lines := func(from, to int) string {
		var data strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&data, "1\tä%d\tslot %d\t\\N\n", i/2, i%2)
		}
		return data.String()
	}
	load := func(data string) error {
		_, err := c.load(t, "COPY standson FROM STDIN", strings.NewReader(data))
		return err
	}
	if e := asError(t, load(lines(0, loadRows)+lines(4, 5))); e.Where != "COPY standson, line 70001" {
		t.Errorf("a relation twice: %v (%s)", e, e.Where)
	}
	if err := load(lines(0, loadRows)); err != nil {
		t.Fatal(err)
	}
	if e := asError(t, load(lines(loadRows, 2*loadRows)+lines(69_999, 70_000))); e.Where != "COPY standson, line 70001" {
		t.Errorf("a stored relation: %v (%s)", e, e.Where)
	}
	if err := load(lines(loadRows, 2*loadRows)); err != nil {
		t.Fatal(err)
	}
	answers(t, c, "SELECT count(*), max(commit_id) FROM standson", "140000|3")
}
