package histories

import "testing"

func told(n int64) *int64 { return &n }

// TestJudgesOfWrites hands the judges what UPDATE, ON CONFLICT, MERGE, savepoints
// and their kin must not do.
func TestJudgesOfWrites(t *testing.T) {
	counter := row{identity: counterOf(0), N: 1, How: adding}
	update := func(call, end int64, made int64) *op {
		r := counter
		r.Told = told(made)
		return &op{What: "update", Call: call, Return: end, Outcome: committed, Returned: true, Rows: []row{r}}
	}
	five := func(key string, h how) row { return row{identity: identity{events, key}, N: 5, How: h} }
	flag := row{identity: flagOf(0), How: ifOther}
	judgeAll(t, []hand{
		{"increments", func(h *history) {
			h.then(update(90, 100, 3)).Commit = 6
			h.then(update(90, 95, 2)).Commit = 5
			h.land(6, 2)
			h.land(5, 3)
		}, nil},
		{"a lost update", func(h *history) {
			h.then(update(90, 100, 2))
			h.then(update(90, 100, 2))
			h.land(5, 2)
			h.land(6, 2)
		}, []string{"commit 6 is operation o6, and not as it was sent", "counter-0 is not linearizable", "counter-0 is 2 in the end, its increments are 3"}},
		{"an increment that is lost without a trace", func(h *history) {
			h.then(update(90, 100, 2))
		}, []string{"operation o5 was acknowledged and is lost", "counter-0 is 1 in the end, its increments are 2"}},
		{"an increment that was run again after it was committed", func(h *history) {
			h.then(update(90, 100, 2))
			h.land(5, 2)
			h.land(5, 3)
		}, []string{"commits 5 and 6 both are operation o5", "counter-0 is 3 in the end, its increments are 2"}},
		{"an increment applied twice in one commit", func(h *history) {
			h.then(update(90, 100, 2))
			h.land(5, 3)
		}, []string{"commit 5 is operation o5, and not as it was sent", "commit 5 made Account counter-0 3, RETURNING said otherwise", "counter-0 is not linearizable"}},
		{"a RETURNING of the try before", func(h *history) {
			h.then(update(90, 100, 1))
			h.land(5, 2)
		}, []string{"commit 5 made Account counter-0 2, RETURNING said otherwise"}},
		{"a RETURNING that says nothing of a row", func(h *history) {
			h.then(update(90, 100, 2)).Rows[0].Told = nil
			h.land(5, 2)
		}, []string{"commit 5 made Account counter-0 2, RETURNING said otherwise"}},
		{"two tries of one intent", func(h *history) {
			o := h.then(update(90, 100, 2))
			o.Outcome, o.Intent = conflict, "intent-1"
			h.then(update(110, 120, 3)).Intent = "intent-1"
			h.land(5, 2)
			h.land(6, 3)
		}, []string{"which was told that nothing is visible (conflict)", "commits 5 and 6 both are intent-1"}},
		{"a row that does not change and has a version", func(h *history) {
			h.then(&op{What: "flag", Call: 90, Return: 100, Outcome: committed, Rows: []row{{identity: counterOf(1), N: 7}}})
			h.land(5)
			h.rewrite(func(c []landed) []landed {
				c[4].Rows = append(c[4].Rows, sight{purseOf(2), version{5, opening, "o0"}})
				return c
			})
		}, []string{"commit 5 has a version of Account purse-2, which is as commit 2 left it"}},
		{"an UPDATE to what was there", func(h *history) {
			h.then(&op{What: "flag", Call: 90, Return: 100, Outcome: nothing, Returned: true, Rows: []row{flag}})
		}, nil},
		{"an UPDATE to what was there makes a version", func(h *history) {
			r := flag
			r.Told = told(0)
			h.then(&op{What: "flag", Call: 90, Return: 100, Outcome: committed, Returned: true, Rows: []row{r}})
			h.land(5)
		}, []string{"commit 5 wrote Account flag-0, which was to stay as commit 2 had it", "flag-0 is not linearizable"}},
		{"nothing is said to change, and it does", func(h *history) {
			h.then(&op{What: "flag", Call: 90, Return: 100, Outcome: nothing, Returned: true, Rows: []row{{identity: flagOf(0), N: 1, How: ifOther}}})
		}, []string{"flag-0 is not linearizable"}},
		{"a commit of nothing", func(h *history) {
			h.then(&op{What: "flag", Call: 90, Return: 100, Outcome: nothing, Returned: true, Rows: []row{flag}})
			h.land(5)
		}, []string{"which was told that nothing is visible (nothing)"}},
		{"one key is new and another is there", func(h *history) {
			here, fresh := five("e", ifNew), five("f", ifNew)
			fresh.Told = told(5)
			h.then(&op{What: "insert missing", Call: 90, Return: 100, Outcome: committed, Returned: true, Rows: []row{fresh, here}})
			h.land(5, 5)
		}, nil},
		{"DO NOTHING that does something", func(h *history) {
			h.then(&op{What: "insert missing", Call: 90, Return: 100, Outcome: committed, Rows: []row{five("e", ifNew)}})
			h.land(5)
		}, []string{"commit 5 wrote Event e, which was to stay as commit 4 had it", "Event e is not linearizable"}},
		{"DO NOTHING of a key that is not there", func(h *history) {
			h.then(&op{What: "insert missing", Call: 90, Return: 100, Outcome: nothing, Returned: true, Rows: []row{five("f", ifNew)}})
		}, []string{"Event f is not linearizable"}},
		{"a key that RETURNING names and the commit lacks", func(h *history) {
			a, b := five("f", ifNew), five("g", ifNew)
			a.Told, b.Told = told(5), told(5)
			h.then(&op{What: "insert missing", Call: 90, Return: 100, Outcome: committed, Returned: true, Rows: []row{a, b}})
			h.land(5, 5)
		}, []string{"commit 5 did not write Event g, RETURNING said that it became 5", "Event g is not linearizable"}},
		{"an upsert that replaces what it should add to", func(h *history) {
			h.then(&op{What: "upsert", Call: 90, Return: 100, Outcome: committed, Rows: []row{counter}})
			h.land(5, 1)
		}, []string{"commit 5 is operation o5, and not as it was sent", "counter-0 is not linearizable"}},
		{"half of a transfer by updates", func(h *history) {
			h.then(&op{What: "transfer", Call: 90, Return: 100, Outcome: committed, Rows: []row{{identity: purseOf(2), N: -7, How: adding}, {identity: purseOf(3), N: 7, How: adding}}})
			h.land(5, opening-7)
		}, []string{"commit 5 is operation o5, and not as it was sent", "at commit 5 the purses hold 493, want 500"}},
		{"what was rolled back", func(h *history) {
			h.then(&op{What: "savepoints", Call: 90, Return: 100, Outcome: committed, Rows: []row{five("f", expecting)}, Undone: []row{five("g", expecting), counter}})
			h.land(5)
		}, nil},
		{"what was rolled back is visible", func(h *history) {
			o := h.then(&op{What: "savepoints", Call: 90, Return: 100, Outcome: committed, Rows: []row{five("f", expecting), five("g", expecting)}})
			h.land(5)
			o.Rows, o.Undone = o.Rows[:1], o.Rows[1:]
		}, []string{"commit 5 has Event g, which operation o5 rolled back"}},
		{"an increment that was rolled back counts", func(h *history) {
			h.then(&op{What: "savepoints", Call: 90, Return: 100, Outcome: committed, Rows: []row{counter}, Undone: []row{counter}})
			h.land(5, 3)
		}, []string{"commit 5 is operation o5, and not as it was sent", "counter-0 is not linearizable", "counter-0 is 3 in the end, its increments are 2"}},
		{"a commit on another head than expected", func(h *history) {
			h.then(&op{What: "update", Call: 90, Return: 100, Outcome: committed, Expect: 3, Rows: []row{five("f", expecting)}})
			h.land(5)
		}, []string{"operation o5 expected the head 3, and is commit 5"}},
		{"another head than expected", func(h *history) {
			h.then(&op{What: "update", Call: 45, Return: 65, Outcome: conflict, Expect: 3, Clash: &clash{Expected: 3, Actual: 4}, Rows: []row{counter}})
		}, nil},
		{"another head than expected, which is not there yet", func(h *history) {
			h.then(&op{What: "update", Call: 30, Return: 40, Outcome: conflict, Expect: 3, Clash: &clash{Expected: 3, Actual: 4}, Rows: []row{counter}})
		}, []string{"head is not linearizable"}},
		{"another head than expected, which there never is", func(h *history) {
			h.then(&op{What: "update", Call: 90, Return: 100, Outcome: conflict, Expect: 4, Clash: &clash{Expected: 4, Actual: 5}, Rows: []row{counter}})
		}, []string{"operation o5 was refused because the head is 5 and not 4, which it was", "head is not linearizable"}},
	})
}

