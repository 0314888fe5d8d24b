package histories

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// What there is from the beginning.
const (
	counters = 2
	purses   = 5
	opening  = 100 // in each purse
	flags    = 4   // of 0 or 1
	pairs    = 2   // of vaults, that together hold no less than nothing
	treasure = 20  // in each vault
)

func counterOf(i int) identity { return identity{accounts, fmt.Sprint("counter-", i)} }
func purseOf(i int) identity   { return identity{accounts, fmt.Sprint("purse-", i)} }
func flagOf(i int) identity    { return identity{accounts, fmt.Sprint("flag-", i)} }
func vaultOf(i int) identity   { return identity{vaults, fmt.Sprint("vault-", i)} }

// known are the accounts that writers read.
func known() []identity {
	var ids []identity
	for i := range counters {
		ids = append(ids, counterOf(i))
	}
	for i := range purses {
		ids = append(ids, purseOf(i))
	}
	return ids
}

// founded is what the first operation writes.
func founded() []row {
	var rows []row
	for i := range counters {
		rows = append(rows, row{identity: counterOf(i)})
	}
	for i := range purses {
		rows = append(rows, row{identity: purseOf(i), N: opening})
	}
	for i := range flags {
		rows = append(rows, row{identity: flagOf(i)})
	}
	for i := range 2 * pairs {
		rows = append(rows, row{identity: vaultOf(i), N: treasure})
	}
	return rows
}

// client is one of those who ask, one question at a time.
type client struct {
	*record
	id     int
	random *rand.Rand
	newest *atomic.Int64 // the newest commit that any answer has named
}

// rest is the time between two questions.
func (c *client) rest() { time.Sleep(time.Duration(c.random.IntN(25)) * time.Millisecond) }

// told notes a commit that is visible now.
func (c *client) told(commit int64) {
	for {
		old := c.newest.Load()
		if commit <= old || c.newest.CompareAndSwap(old, commit) {
			return
		}
	}
}

// rawClient asks a writer process.
type rawClient struct {
	client
	to *writerProcess
}

func (c *rawClient) step() {
	switch n := c.random.IntN(100); {
	case c.to.config.Original:
		c.add()
	case n < 45:
		c.increment()
	case n < 80:
		c.transfer()
	case n < 90:
		c.read("read head", nil)
	default:
		c.read("read accounts", known())
	}
}

// read asks for the newest versions of identities and the head they are of.
func (c *rawClient) read(what string, ids []identity) *op {
	o := c.begin(c.id, c.to.name, what, nil)
	a, err := c.to.ask(request{Read: ids})
	if err != nil {
		time.Sleep(50 * time.Millisecond) // until the process may have started
		c.end(o, failed, err)
		return o
	}
	o.Head, o.Seen, o.Odd = a.Head, a.Seen, a.Odd
	c.end(o, a.Outcome, textError(a.Error))
	c.told(o.Head)
	return o
}

// grown is a row whose value is incremented: a counter, or a vault that a SERIALIZABLE
// transaction may read.
func (c *client) grown() identity {
	if c.random.IntN(4) == 0 {
		return vaultOf(c.random.IntN(2 * pairs))
	}
	return counterOf(c.random.IntN(counters))
}

// increment is a compare-and-set.
func (c *rawClient) increment() {
	r := c.read("read one", []identity{c.grown()})
	if r.Outcome == answered {
		s := r.Seen[0]
		c.write("increment", r.Head, []row{{identity: s.identity, N: s.N + 1, Expected: s.Commit}})
	}
}

// transfer moves money between two purses and says so in an event, which two
// postings tie to them: three types in one commit.
func (c *rawClient) transfer() {
	pair := c.random.Perm(purses)[:2]
	r := c.read("read purses", []identity{purseOf(pair[0]), purseOf(pair[1])})
	if r.Outcome != answered {
		return
	}
	from, to, amount := r.Seen[0], r.Seen[1], 1+c.random.Int64N(30)
	event := fmt.Sprintf("transfer-%d-%d", c.id, r.Call)
	c.write("transfer", r.Head, []row{
		{identity: from.identity, N: from.N - amount, Expected: from.Commit},
		{identity: to.identity, N: to.N + amount, Expected: to.Commit},
		{identity: identity{events, event}, N: amount},
		posting(from.Key, event, -amount),
		posting(to.Key, event, amount),
	})
}

// add lets the original increment a counter, which it reads under its lock.
func (c *rawClient) add() {
	c.write("add", 0, []row{{identity: c.grown(), N: 1, How: adding}})
	time.Sleep(time.Duration(c.random.IntN(300)) * time.Millisecond)
}

func (c *rawClient) write(what string, pin int64, rows []row) {
	o := c.begin(c.id, c.to.name, what, rows)
	o.Pin = pin
	a, err := c.to.ask(request{Tag: o.Tag, Pin: pin, Rows: rows})
	switch {
	case errors.Is(err, errNoProcess):
		c.end(o, failed, err)
		return
	case err != nil:
		c.end(o, unknown, err)
		return
	}
	o.Commit, o.Attempt, o.Clash, o.Doubt, o.Odd = a.Commit, a.Attempt, a.Clash, a.Doubt, a.Odd
	c.end(o, a.Outcome, textError(a.Error))
	c.told(o.Commit)
}

func textError(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}
