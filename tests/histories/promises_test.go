package histories

import "slices"

// checkNews: what does not change has no version.
func (h *history) checkNews(v *verdict, l *landed) {
	for _, s := range l.Rows {
		before := h.chain.at(s.identity, l.ID-1)
		if before.Commit != 0 && before.N == s.N && before.Op == s.Op {
			v.object(nil, "commit %d has a version of %s, which is as commit %d left it", l.ID, s.identity, before.Commit)
		}
	}
}

// checkSums: no commit makes money or destroys it, nor takes more from a pair of
// vaults than both hold.
func (h *history) checkSums(v *verdict, l *landed, o *op) {
	if h.opened == 0 || l.ID < h.opened {
		return
	}
	sum := int64(0)
	for i := range purses {
		sum += h.chain.at(purseOf(i), l.ID).N
	}
	if sum != purses*opening {
		v.object([]*op{o}, "at commit %d the purses hold %d, want %d", l.ID, sum, purses*opening)
	}
	for i := range pairs {
		if sum := h.chain.at(vaultOf(2*i), l.ID).N + h.chain.at(vaultOf(2*i+1), l.ID).N; sum < 0 {
			v.object([]*op{o}, "at commit %d the vaults of pair %d hold %d, want no less than nothing", l.ID, i, sum)
		}
	}
}

// checkOrder: a SERIALIZABLE transaction is one that ran alone at its commit, so
// all that it read is still so just before it.
func (h *history) checkOrder(v *verdict, l *landed, o *op) {
	if len(o.Reads) == 0 {
		return
	}
	var want []sight
	for _, s := range h.chain.whole(l.ID-1, false) {
		if slices.Contains(o.Reads, s.Type) {
			want = append(want, s)
		}
	}
	if diff := difference(want, o.Seen); diff != "" {
		v.object([]*op{o}, "commit %d is SERIALIZABLE operation %s, and what it read was not so any more (-before the commit +read):%s", l.ID, o.Tag, diff)
	}
}

// checkRefusals: the commit that a refusal names is there and did what it says.
func (h *history) checkRefusals(v *verdict) {
	for _, o := range h.ops {
		c := o.Clash
		if c == nil {
			continue
		}
		came := c.Actual > max(o.Pin, c.Expected) && c.Actual <= int64(len(h.chain.chain))
		switch {
		case c.Key != "":
			if !came || h.chain.at(c.identity, c.Actual).Commit != c.Actual {
				v.object([]*op{o}, "operation %s was refused because commit %d wrote %s after its pin %d, which it did not", o.Tag, c.Actual, c.identity, o.Pin)
			}
		case c.Type != "":
			if !came || !slices.ContainsFunc(h.chain.chain[c.Actual-1].Rows, func(s sight) bool { return s.Type == c.Type }) {
				v.object([]*op{o}, "operation %s was refused because commit %d wrote type %s after its pin %d, which it did not", o.Tag, c.Actual, c.Type, c.Expected)
			}
			if !slices.Contains(o.Reads, c.Type) {
				v.object([]*op{o}, "operation %s was refused over type %s, on which it does not hang", o.Tag, c.Type)
			}
		case !came || c.Expected != o.Expect:
			v.object([]*op{o}, "operation %s was refused because the head is %d and not %d, which it was", o.Tag, c.Actual, o.Expect)
		}
	}
}

// checkCounters: a counter is as high as the increments of it that are committed.
func (h *history) checkCounters(v *verdict, at map[string]int64) {
	for i := range counters {
		counter, want := counterOf(i), int64(0)
		var by []*op
		for _, o := range h.ops {
			for _, r := range o.Rows {
				if r.identity != counter || o.Outcome != committed && at[o.Tag] == 0 {
					continue
				}
				switch by = append(by, o); {
				case r.How == adding:
					want += r.N
				case r.Expected != 0: // one more than the version it saw
					want++
				}
			}
		}
		if got := h.chain.at(counter, int64(len(h.chain.chain))).N; got != want {
			v.object(by, "%s is %d in the end, its increments are %d", counter, got, want)
		}
	}
}

// checkIntents: of several tries of one intent one succeeds at most.
func (h *history) checkIntents(v *verdict, at map[string]int64) {
	done := map[string]*op{}
	for _, o := range h.ops {
		if o.Intent == "" || at[o.Tag] == 0 {
			continue
		}
		if other := done[o.Intent]; other != nil {
			v.object([]*op{other, o}, "commits %d and %d both are %s", at[other.Tag], at[o.Tag], o.Intent)
		}
		done[o.Intent] = o
	}
}

// checkGoingOn: a gateway whose head may be old never goes back, and knows what
// was committed through it. Of all others linearizability says more.
func (h *history) checkGoingOn(v *verdict) {
	for _, o := range h.ops {
		if o.Lag == 0 || o.Outcome != answered || o.Point != 0 {
			continue
		}
		for _, before := range h.ops {
			if before.Where == o.Where && before.Point == 0 && before.Return != 0 && before.Return < o.Call && max(before.Head, before.Commit) > o.Head {
				v.object([]*op{before, o}, "%s knew commit %d and then read the head %d", o.Where, max(before.Head, before.Commit), o.Head)
			}
		}
	}
}
