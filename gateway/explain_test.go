package gateway_test

import (
	"strings"
	"testing"
)

func TestExplainOfAnInsertWritesNothing(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	s := h.session(t, "onto")
	tagged(t, s, "INSERT INTO shelf VALUES ('a', 1)", "INSERT 0 1")
	lines := strings.Join(must(t, s, "EXPLAIN INSERT INTO shelf SELECT name || '2', height FROM shelf"), "\n")
	for _, want := range []string{"Insert on public.shelf\n", "Pin: commit 2\n", "->  public.shelf", "Files: 1 considered, 0 pruned, 1 read"} {
		if !strings.Contains(lines, want) {
			t.Errorf("EXPLAIN of an INSERT lacks %q:\n%s", want, lines)
		}
	}
	refused(t, s, "0A000", "EXPLAIN ANALYZE INSERT INTO shelf VALUES ('b', 1)")
	if got := must(t, s, "SELECT count(*), (SELECT max(commit_id) FROM ontosql.commits) FROM shelf"); got[0] != "1|2" {
		t.Errorf("after EXPLAIN the rows and the head are %q, want 1|2", got)
	}
}
