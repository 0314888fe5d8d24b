package histories

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// small is a history without fault: it is founded by commit 2, a counter is
// incremented, money is transferred, and both are read in between.
func small() *history {
	founding := &op{Tag: "o0", What: "founding", Call: 1, Return: 5, Outcome: committed, Commit: 2, Attempt: "a2", Rows: founded()}
	h := &history{opened: 2, ops: []*op{
		founding,
		{Tag: "o1", What: "increment", Call: 10, Return: 20, Outcome: committed, Commit: 3, Attempt: "a3", Pin: 2, Rows: []row{{identity: counterOf(0), N: 1, Expected: 2}}},
		{Tag: "o2", What: "read", Call: 30, Return: 40, Outcome: answered, Head: 3, Seen: []sight{{counterOf(0), version{3, 1, "o1"}}}},
		{Tag: "o3", What: "transfer", Call: 50, Return: 60, Outcome: committed, Commit: 4, Attempt: "a4", Pin: 3, Rows: []row{
			{identity: purseOf(0), N: opening - 7, Expected: 2},
			{identity: purseOf(1), N: opening + 7, Expected: 2},
			{identity: identity{events, "e"}, N: 7},
			posting("purse-0", "e", -7),
		}},
		{Tag: "o4", What: "read", Call: 70, Return: 80, Outcome: answered, Head: 4, Seen: []sight{{counterOf(0), version{3, 1, "o1"}}, {purseOf(0), version{4, opening - 7, "o3"}}}},
	}}
	h.chain = newReplay(nil)
	h.chain.add(landed{ID: 1, Attempt: "a1", Schema: true})
	h.land(0)
	h.land(1)
	h.land(3)
	return h
}

// land puts an operation on the chain, as the next commit, with what became of its
// first rows, or all rows with their own.
func (h *history) land(i int, become ...int64) {
	o := h.ops[i]
	l := landed{ID: int64(len(h.chain.chain) + 1), Attempt: o.Attempt}
	for k, r := range o.Rows {
		switch {
		case len(become) == 0:
			l.Rows = append(l.Rows, sight{r.identity, version{l.ID, r.N, o.Tag}})
		case k < len(become):
			l.Rows = append(l.Rows, sight{r.identity, version{l.ID, become[k], o.Tag}})
		}
	}
	h.chain.add(l)
}

// rewrite builds the chain again from the commits that change returns.
func (h *history) rewrite(change func([]landed) []landed) {
	commits := change(h.chain.chain)
	h.chain = newReplay(nil)
	for _, l := range commits {
		h.chain.add(l)
	}
}

// then appends an operation.
func (h *history) then(o *op) *op {
	o.Tag = fmt.Sprint("o", len(h.ops))
	h.ops = append(h.ops, o)
	return o
}

