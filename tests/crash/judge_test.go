package crash

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestLedgerNotices shows the ledger stores that do what none may do.
func TestLedgerNotices(t *testing.T) {
	// The ledger's ops: 1 acknowledged, 2 refused, 3 unknown, 4 unknown.
	told := []verdict{acknowledged, refused, unknown, unknown}
	for name, test := range map[string]struct {
		commits map[int64]int64 // which op's rows each commit shows
		change  func(*sight)
		want    string // in the error, "" for none
		landed  int
	}{
		"all is well":           {commits: map[int64]int64{2: 1}},
		"an unknown one landed": {commits: map[int64]int64{2: 3, 3: 1}, landed: 1},
		"both landed":           {commits: map[int64]int64{2: 3, 3: 1, 4: 4}, landed: 2},
		"lost":                  {commits: map[int64]int64{2: 3}, want: "an acknowledged commit is lost: op 1 "},
		"a refused one is there": {
			commits: map[int64]int64{2: 1, 3: 2}, want: "commit 3 was called a failure: op 2 ",
		},
		"twice": {commits: map[int64]int64{2: 1, 3: 1}, want: "commits 2 and 3 are both op 1 "},
		"half": {
			commits: map[int64]int64{2: 1, 3: 3}, want: "half a commit: commit 3 ",
			change: func(s *sight) { s.rows[3], s.counts[3] = s.rows[3][1:], s.counts[3]-1 },
		},
		"another value": {
			commits: map[int64]int64{2: 1, 3: 3}, want: "half a commit: commit 3 ",
			change: func(s *sight) { s.rows[3][4] = "subscription|c3|3|7" },
		},
		"rows of nobody": {commits: map[int64]int64{2: 1, 3: 9}, want: "commit 3 has rows that nobody wrote"},
		"a gap": {
			commits: map[int64]int64{2: 1, 3: 3}, want: "has 2 commits up to 3",
			change: func(s *sight) { s.commits-- },
		},
		"a commit that hides a row": {
			commits: map[int64]int64{2: 1}, want: "commit 2 shows 5 rows, ontosql.commits says 6",
			change: func(s *sight) { s.counts[2]++ },
		},
		"a head that went back": {commits: map[int64]int64{}, change: func(s *sight) { s.head, s.commits = 0, 0 }, want: "at least 1"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger(newFigures())
			for _, v := range told {
				l.begin(transactions).verdict = v
			}
			s := shows(test.commits)
			if test.change != nil {
				test.change(s)
			}
			landed, err := l.settle(s)
			check(t, err, test.want)
			if test.want == "" && landed != test.landed {
				t.Errorf("%d unknown ops are said to be visible, want %d", landed, test.landed)
			}
		})
	}
}

// TestLedgerRemembers shows it stores that were well once.
func TestLedgerRemembers(t *testing.T) {
	for name, test := range map[string]struct {
		later map[int64]int64
		whole bool
		want  string
	}{
		"the same":                     {later: map[int64]int64{2: 1}, whole: true},
		"what was gone is there":       {later: map[int64]int64{3: 2}, want: "commit 3 has rows that nobody wrote since the last look, or that were gone then"},
		"an old commit changed":        {later: map[int64]int64{2: 2}, whole: true, want: "commit 2 shows "},
		"an old commit is gone":        {later: map[int64]int64{}, whole: true, want: "the head is 1, want 2"},
		"a commit that nobody noticed": {later: map[int64]int64{2: 1, 3: 2}, whole: true, want: "the head is 3, want 2"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger(newFigures())
			l.begin(transactions).verdict = acknowledged
			l.begin(transactions).verdict = unknown
			if _, err := l.settle(shows(map[int64]int64{2: 1})); err != nil {
				t.Fatal(err)
			}
			s := shows(test.later)
			if test.whole {
				check(t, l.whole(s), test.want)
				return
			}
			s.commits, s.head = 3, 3
			_, err := l.settle(s)
			check(t, err, test.want)
		})
	}
}

// TestLedgerCounts shows it counters: of two ops, the first acknowledged and the
// second unknown, each makes one more of the same.
func TestLedgerCounts(t *testing.T) {
	one := func(op int64) []row {
		return []row{{"customer", []any{"count-0", fmt.Sprint("by op ", op), oneMore{}}}}
	}
	first, second := "customer|count-0|by op 1|", "customer|count-0|by op 2|"
	for name, test := range map[string]struct {
		commits []string
		latest  map[int64][]string
		want    string
	}{
		"one":                            {commits: []string{first + "1"}},
		"both":                           {commits: []string{first + "1", second + "2"}, latest: map[int64][]string{3: {second + "2"}}},
		"in the other order":             {commits: []string{second + "1", first + "2"}},
		"a lost increment":               {commits: []string{first + "1", second + "1"}, want: `commit 3 has "` + second + `1" where 1 stood before`},
		"an increment that counts twice": {commits: []string{first + "2"}, want: `commit 2 has "` + first + `2" where 0 stood before`},
		"an increment that comes twice":  {commits: []string{first + "1", first + "2"}, want: "commits 2 and 3 are both op 1 "},
		"no number":                      {commits: []string{first + "NULL"}, want: `commit 2 has "` + first + `NULL" where 0 stood before`},
		"an old version is the latest": {
			commits: []string{first + "1", second + "2"}, latest: map[int64][]string{2: {first + "1"}},
			want: "of commit 2 the latest rows are",
		},
		"two versions are the latest": {
			commits: []string{first + "1", second + "2"}, latest: map[int64][]string{2: {first + "1"}, 3: {second + "2"}},
			want: "of commit 2 the latest rows are",
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger(newFigures())
			l.begin(shape{rows: one}).verdict = acknowledged
			l.begin(shape{rows: one}).verdict = unknown
			s := &sight{head: 1, rows: map[int64][]string{}, counts: map[int64]int64{}}
			for _, text := range test.commits {
				s.head++
				s.rows[s.head], s.counts[s.head] = []string{text}, 1
			}
			s.commits = s.head
			_, err := l.settle(s)
			if test.latest != nil {
				err = errors.Join(err, l.latest(&sight{head: s.head, rows: test.latest}))
			}
			check(t, err, test.want)
		})
	}
}

// shows is a sight of the first commit and these, each with an op's rows.
func shows(commits map[int64]int64) *sight {
	s := &sight{commits: int64(len(commits)) + 1, rows: map[int64][]string{}, counts: map[int64]int64{}}
	s.head = s.commits
	for _, id := range slices.Sorted(maps.Keys(commits)) {
		o := op{rows: family(commits[id])}
		s.rows[id] = o.texts()
		s.counts[id] = int64(len(o.rows))
	}
	return s
}

func check(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("got %v, want an error that says %q", err, want)
	}
}
