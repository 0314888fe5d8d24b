package histories

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// The types of every history. The n of an account is money or a count, an event
// says why it changed, a posting ties the two.
const (
	accounts = "Account"
	events   = "Event"
	postings = "Posting"
)

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
	// Add: N is what is added to the version before, whichever it is.
	Add bool `json:"add,omitempty"`
	// Expected is the commit of the version the writer saw, 0 for none.
	Expected int64 `json:"expected"`
}

// outcome is what the client of an operation was told.
type outcome string

const (
	committed outcome = "committed" // visible now and for ever
	conflict  outcome = "conflict"  // another commit came first; nothing is visible
	exists    outcome = "exists"    // 23505: the identity is there; nothing is visible
	failed    outcome = "failed"    // nothing is visible and nothing will be
	unknown   outcome = "unknown"   // nobody knows: no answer, or one that says so
	answered  outcome = "answered"  // of reads
)

// clash is what a refused writer was told of the commit that came first.
type clash struct {
	identity
	Expected int64 `json:"expected"`
	Actual   int64 `json:"actual"`
}

// op is one operation of a history: what was asked, when, and what was answered.
type op struct {
	Tag    string `json:"tag"` // stands in every row it writes
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
	// Doubt is what to ask a gateway for where the outcome is unknown and the
	// writer could say so, Fate what they answered.
	Doubt string   `json:"doubt,omitempty"`
	Fate  []string `json:"fate,omitempty"`

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
		text += fmt.Sprintf("; %s = %d after %d", r.identity, r.N, r.Expected)
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

// finished are the operations of a history that is over, in the order of their
// calls, without the reads that were not answered: those say nothing.
func (r *record) finished() []*op {
	r.mu.Lock()
	defer r.mu.Unlock()
	ops := slices.Clone(r.ops)
	slices.SortStableFunc(ops, func(a, b *op) int { return cmp.Compare(a.Call, b.Call) })
	return slices.DeleteFunc(ops, func(o *op) bool { return len(o.Rows) == 0 && o.Outcome != answered && !o.Odd })
}