// TestJudges hands the judges histories with and without a fault, made by hand:
// a proof is worth as much as its ability to fail.
func TestJudges(t *testing.T) {
	increment := func(call, end int64, result outcome) *op {
		return &op{What: "increment", Call: call, Return: end, Outcome: result, Pin: 4, Rows: []row{{identity: counterOf(0), N: 2, Expected: 3}}}
	}
	judgeAll(t, []hand{
		{"no fault", func(*history) {}, nil},
		{"an unknown outcome that is not visible", func(h *history) { h.then(increment(90, 0, unknown)) }, nil},
		{"an unknown outcome that is visible", func(h *history) {
			h.then(increment(90, 0, unknown))
			h.land(5)
			h.then(&op{What: "read", Call: 200, Return: 210, Outcome: answered, Head: 5, Seen: []sight{{counterOf(0), version{5, 2, "o5"}}}})
		}, nil},
		{"an unknown outcome that becomes visible late", func(h *history) {
			h.then(increment(90, 0, unknown))
			h.land(5)
			h.then(&op{What: "read", Call: 200, Return: 210, Outcome: answered, Head: 4, Seen: []sight{{counterOf(0), version{3, 1, "o1"}}}})
		}, nil},
		{"a conflict", func(h *history) {
			h.then(&op{What: "increment", Call: 25, Return: 29, Outcome: conflict, Pin: 2, Clash: &clash{counterOf(0), 2, 3}, Rows: []row{{identity: counterOf(0), N: 1, Expected: 2}}})
		}, nil},
		{"a lost commit", func(h *history) {
			h.then(increment(90, 100, committed)).Commit = 5
		}, []string{"operation o5 was acknowledged and is lost"}},
		{"a lost commit whose number another has now", func(h *history) {
			h.then(increment(90, 100, committed)).Commit = 5
			h.then(increment(110, 120, committed)).Commit = 5
			h.land(6)
		}, []string{"operation o5 was acknowledged and is lost", "commit 5 was acknowledged twice", "head is not linearizable", "counter-0 is not linearizable"}},
		{"a commit with another number than was said", func(h *history) {
			h.then(increment(90, 100, committed)).Commit = 6
			h.land(5)
		}, []string{"operation o5 is commit 5, its writer was told 6", "head is not linearizable"}},
		{"a commit that landed twice", func(h *history) {
			h.then(increment(90, 0, unknown))
			h.land(5)
			h.land(5)
		}, []string{"commits 5 and 6 both are operation o5", "its writer saw that of 3"}},
		{"an attempt that landed twice", func(h *history) {
			h.then(increment(90, 100, committed)).Attempt = "a4"
			h.land(5)
		}, []string{"commits 4 and 5 both are attempt a4"}},
		{"a failed commit that is visible", func(h *history) {
			h.then(increment(90, 100, failed))
			h.land(5)
		}, []string{"which was told that nothing is visible (failed)"}},
		{"a commit that nobody sent", func(h *history) {
			h.then(increment(90, 100, committed))
			h.land(5)
			h.ops = h.ops[:5]
		}, []string{`commit 5 has rows of "o5", which nobody sent`}},
		{"a stale read", func(h *history) {
			h.then(&op{What: "read", Call: 90, Return: 100, Outcome: answered, Head: 2, Seen: []sight{{counterOf(0), version{2, 0, "o0"}}}})
		}, []string{"head is not linearizable", "Account counter-0 is not linearizable"}},
		{"a read of the future", func(h *history) {
			h.then(&op{What: "read", Call: 90, Return: 100, Outcome: answered, Head: 5})
		}, []string{"commit 5 was read, the chain ends at 4", "head is not linearizable"}},
		{"a read of two heads", func(h *history) {
			h.then(&op{What: "read", Call: 55, Return: 58, Outcome: answered, Head: 3, Seen: []sight{{purseOf(0), version{2, opening, "o0"}}, {purseOf(1), version{4, opening + 7, "o3"}}}})
		}, []string{"read of commit 3 is not what the chain has there"}},
		{"a past that is not what it was", func(h *history) {
			h.then(&op{What: "read", Call: 90, Return: 100, Outcome: answered, Point: 3, Seen: []sight{{purseOf(0), version{4, opening - 7, "o3"}}}})
		}, []string{"read of commit 3 is not what the chain has there"}},
		{"a whole read that lacks a row", func(h *history) {
			h.then(&op{What: "read", Call: 90, Return: 100, Outcome: answered, Point: 4, Whole: true, Seen: h.chain.whole(4, false)[1:]})
		}, []string{"read of commit 4 is not what the chain has there"}},
		{"half a transaction", func(h *history) {
			h.rewrite(func(c []landed) []landed { c[3].Rows = c[3].Rows[:3]; return c })
		}, []string{"commit 4 is operation o3, and not as it was sent"}},
		{"half a transfer", func(h *history) {
			h.rewrite(func(c []landed) []landed { c[3].Rows = c[3].Rows[1:]; return c })
		}, []string{"commit 4 is operation o3, and not as it was sent", "at commit 4 the purses hold 507, want 500"}},
		{"two transactions in one commit", func(h *history) {
			h.rewrite(func(c []landed) []landed { c[3].Rows = append(c[3].Rows, c[2].Rows...); return c })
		}, []string{"commit 4 has rows of several operations"}},
		{"a lost update", func(h *history) {
			h.then(increment(90, 100, committed)).Commit = 5
			h.then(increment(90, 100, committed)).Commit = 6
			h.land(5)
			h.land(6)
		}, []string{"commit 6 wrote Account counter-0 after the version of commit 5, its writer saw that of 3", "counter-0 is not linearizable"}},
		{"commits that overtake", func(h *history) {
			h.then(increment(110, 120, committed)).Commit = 5
			h.land(5)
			h.then(&op{What: "insert", Call: 90, Return: 100, Outcome: committed, Commit: 6, Rows: []row{{identity: identity{events, "f"}}}})
			h.land(6)
		}, []string{"head is not linearizable"}},
		{"a conflict with a commit that wrote something else", func(h *history) {
			h.then(&op{What: "increment", Call: 90, Return: 100, Outcome: conflict, Pin: 3, Clash: &clash{counterOf(0), 2, 4}, Rows: []row{{identity: counterOf(0), N: 1, Expected: 2}}})
		}, []string{"because commit 4 wrote Account counter-0 after its pin 3, which it did not"}},
		{"a conflict before anything came first", func(h *history) {
			h.then(&op{What: "increment", Call: 6, Return: 8, Outcome: conflict, Pin: 2, Clash: &clash{counterOf(0), 2, 3}, Rows: []row{{identity: counterOf(0), N: 1, Expected: 2}}})
		}, []string{"counter-0 is not linearizable"}},
		{"a key that exists before it does", func(h *history) {
			h.then(&op{What: "insert", Call: 30, Return: 40, Outcome: exists, Rows: []row{{identity: identity{events, "e"}}}})
		}, []string{"Event e is not linearizable"}},
		{"an original's sum that is wrong", func(h *history) {
			h.then(&op{What: "add", Call: 90, Return: 100, Outcome: committed, Commit: 5, Rows: []row{{identity: counterOf(0), N: 1, How: adding}}})
			h.land(5) // with 1, where 2 is right
		}, []string{"commit 5 is operation o5, and not as it was sent", "counter-0 is not linearizable"}},
		{"a fate that is not so", func(h *history) {
			h.then(increment(90, 0, unknown)).Fate = []string{"in progress", "committed"}
			h.then(increment(90, 0, unknown)).Fate = []string{"in progress", "aborted"}
			h.land(6)
		}, []string{
			`operation o5 is commit 0 (0: none), ontosql.commit_outcome said ["in progress" "committed"]`,
			`operation o6 is commit 5 (0: none), ontosql.commit_outcome said ["in progress" "aborted"]`,
		}},
		{"an error that nothing explains", func(h *history) {
			h.then(increment(90, 100, failed)).Odd = true
		}, []string{"an error that nothing explains"}},
	})
}

