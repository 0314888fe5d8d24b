package histories

import (
	"fmt"
	"slices"
	"strings"
)

// history is the input of the checks: the operations as their clients saw them, and the final
// chain.
type history struct {
	ops    []*op
	chain  *replay
	opened int64 // the first commit that is an operation, which put money into the purses
}

// violation is a promise that was not kept.
type violation struct {
	what string
	ops  []*op // of the part of the history that shows it
}

// shownOps is how many operations of a violation are printed; the others lie in
// the file of the history.
const shownOps = 30

func (v *violation) String() string {
	var b strings.Builder
	b.WriteString(v.what)
	for i, o := range v.ops {
		if i == shownOps {
			fmt.Fprintf(&b, "\n    and %d more", len(v.ops)-i)
			break
		}
		b.WriteString("\n    " + o.String())
	}
	return b.String()
}

// verdict is what the judges say of a history.
type verdict struct {
	violations []*violation
	partitions int // that porcupine decided
}

func (v *verdict) object(ops []*op, text string, args ...any) {
	v.violations = append(v.violations, &violation{fmt.Sprintf(text, args...), ops})
}

// judge holds a history against the model and against porcupine, whose
// drawings go to dir.
func (h *history) judge(dir string) verdict {
	var v verdict
	at := h.checkChain(&v)
	h.checkAnswers(&v, at)
	h.checkRefusals(&v)
	h.checkCounters(&v, at)
	h.checkIntents(&v, at)
	h.checkReads(&v)
	h.checkGoingOn(&v)
	for _, p := range h.partitions(at) {
		v.partitions++
		if found := p.check(dir); found != nil {
			v.violations = append(v.violations, found)
		}
	}
	return v
}

// checkChain replays the chain: every commit is one whole operation that
// somebody asked for, made of the versions that it says it saw. It returns the
// commit of each operation.
func (h *history) checkChain(v *verdict) map[string]int64 {
	byTag := map[string]*op{}
	for _, o := range h.ops {
		byTag[o.Tag] = o
	}
	at, attempts := map[string]int64{}, map[string]int64{}
	for i := range h.chain.chain {
		l := &h.chain.chain[i]
		if other, twice := attempts[l.Attempt]; twice && l.Attempt != "" {
			v.object(nil, "commits %d and %d both are attempt %s", other, l.ID, l.Attempt)
		}
		attempts[l.Attempt] = l.ID
		if len(l.Rows) == 0 {
			if !l.Schema {
				v.object(nil, "commit %d changes nothing", l.ID)
			}
			continue
		}
		h.checkNews(v, l)
		tag := l.Rows[0].Op
		o := byTag[tag]
		switch {
		case slices.ContainsFunc(l.Rows, func(s sight) bool { return s.Op != tag }):
			v.object(nil, "commit %d has rows of several operations: %v", l.ID, l.Rows)
			continue
		case o == nil:
			v.object(nil, "commit %d has rows of %q, which nobody sent: %v", l.ID, tag, l.Rows)
			continue
		case at[tag] != 0:
			v.object([]*op{o}, "commits %d and %d both are operation %s", at[tag], l.ID, tag)
		}
		at[tag] = l.ID
		h.checkRows(v, l, o)
		h.checkSums(v, l, o)
		h.checkOrder(v, l, o)
	}
	return at
}

