package histories

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// The types of every history. The n of an account is an amount or a counter, an event records
// why it changed, a posting links the two. Vaults are read and written by SERIALIZABLE
// transactions.
const (
	accounts = "Account"
	events   = "Event"
	postings = "Posting"
	vaults   = "Vault"
)

var typeNames = []string{accounts, events, postings, vaults}

// identity names one thing in the store. The key of a posting is the text of
// writepath.Identity.
type identity struct {
	Type string `json:"type"`
	Key  string `json:"key"`
}

func (i identity) String() string { return i.Type + " " + i.Key }

func (i identity) compare(j identity) int {
	return cmp.Or(cmp.Compare(i.Type, j.Type), cmp.Compare(i.Key, j.Key))
}

// version is what one commit made of an identity; Commit 0 is: not there.
type version struct {
	Commit int64  `json:"commit"`
	N      int64  `json:"n"`
	Op     string `json:"op"` // tag of the operation that wrote it
}

// sight is an identity as a reader saw it.
type sight struct {
	identity
	version
}

// row is what an operation writes of one identity.
type row struct {
	identity
	Left  string `json:"left,omitempty"` // of a posting
	Right string `json:"right,omitempty"`
	N     int64  `json:"n"`
	How   how    `json:"how,omitempty"`
	// Expected is the commit of the version the writer saw, 0 for none.
	Expected int64 `json:"expected"`
	// Told is what RETURNING said it made of it, nil where it said nothing or that
	// the row stays as it is.
	Told *int64 `json:"told,omitempty"`
}

// how is what N does to the version before.
type how string

const (
	expecting how = ""      // N, after the version of commit Expected
	adding    how = "add"   // N more than it was, whichever it is; none is 0
	putting   how = "put"   // N, whichever it is
	ifNew     how = "new"   // N for a new row, else no change
	ifOther   how = "other" // N where it is another, else nothing
	totalling how = "total" // N, what all vaults hold together
)

// after is what the row makes of a version. writes is false where it leaves it
// as it is.
func (r *row) after(before version) (n int64, writes bool) {
	switch r.How {
	case adding:
		return before.N + r.N, true
	case ifNew:
		return r.N, before.Commit == 0
	case ifOther:
		return r.N, before.N != r.N
	}
	return r.N, true
}

// optional: it may leave the version before as it is.
func (r *row) optional() bool { return r.How == ifNew || r.How == ifOther }

// outcome is what the client of an operation learned about it.
type outcome string

const (
	committed outcome = "committed" // visible now and for ever
	conflict  outcome = "conflict"  // another commit came first; nothing is visible
	exists    outcome = "exists"    // 23505: the identity is there; nothing is visible
	nothing   outcome = "nothing"   // success, and there was nothing to commit
	failed    outcome = "failed"    // nothing is visible and nothing will be
	unknown   outcome = "unknown"   // no answer arrived, or the answer says so
	answered  outcome = "answered"  // of reads
)

// clash is what a refused writer learned about the commit that came first. Without a key, that
// commit wrote a type which the writer had read at commit Expected; without a type as well, the
// head had moved from Expected.
type clash struct {
	identity
	Expected int64 `json:"expected"`
	Actual   int64 `json:"actual"`
}