// hand is a change of a small history, made by hand.
type hand struct {
	name string
	do   func(h *history)
	want []string // the expected violations; none means that the history is correct
}

func judgeAll(t *testing.T, hands []hand) {
	for _, tc := range hands {
		t.Run(tc.name, func(t *testing.T) {
			h := small()
			tc.do(h)
			v := h.judge("")
			var got []string
			for _, found := range v.violations {
				got = append(got, found.String())
			}
			for _, want := range tc.want {
				if !slices.ContainsFunc(got, func(text string) bool { return strings.Contains(text, want) }) {
					t.Errorf("the judges say %q, want %q among it", got, want)
				}
			}
			if len(tc.want) == 0 && len(got) > 0 {
				t.Errorf("the judges object to a sound history: %q", got)
			}
		})
	}
}

// TestDrawing: for a register that is not linearizable a drawing is kept, and the operations
// around the fault are listed.
func TestDrawing(t *testing.T) {
	h, dir := small(), t.TempDir()
	h.then(&op{What: "read", Call: 90, Return: 100, Outcome: answered, Head: 4, Seen: []sight{{counterOf(0), version{2, 0, "o0"}}}})
	v := h.judge(dir)
	picture := filepath.Join(dir, "Account-counter-0.html")
	if body, err := os.ReadFile(picture); err != nil || !strings.Contains(string(body), "read 0 of commit 2") {
		t.Errorf("the picture has %d bytes (%v), want it to show the stale read", len(body), err)
	}
	if !slices.ContainsFunc(v.violations, func(f *violation) bool {
		return strings.Contains(f.String(), picture) && strings.Contains(f.String(), "o5 [90ns, 100ns] client 0 at : read answered at head 4")
	}) {
		t.Errorf("the judges say %v, want the picture's name and the stale read", v.violations)
	}
}
