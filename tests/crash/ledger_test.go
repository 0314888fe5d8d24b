package crash

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ledger is the expected content of the store: the answers that clients received and the
// earlier readings.
type ledger struct {
	mu   sync.Mutex
	last int64 // op number
	open []*op // since the last settling

	// What follows is touched only while no client works.
	head    int64              // the last commit that was seen
	rows    map[int64][]string // what every commit up to there wrote, sorted
	counted map[string]float64 // the balances of counters, by identity
	count   *figures
}

// newLedger begins with the commit that registered the types.
func newLedger(f *figures) *ledger {
	return &ledger{head: 1, rows: map[int64][]string{}, counted: map[string]float64{}, count: f}
}

// begin is the next op.
func (l *ledger) begin(s shape) *op {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	o := &op{number: l.last, shape: s.name, rows: s.rows(l.last)}
	l.open = append(l.open, o)
	return o
}

// settle compares the commits that are new in a sight with the clients' answers. Afterwards the
// outcome of every op is known: an op that is not visible now must never become visible. It
// returns the ops that were unknown and turn out to be visible.
func (l *ledger) settle(s *sight) (landed int, err error) {
	if err := s.dense(l.head); err != nil {
		return 0, err
	}
	var wrong []error
	writer := map[string]*op{}
	for _, o := range l.open {
		for _, text := range o.texts() {
			writer[text] = o
		}
	}
	commit := map[*op]int64{}
	for id := l.head + 1; id <= s.head; id++ {
		rows := s.rows[id]
		if len(rows) == 0 {
			wrong = append(wrong, fmt.Errorf("commit %d has no rows", id))
			continue
		}
		l.rows[id] = rows
		rows, err := l.asWritten(id, rows)
		wrong = append(wrong, err)
		o := writer[rows[0]]
		switch {
		case o == nil:
			wrong = append(wrong, fmt.Errorf("commit %d has rows that nobody wrote since the last look, or that were gone then: %q", id, rows))
		case commit[o] != 0:
			wrong = append(wrong, fmt.Errorf("commits %d and %d are both %v", commit[o], id, o))
		case !slices.Equal(rows, o.texts()):
			wrong = append(wrong, fmt.Errorf("half a commit: commit %d has %q of %v", id, rows, o))
		}
		if o != nil {
			commit[o] = id
		}
	}
	for _, o := range l.open {
		id, visible := commit[o]
		switch {
		case o.verdict == acknowledged && !visible:
			wrong = append(wrong, fmt.Errorf("an acknowledged commit is lost: %v", o))
		case o.verdict == refused && visible:
			wrong = append(wrong, fmt.Errorf("commit %d was called a failure: %v", id, o))
		case o.verdict == unknown && visible:
			landed++
		}
		l.count.op(o, visible)
	}
	l.open, l.head = nil, s.head
	return landed, errors.Join(wrong...)
}

// asWritten are the rows of the next commit as their writer knew them: of a counter
// that it made it one more.
func (l *ledger) asWritten(id int64, rows []string) (written []string, err error) {
	for _, text := range rows {
		if strings.HasPrefix(text, "customer|"+counterPrefix) {
			i, counter := strings.LastIndexByte(text, '|'), identity(text)
			n, badNumber := strconv.ParseFloat(text[i+1:], 64)
			if n != l.counted[counter]+1 || badNumber != nil {
				err = errors.Join(err, fmt.Errorf("commit %d has %q where %g stood before", id, text, l.counted[counter]))
			}
			l.counted[counter] = n
			text = text[:i+1] + oneMore{}.String()
		}
		written = append(written, text)
	}
	slices.Sort(written)
	return written, err
}

// latest holds what a sight shows of today's rows against the newest versions of
// what was seen before.
func (l *ledger) latest(s *sight) error {
	if s.head != l.head {
		return fmt.Errorf("the head is %d, want %d", s.head, l.head)
	}
	seen, want := map[string]bool{}, map[int64][]string{}
	for id := l.head; id > 1; id-- {
		for _, text := range l.rows[id] {
			if of := identity(text); !seen[of] {
				seen[of] = true
				want[id] = append(want[id], text)
			}
		}
	}
	var wrong []error
	for id := int64(2); id <= l.head; id++ {
		if !slices.Equal(s.rows[id], want[id]) {
			wrong = append(wrong, fmt.Errorf("of commit %d the latest rows are %q, want %q", id, s.rows[id], want[id]))
		}
	}
	return errors.Join(wrong...)
}

// whole holds everything that a sight from the first commit on shows against
// everything that was seen before.
func (l *ledger) whole(s *sight) error {
	if err := s.dense(1); err != nil {
		return err
	}
	if s.head != l.head {
		return fmt.Errorf("the head is %d, want %d", s.head, l.head)
	}
	var wrong []error
	for id := int64(2); id <= l.head; id++ {
		if !slices.Equal(s.rows[id], l.rows[id]) {
			wrong = append(wrong, fmt.Errorf("commit %d shows %q, before it was %q", id, s.rows[id], l.rows[id]))
		}
	}
	return errors.Join(wrong...)
}