// op is one operation of a history: what was asked, when, and what was answered.
type op struct {
	Tag    string `json:"tag"` // part of every row it writes
	Client int    `json:"client"`
	Where  string `json:"where"` // the process that was asked
	What   string `json:"what"`
	Call   int64  `json:"call"`   // ns since the history began
	Return int64  `json:"return"` // 0: never

	Outcome outcome `json:"outcome"`
	Error   string  `json:"error,omitempty"`
	Odd     bool    `json:"odd,omitempty"` // an error that nothing explains

	// Of writes.
	Rows    []row  `json:"rows,omitempty"`
	Pin     int64  `json:"pin,omitempty"`
	Commit  int64  `json:"commit,omitempty"` // 0 where the client does not know it
	Attempt string `json:"attempt,omitempty"`
	Clash   *clash `json:"clash,omitempty"`
	// Intent is what several tries have in common, of which one may succeed.
	Intent   string `json:"intent,omitempty"`
	Returned bool   `json:"returned,omitempty"` // RETURNING listed each row it wrote
	Undone   []row  `json:"undone,omitempty"`   // what it wrote and rolled back
	Expect   int64  `json:"expect,omitempty"`   // ontosql.expect_head, 0 for none
	// Reads are the types that a SERIALIZABLE transaction has read; Seen holds all their rows.
	Reads []string `json:"reads,omitempty"`
	// Doubt is what to ask a gateway for where the outcome is unknown and the
	// writer could say so, Fate what they answered.
	Doubt string   `json:"doubt,omitempty"`
	Fate  []string `json:"fate,omitempty"`

	// Of what was asked of a gateway.
	Lag   int64 `json:"lag,omitempty"`   // ns that the head it reads may be old (--head-max-age)
	After int64 `json:"after,omitempty"` // ontosql.read_after: the head is no older

	// Of reads.
	Head  int64   `json:"head,omitempty"`  // the head that was read, 0 for none
	Point int64   `json:"point,omitempty"` // the commit of the past that was asked for, 0 for the head
	Seen  []sight `json:"seen,omitempty"`
	Whole bool    `json:"whole,omitempty"` // Seen is everything there was
	All   bool    `json:"all,omitempty"`   // Seen are all versions up to there

	open bool // it was sent and not answered yet
}

func (o *op) String() string {
	end := fmt.Sprint(time.Duration(o.Return))
	if o.Return == 0 {
		end = "never"
	}
	text := fmt.Sprintf("%s [%s, %s] client %d at %s: %s %s", o.Tag, time.Duration(o.Call), end, o.Client, o.Where, o.What, o.Outcome)
	if o.Commit != 0 {
		text += fmt.Sprintf(" as %d", o.Commit)
	}
	for _, r := range o.Rows {
		text += fmt.Sprintf("; %s = %s %d after %d", r.identity, r.How, r.N, r.Expected)
		if r.Told != nil {
			text += fmt.Sprintf(", which is %d", *r.Told)
		}
	}
	if o.Head != 0 {
		text += fmt.Sprintf(" at head %d", o.Head)
	}
	if o.Point != 0 {
		text += fmt.Sprintf(" of point %d", o.Point)
	}
	if n := len(o.Seen); n > 4 {
		text += fmt.Sprintf("; %d rows", n)
	} else {
		for _, s := range o.Seen {
			text += fmt.Sprintf("; %s = %d of %d", s.identity, s.N, s.Commit)
		}
	}
	if o.Error != "" {
		text += ": " + o.Error
	}
	return text
}

// record collects the operations of a history. All times are of its one clock.
type record struct {
	began time.Time

	mu  sync.Mutex
	ops []*op
}

// begin notes that an operation is about to be sent, which writes these rows.
func (r *record) begin(client int, where, what string, rows []row) *op {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := &op{Tag: fmt.Sprintf("o%d", len(r.ops)), Client: client, Where: where, What: what, Rows: rows, Outcome: unknown, open: true}
	r.ops = append(r.ops, o)
	o.Call = time.Since(r.began).Nanoseconds()
	return o
}

// plan notes what an operation is about to write.
func (r *record) plan(o *op, rows []row) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o.Rows = rows
}

// end notes that it was answered. Of one without a known outcome the end is
// not known either.
func (r *record) end(o *op, result outcome, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o.open = false
	if o.Outcome = result; result != unknown {
		o.Return = time.Since(r.began).Nanoseconds()
	}
	if err != nil {
		o.Error = err.Error()
	}
}

// doubts are the operations whose outcome is unknown and can be asked for.
func (r *record) doubts() []*op {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.ops), func(o *op) bool { return o.open || o.Doubt == "" })
}

// fate notes what a gateway said became of an operation.
func (r *record) fate(o *op, told string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o.Fate = append(o.Fate, told)
}

// writing reports whether a process has a write to decide.
func (r *record) writing(where string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.ops, func(o *op) bool { return o.open && o.Where == where && len(o.Rows) > 0 })
}

// finished returns the operations of a completed history in the order of their calls, without
// unanswered reads, which constrain nothing.
func (r *record) finished() []*op {
	r.mu.Lock()
	defer r.mu.Unlock()
	ops := slices.Clone(r.ops)
	slices.SortStableFunc(ops, func(a, b *op) int { return cmp.Compare(a.Call, b.Call) })
	return slices.DeleteFunc(ops, func(o *op) bool { return len(o.Rows) == 0 && o.Outcome != answered && !o.Odd })
}
