package workspace

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/ontosql/ontosql/rewrite/types"
)

// Sequence is the definition of a sequence. It is immutable but for its state, which no
// transaction takes back.
type Sequence struct {
	Schema, Name string
	Type         uint32 // int2, int4 or int8
	Start        int64
	Increment    int64
	Min, Max     int64
	Cache        int64
	Cycle        bool
	Owner        Owner
	Comment      string
	State        *SequenceState
}

// Owner is the column that a sequence is dropped with, the zero value for none.
type Owner struct {
	Table    string // in the schema of the sequence
	Column   int    // its number
	Identity bool   // the sequence is that of an IDENTITY column
}

// SequenceState is the value of a sequence.
type SequenceState struct {
	mu     sync.Mutex
	last   int64 // that was given, or that will be the first
	called bool  // last was given
	// current is the value that the session got last, if seen is set (currval).
	current int64
	seen    bool
}

// NewSequenceState begins at a value.
func NewSequenceState(start int64) *SequenceState { return &SequenceState{last: start} }

// Restarted is a state that begins at a value, in which currval stays.
func (s *SequenceState) Restarted(start int64, called bool) *SequenceState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &SequenceState{last: start, called: called, current: s.current, seen: s.seen}
}

// Next gives the next value. ok is false if there is none.
func (q *Sequence) Next() (value int64, ok bool) {
	s := q.State
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.last
	if s.called {
		// The sums that overflow are beyond the end of the sequence.
		after := next + q.Increment
		up := q.Increment > 0
		if up && (after > q.Max || after < next) || !up && (after < q.Min || after > next) {
			if !q.Cycle {
				return 0, false
			}
			if after = q.Min; !up {
				after = q.Max
			}
		}
		next = after
	}
	s.last, s.called, s.current, s.seen = next, true, next, true
	return next, true
}

// Set is setval.
func (q *Sequence) Set(value int64, called bool) {
	s := q.State
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.called = value, called
	if called {
		s.current, s.seen = value, true
	}
}

// Current is currval. ok is false if the session has not got a value.
func (q *Sequence) Current() (value int64, ok bool) {
	q.State.mu.Lock()
	defer q.State.mu.Unlock()
	return q.State.current, q.State.seen
}

// Forget makes currval undefined (DISCARD SEQUENCES).
func (q *Sequence) Forget() {
	q.State.mu.Lock()
	defer q.State.mu.Unlock()
	q.State.seen = false
}

// Last is the value that was given last or will be the first, and whether it was given.
func (q *Sequence) Last() (value int64, called bool) {
	q.State.mu.Lock()
	defer q.State.mu.Unlock()
	return q.State.last, q.State.called
}

// SequenceRange is the least and the greatest value of a type of sequences.
func SequenceRange(typ uint32) (least, most int64) {
	switch typ {
	case types.Int2:
		return math.MinInt16, math.MaxInt16
	case types.Int4:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

// Sequence finds a sequence, nil for none.
func (o *Objects) Sequence(schema, sequence string) *Sequence {
	if o == nil {
		return nil
	}
	return o.sequences[name{schema, sequence}]
}

// Sequences are the sequences, by their schemas and names.
func (o *Objects) Sequences() []*Sequence {
	if o == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(o.sequences), func(a, b *Sequence) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name))
	})
}

// WithSequence are the objects with a sequence, which takes the place of one of its name.
func (o *Objects) WithSequence(q *Sequence) *Objects {
	next := o.clone()
	next.sequences[name{q.Schema, q.Name}] = q
	return next
}

// WithoutSequence are the objects without a sequence.
func (o *Objects) WithoutSequence(q *Sequence) *Objects {
	next := o.clone()
	delete(next.sequences, name{q.Schema, q.Name})
	return next
}

// Owned are the sequences of a table's columns, or of one of them if its number is not 0.
func (o *Objects) Owned(t *Table, column int) []*Sequence {
	return slices.DeleteFunc(o.Sequences(), func(q *Sequence) bool {
		return q.Schema != t.Schema || q.Owner.Table != t.Name || column != 0 && q.Owner.Column != column
	})
}