// TestJudgesOfOrder hands the judges transactions that are not equal to any
// order, and gateways that read old heads in a way they must not.
func TestJudgesOfOrder(t *testing.T) {
	// withdraw takes n from a vault after a look at all vaults at head 4.
	withdraw := func(h *history, vault int, n int64) *op {
		o := h.then(&op{What: "withdraw", Call: 90, Return: 100, Outcome: committed, Reads: []string{vaults}, Rows: []row{{identity: vaultOf(vault), N: -n, How: adding}}})
		for i := range 2 * pairs {
			o.Seen = append(o.Seen, sight{vaultOf(i), version{2, treasure, "o0"}})
		}
		return o
	}
	old := func(call, end, head, lag int64) *op {
		return &op{What: "read", Where: "gateway-0", Call: call, Return: end, Outcome: answered, Head: head, Lag: lag}
	}
	judgeAll(t, []hand{
		{"a withdrawal", func(h *history) {
			withdraw(h, 0, 30)
			h.land(5, treasure-30)
		}, nil},
		{"write skew", func(h *history) {
			withdraw(h, 0, 30)
			withdraw(h, 1, 30)
			h.land(5, treasure-30)
			h.land(6, treasure-30)
		}, []string{"commit 6 is SERIALIZABLE operation o6, and what it read was not so any more", "at commit 6 the vaults of pair 0 hold -20"}},
		{"write skew that breaks nothing", func(h *history) {
			withdraw(h, 0, 3)
			withdraw(h, 1, 3)
			h.land(5, treasure-3)
			h.land(6, treasure-3)
		}, []string{"commit 6 is SERIALIZABLE operation o6, and what it read was not so any more"}},
		{"a vault that a transaction did not see", func(h *history) {
			h.then(&op{What: "deposit", Call: 90, Return: 95, Outcome: committed, Rows: []row{{identity: identity{vaults, "new"}, N: 1, How: adding}}})
			h.land(5)
			withdraw(h, 0, 3)
			h.land(6, treasure-3)
		}, []string{"commit 6 is SERIALIZABLE operation o6, and what it read was not so any more"}},
		{"an audit", func(h *history) {
			h.then(&op{What: "audit", Call: 90, Return: 95, Outcome: committed, Rows: []row{{identity: identity{events, "a"}, How: totalling, Told: told(4 * treasure)}}})
			h.land(5, 4*treasure)
		}, nil},
		{"an audit of what was", func(h *history) {
			withdraw(h, 0, 3)
			h.land(5, treasure-3)
			h.then(&op{What: "audit", Call: 90, Return: 95, Outcome: committed, Rows: []row{{identity: identity{events, "a"}, How: totalling}}})
			h.land(6, 4*treasure)
		}, []string{"commit 6 is operation o6, and not as it was sent"}},
		{"a refusal because of what was read", func(h *history) {
			withdraw(h, 0, 3)
			h.land(5, treasure-3)
			o := withdraw(h, 1, 3)
			o.Outcome, o.Clash = conflict, &clash{identity{Type: vaults}, 4, 5}
		}, nil},
		{"a refusal because of what nobody wrote", func(h *history) {
			o := withdraw(h, 1, 3)
			o.Outcome, o.Clash = conflict, &clash{identity{Type: vaults}, 3, 4}
		}, []string{"operation o5 was refused because commit 4 wrote type Vault after its pin 3, which it did not"}},
		{"a refusal because of what was not read", func(h *history) {
			o := withdraw(h, 1, 3)
			o.Outcome, o.Clash = conflict, &clash{identity{Type: events}, 3, 4}
		}, []string{"operation o5 was refused over type Event, on which it does not hang"}},
		{"an old head", func(h *history) { h.then(old(65, 68, 3, 10)) }, nil},
		{"a head that is too old", func(h *history) { h.then(old(65, 68, 3, 4)) }, []string{"head is not linearizable"}},
		{"a row that is too old", func(h *history) {
			h.then(old(65, 68, 3, 4)).Seen = []sight{{purseOf(0), version{2, opening, "o0"}}}
		}, []string{"purse-0 is not linearizable"}},
		{"a gateway that goes back", func(h *history) {
			h.then(old(62, 63, 4, 10))
			h.then(old(65, 68, 3, 10))
		}, []string{"gateway-0 knew commit 4 and then read the head 3"}},
		{"a gateway that forgets its commit", func(h *history) {
			h.ops[3].Where = "gateway-0"
			h.then(old(65, 68, 3, 10))
		}, []string{"gateway-0 knew commit 4 and then read the head 3"}},
		{"a head older than was asked for", func(h *history) {
			h.then(old(65, 68, 3, 10)).After = 4
		}, []string{"the head 3 was read after commit 4 was waited for"}},
	})
}
