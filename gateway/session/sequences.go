package session

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/workspace"
)

// sequenceCalls is what a session remembers of its calls of nextval. The engine calls it from
// threads of its own.
type sequenceCalls struct {
	mu    sync.Mutex
	last  *workspace.Sequence // of the last nextval
	given map[*workspace.SequenceID]*givenValues
	found foundSequence
}

// foundSequence is the sequence that the last nextval found and locked, which holds for the rows
// of its statement.
type foundSequence struct {
	name             string
	statement        *introspect.Account
	version, ofStore int64 // of the objects
	sequence         *workspace.Sequence
}

// givenValues are the values of a sequence that the session has got.
type givenValues struct {
	current int64 // of currval, if seen is set
	seen    bool
	cached  workspace.Values         // what follows current until Last is the session's (CACHE)
	of      *workspace.SequenceState // that cached is of, nil for none
}

// of is what the session has got of a sequence.
func (c *sequenceCalls) of(q *workspace.Sequence) *givenValues {
	if c.given == nil {
		c.given = map[*workspace.SequenceID]*givenValues{}
	}
	if c.given[q.ID] == nil {
		c.given[q.ID] = &givenValues{}
	}
	return c.given[q.ID]
}

// ForgetSequences is DISCARD SEQUENCES: currval and lastval are undefined.
func (s *Session) ForgetSequences() {
	s.sequences.mu.Lock()
	defer s.sequences.mu.Unlock()
	s.sequences.last, s.sequences.given, s.sequences.found = nil, nil, foundSequence{}
}

// Sequence is a function of sequences (database.Caller).
func (c caller) Sequence(call database.SequenceCall) (v int64, null bool, err error) {
	s := c.session
	s.sequences.mu.Lock()
	defer s.sequences.mu.Unlock()
	if call.Function == "lastval" {
		if v, err = s.lastValue(); err == nil {
			_, err = s.maySequence(s.sequences.last, call)
		}
		return v, false, err
	}
	if call.Function == "nextval" {
		if q := s.foundSequence(call.Sequence); q != nil {
			v, err = s.nextOf(q)
			return v, false, err
		}
	}
	q, failed := s.sequence(call.Sequence)
	if failed != nil {
		return 0, false, failed.At(call.Position)
	}
	if allowed, err := s.maySequence(q, call); err != nil || !allowed {
		return 0, true, err
	}
	switch call.Function {
	case "nextval":
		v, err = s.nextValue(q, call.Sequence)
	case "currval":
		given := s.sequences.of(q)
		if !given.seen {
			return 0, false, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "currval of sequence %q is not yet defined in this session", q.Name)
		}
		v = given.current
	case "setval":
		v, err = call.Value, s.setValue(q, call.Value, call.Called)
	case "pg_sequence_last_value":
		last, called, _ := q.Last()
		return last, !called, nil
	case "ontosql_last_value":
		v, _, _ = q.Last()
	case "ontosql_log_cnt":
		_, _, v = q.Last()
	case "ontosql_is_called":
		if _, called, _ := q.Last(); called {
			v = 1
		}
	}
	return v, false, err
}

// nextValue is nextval.
func (s *Session) nextValue(q *workspace.Sequence, name string) (int64, error) {
	q, err := s.lockSequence(q, "nextval")
	if err != nil {
		return 0, err
	}
	s.sequences.found = foundSequence{name, s.Running.Account, s.Tables.Version, s.Tables.StoreVersion(), q}
	return s.nextOf(q)
}

// foundSequence is the sequence of a name that the statement has found and locked before, nil
// for none.
func (s *Session) foundSequence(name string) *workspace.Sequence {
	f := &s.sequences.found
	if f.statement == nil || f.statement != s.Running.Account || f.name != name || f.version != s.Tables.Version || f.ofStore != s.Tables.StoreVersion() {
		return nil
	}
	return f.sequence
}

// nextOf is nextval of a sequence that is locked.
func (s *Session) nextOf(q *workspace.Sequence) (int64, error) {
	given := s.sequences.of(q)
	s.sequences.last = q
	if given.of == q.State && given.seen && given.current != given.cached.Last {
		given.current += given.cached.Increment
		return given.current, nil
	}
	values, ok, err := q.Next(s.Running.Ctx, s.DB.Engine, q.Cache)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, endOfSequence(q)
	}
	*given = givenValues{values.First, true, values, q.State}
	return values.First, nil
}

// setValue is setval.
func (s *Session) setValue(q *workspace.Sequence, value int64, called bool) error {
	q, err := s.lockSequence(q, "setval")
	if err != nil {
		return err
	}
	if value < q.Min || value > q.Max {
		return pgerr.New(pgerr.NumericValueOutOfRange, "setval: value %d is out of bounds for sequence %q (%d..%d)", value, q.Name, q.Min, q.Max)
	}
	if err := q.Set(s.Running.Ctx, s.DB.Engine, value, called); err != nil {
		return err
	}
	given := s.sequences.of(q)
	given.of = nil
	if called {
		given.current, given.seen = value, true
	}
	return nil
}

// lockSequence locks a sequence of the workspace until the end of the transaction, so that no
// other session changes its definition, and finds it again.
func (s *Session) lockSequence(q *workspace.Sequence, function string) (*workspace.Sequence, error) {
	if q.Schema == workspace.TempSchema {
		return q, nil
	}
	if s.Mode("read_only") == "on" {
		return nil, sqlstate.ReadOnly(function + "()")
	}
	tag := database.LockTag{Kind: database.LockRelation, Schema: q.Schema, Name: q.Name}
	if err := s.Lock(s.Running.Ctx, tag, database.RowExclusive, true); err != nil {
		return nil, err
	}
	now := s.Tables.Shared().Sequence(q.Schema, q.Name)
	if now == nil {
		return nil, sqlstate.UndefinedTable(q.Schema+"."+q.Name, 0)
	}
	return now, nil
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
	q := s.sequences.last
	if q == nil {
		return 0, undefined
	}
	all := s.Tables.Of(q.Schema)
	if now := all.Sequence(q.Schema, q.Name); (now == nil || now.ID != q.ID) && // it may have another name
		!slices.ContainsFunc(all.Sequences(), func(o *workspace.Sequence) bool { return o.ID == q.ID }) {
		return 0, undefined
	}
	given := s.sequences.of(q)
	if !given.seen {
		return 0, undefined
	}
	return given.current, nil
}

// sequence finds a sequence by its name, as regclass reads it.
func (s *Session) sequence(name string) (*workspace.Sequence, *pgerr.Error) {
	parts, ok := str.ParseIdent(name)
	undefined := sqlstate.UndefinedTable(strings.Join(parts, "."), 0)
	if !ok || len(parts) == 0 || len(parts) > 2 {
		return nil, undefined
	}
	last, schemas := parts[len(parts)-1], s.Resolver().SearchPath()
	if len(parts) == 2 {
		schemas = parts[:1]
		if schemas[0] == fmt.Sprintf("pg_temp_%d", s.Serial) {
			schemas = []string{workspace.TempSchema}
		}
	}
	for _, schema := range schemas {
		of := s.Tables.Of(schema)
		if q := of.Sequence(schema, last); q != nil {
			return q, nil
		}
		if of.Has(schema, last) {
			return nil, pgerr.New(pgerr.WrongObjectType, "%q is not a sequence", last)
		}
	}
	if len(parts) == 2 && !s.Resolver().HasSchema(parts[0]) && parts[0] != workspace.TempSchema {
		return nil, sqlstate.UndefinedSchema(parts[0])
	}
	return nil, undefined
}
