package workspace

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Sequence is the definition of a sequence. It is immutable, except for its state, which is not
// rolled back with a transaction.
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
	Grants       acl.Grants `json:",omitempty"`
	Role         string     `json:",omitempty"` // the role that owns it, "" for the owner of the database
	// ID is the same for all definitions that the sequence has had.
	ID    *SequenceID    `json:"-"`
	State *SequenceState `json:"-"`
}

// SequenceID identifies a sequence.
type SequenceID struct{ _ byte }

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
	log    *sequenceLog
}

// newSequenceState begins at a value, which was given already if called is set.
func newSequenceState(last int64, called bool) *SequenceState {
	return &SequenceState{last: last, called: called}
}

// Values are consecutive values of a sequence, from First to Last.
type Values struct{ First, Last, Increment int64 }

// Next gives the next value and, if there are, up to n-1 that follow it. ok is false if there
// is none.
func (q *Sequence) Next(ctx context.Context, engine Engine, n int64) (v Values, ok bool, err error) {
	s := q.State
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.last
	if s.called {
		if q.room(first) == 0 {
			if !q.Cycle {
				return v, false, nil
			}
			if first = q.Min; q.Increment < 0 {
				first = q.Max
			}
		} else {
			first += q.Increment
		}
	}
	more := min(uint64(max(n, 1)-1), q.room(first))
	v = Values{first, first + int64(more)*q.Increment, q.Increment}
	if err := s.reserve(ctx, engine, q, v, more+1); err != nil {
		return v, false, err
	}
	s.last, s.called = v.Last, true
	return v, true, nil
}

// room is how many values follow a value before the end of the sequence.
func (q *Sequence) room(value int64) uint64 {
	// The differences of int64 are less than 1<<64.
	switch {
	case q.Increment > 0 && value < q.Max:
		return (uint64(q.Max) - uint64(value)) / uint64(q.Increment)
	case q.Increment < 0 && value > q.Min:
		return (uint64(value) - uint64(q.Min)) / -uint64(q.Increment)
	}
	return 0
}

// Set is setval.
func (q *Sequence) Set(ctx context.Context, engine Engine, value int64, called bool) error {
	s := q.State
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.write(ctx, engine, value, called); err != nil {
		return err
	}
	s.last, s.called = value, called
	return nil
}

// Last is the value that was given last or will be the first, whether it was given, and how
// many values more are reserved in the file.
func (q *Sequence) Last() (value int64, called bool, reserved int64) {
	q.State.mu.Lock()
	defer q.State.mu.Unlock()
	if l := q.State.log; l != nil {
		reserved = int64(l.reserved)
	}
	return q.State.last, q.State.called, reserved
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
	return find(o.sequences, name{schema, sequence})
}

// HasRelation reports whether there is a table, a view or a sequence of a name.
func (o *Objects) HasRelation(schema, relation string) bool {
	return o.Has(schema, relation) || o.Sequence(schema, relation) != nil
}

// Sequences are the sequences, by their schemas and names.
func (o *Objects) Sequences() []*Sequence {
	if o == nil {
		return nil
	}
	return values(o.sequences)
}

// WithSequence are the objects with a sequence, which takes the place of one of its name.
func (o *Objects) WithSequence(q *Sequence) *Objects {
	next := o.clone()
	next.sequences = next.sequences.Set(name{q.Schema, q.Name}, q)
	return next
}

// WithoutSequence are the objects without a sequence.
func (o *Objects) WithoutSequence(q *Sequence) *Objects {
	next := o.clone()
	next.sequences = next.sequences.Delete(name{q.Schema, q.Name})
	return next
}

// Owned are the sequences of a table's columns, or of one of them if its number is not 0.
func (o *Objects) Owned(t *Table, column int) []*Sequence {
	return slices.DeleteFunc(o.Sequences(), func(q *Sequence) bool {
		return q.Schema != t.Schema || q.Owner.Table != t.Name || column != 0 && q.Owner.Column != column
	})
}
