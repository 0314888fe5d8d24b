package session

import (
	"fmt"
	"strings"
	"sync"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/workspace"
)

// sequenceCalls is what a session remembers of its calls of nextval. The engine calls it from
// threads of its own.
type sequenceCalls struct {
	mu   sync.Mutex
	last *workspace.Sequence
}

func (c *sequenceCalls) setLast(q *workspace.Sequence) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = q
}

func (c *sequenceCalls) getLast() *workspace.Sequence {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// ForgetSequences is DISCARD SEQUENCES: currval and lastval are undefined.
func (s *Session) ForgetSequences() {
	s.sequences.setLast(nil)
	for _, q := range s.Tables.Objects.Sequences() {
		q.Forget()
	}
}

// Sequence is nextval, currval, lastval or setval (database.Caller).
func (c caller) Sequence(call database.SequenceCall) (int64, error) {
	s := c.session
	if call.Function == "lastval" {
		return s.lastValue()
	}
	q, err := s.sequence(call.Sequence)
	if err != nil {
		return 0, err.At(call.Position)
	}
	switch call.Function {
	case "nextval":
		v, ok := q.Next()
		if !ok {
			return 0, endOfSequence(q)
		}
		s.sequences.setLast(q)
		return v, nil
	case "currval":
		v, ok := q.Current()
		if !ok {
			return 0, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "currval of sequence %q is not yet defined in this session", q.Name)
		}
		return v, nil
	}
	if call.Value < q.Min || call.Value > q.Max {
		return 0, pgerr.New(pgerr.NumericValueOutOfRange, "setval: value %d is out of bounds for sequence %q (%d..%d)", call.Value, q.Name, q.Min, q.Max)
	}
	q.Set(call.Value, call.Called)
	return call.Value, nil
}

// endOfSequence is the error of a sequence that has no next value.
func endOfSequence(q *workspace.Sequence) error {
	end, value := "maximum", q.Max
	if q.Increment < 0 {
		end, value = "minimum", q.Min
	}
	return pgerr.New("2200H", "nextval: reached %s value of sequence %q (%d)", end, q.Name, value)
}

// lastValue is lastval().
func (s *Session) lastValue() (int64, error) {
	undefined := pgerr.New(pgerr.ObjectNotInPrerequisiteState, "lastval is not yet defined in this session")
	q := s.sequences.getLast()
	if q == nil {
		return 0, undefined
	}
	now := s.Tables.Objects.Sequence(q.Schema, q.Name)
	if now == nil {
		return 0, undefined
	}
	v, ok := now.Current()
	if !ok {
		return 0, undefined
	}
	return v, nil
}

// sequence finds a sequence by its name, as regclass reads it.
func (s *Session) sequence(name string) (*workspace.Sequence, *pgerr.Error) {
	parts, ok := str.ParseIdent(name)
	undefined := sqlstate.UndefinedTable(strings.Join(parts, "."), 0)
	if !ok || len(parts) == 0 || len(parts) > 2 {
		return nil, undefined
	}
	last := parts[len(parts)-1]
	if own := fmt.Sprintf("pg_temp_%d", s.Serial); len(parts) == 2 && parts[0] != workspace.TempSchema && parts[0] != own {
		return nil, undefined
	}
	if q := s.Tables.Objects.Sequence(workspace.TempSchema, last); q != nil {
		return q, nil
	}
	if s.Tables.Objects.Table(workspace.TempSchema, last) != nil {
		return nil, pgerr.New(pgerr.WrongObjectType, "%q is not a sequence", last)
	}
	return nil, undefined
}