// checkRows holds a commit against the operation that it is.
func (h *history) checkRows(v *verdict, l *landed, o *op) {
	if o.Outcome != committed && o.Outcome != unknown {
		v.object([]*op{o}, "commit %d is operation %s, which was told that nothing is visible (%s)", l.ID, o.Tag, o.Outcome)
	}
	if o.Attempt != "" && o.Attempt != l.Attempt {
		v.object([]*op{o}, "commit %d is attempt %q, its writer was told %q", l.ID, l.Attempt, o.Attempt)
	}
	var want []sight
	for i := range o.Rows {
		r := &o.Rows[i]
		before, stands := h.chain.at(r.identity, l.ID-1), h.chain.at(r.identity, l.ID)
		n, writes := r.after(before)
		if r.How == totalling {
			n = inVaults(h.chain.whole(l.ID-1, false), -1)
		}
		there := stands.Commit == l.ID
		switch {
		case r.How == expecting && before.Commit != r.Expected:
			v.object([]*op{o}, "commit %d wrote %s after the version of commit %d, its writer saw that of %d", l.ID, r.identity, before.Commit, r.Expected)
		case !writes && there:
			v.object([]*op{o}, "commit %d wrote %s, which was to stay as commit %d had it", l.ID, r.identity, before.Commit)
		}
		switch {
		case there && (r.Told != nil && *r.Told != stands.N || o.Returned && r.Told == nil && o.Outcome == committed):
			v.object([]*op{o}, "commit %d made %s %d, RETURNING said otherwise", l.ID, r.identity, stands.N)
		case !there && r.Told != nil:
			v.object([]*op{o}, "commit %d did not write %s, RETURNING said that it became %d", l.ID, r.identity, *r.Told)
		}
		if there || !r.optional() { // whether it was right to leave it, its register says
			want = append(want, sight{r.identity, version{l.ID, n, o.Tag}})
		}
	}
	for _, s := range l.Rows {
		names := func(r row) bool { return r.identity == s.identity }
		if slices.ContainsFunc(o.Undone, names) && !slices.ContainsFunc(o.Rows, names) {
			v.object([]*op{o}, "commit %d has %s, which operation %s rolled back", l.ID, s.identity, o.Tag)
		}
	}
	if diff := difference(want, l.Rows); diff != "" {
		v.object([]*op{o}, "commit %d is operation %s, and not as it was sent (-sent +stored):%s", l.ID, o.Tag, diff)
	}
}

// checkAnswers compares the answers that writers received with the chain.
func (h *history) checkAnswers(v *verdict, at map[string]int64) {
	claimed := map[int64]*op{}
	for _, o := range h.ops {
		if o.Odd {
			v.object([]*op{o}, "an error that nothing explains")
		}
		if visible := at[o.Tag] != 0; slices.Contains(o.Fate, "aborted") && visible || slices.Contains(o.Fate, "committed") && !visible {
			v.object([]*op{o}, "operation %s is commit %d (0: none), ontosql.commit_outcome said %q", o.Tag, at[o.Tag], o.Fate)
		}
		if o.Outcome != committed {
			continue
		}
		if at[o.Tag] == 0 {
			v.object([]*op{o}, "operation %s was acknowledged and is lost", o.Tag)
		} else if o.Commit != 0 && at[o.Tag] != o.Commit {
			v.object([]*op{o}, "operation %s is commit %d, its writer was told %d", o.Tag, at[o.Tag], o.Commit)
		}
		if o.Expect != 0 && at[o.Tag] != 0 && at[o.Tag] != o.Expect+1 {
			v.object([]*op{o}, "operation %s expected the head %d, and is commit %d", o.Tag, o.Expect, at[o.Tag])
		}
		if other := claimed[o.Commit]; other != nil {
			v.object([]*op{other, o}, "commit %d was acknowledged twice", o.Commit)
		}
		if o.Commit != 0 {
			claimed[o.Commit] = o
		}
	}
}

// checkReads holds what readers saw against the model at the point they saw.
func (h *history) checkReads(v *verdict) {
	for _, o := range h.ops {
		if o.Outcome != answered {
			continue
		}
		point := o.Head
		if o.Point != 0 {
			point = o.Point
		}
		if point > int64(len(h.chain.chain)) {
			v.object([]*op{o}, "commit %d was read, the chain ends at %d", point, len(h.chain.chain))
			continue
		}
		if o.Head < o.After {
			v.object([]*op{o}, "the head %d was read after commit %d was waited for", o.Head, o.After)
		}
		var want []sight
		switch {
		case o.Whole:
			want = h.chain.whole(point, o.All)
		default:
			for _, s := range o.Seen {
				want = append(want, sight{s.identity, h.chain.at(s.identity, point)})
			}
		}
		if diff := difference(want, o.Seen); diff != "" {
			v.object([]*op{o}, "%s of commit %d is not what the chain has there (-chain +read):%s", o.What, point, diff)
		}
	}
}

// difference returns a line for each observation that occurs more often in one list than in the
// other, or "".
func difference(want, got []sight) string {
	count := map[sight]int{}
	for _, s := range want {
		count[s]--
	}
	for _, s := range got {
		count[s]++
	}
	var lines []string
	for s, n := range count {
		if n != 0 {
			lines = append(lines, fmt.Sprintf("\n    %+d %s = %d of commit %d by %s", n, s.identity, s.N, s.Commit, s.Op))
		}
	}
	slices.Sort(lines)
	if len(lines) > shownOps {
		lines = append(lines[:shownOps], fmt.Sprintf("\n    and %d more", len(lines)-shownOps))
	}
	return strings.Join(lines, "")
}
