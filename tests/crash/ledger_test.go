package crash

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ledger is what the store must show: what clients were told, and what was seen
// before.
type ledger struct {
	mu   sync.Mutex
	last int64 // op number
	open []*op // since the last settling

	// What follows is touched only while no client works.
	head  int64              // the last commit that was seen
	rows  map[int64][]string // what every commit up to there wrote, sorted
	count *figures
}

// newLedger begins with the commit that registered the types.
func newLedger(f *figures) *ledger {
	return &ledger{head: 1, rows: map[int64][]string{}, count: f}
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

// settle holds the commits that are new in a sight against what the clients were
// told. After it every op is decided: what is not visible now must never be.
// It returns the ops that were unknown and turn out to be visible.
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
		l.rows[id] = rows
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
