package workspace

import (
	"context"
	"fmt"
	"time"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// Engine gives connections of the engine.
type Engine interface {
	Conn(ctx context.Context) (*duckdb.Conn, error)
}

// sequenceLog is the value of a sequence of the store in the file. The file has a value that
// the sequence has not reached yet, so that no value is given twice after a crash. It is
// written outside of transactions.
type sequenceLog struct {
	number   int64  // of the row in the file
	reserved uint64 // values that follow the last one and that the file counts as given
	ahead    uint64 // how many values were reserved at once
	since    time.Time
}

// Values are reserved as PostgreSQL does (SEQ_LOG_VALS in its sequence.c). A sequence that needs
// many values within a second reserves more of them at once, because a write waits for the disk.
const (
	fewestReserved = 32
	mostReserved   = 1 << 14
)

// reserve uses n of the values that are reserved in the file. If they are not enough, it reserves
// more. The state is locked.
func (s *SequenceState) reserve(ctx context.Context, engine Engine, q *Sequence, v Values, n uint64) error {
	l := s.log
	switch {
	case l == nil:
		return nil
	case l.reserved >= n:
		l.reserved -= n
		return nil
	}
	ahead := uint64(fewestReserved)
	if time.Since(l.since) < time.Second {
		ahead = min(2*max(l.ahead, fewestReserved), mostReserved)
	}
	more := min(ahead, q.room(v.Last))
	if err := s.write(ctx, engine, v.Last+int64(more)*q.Increment, true); err != nil {
		return err
	}
	l.reserved, l.ahead, l.since = more, ahead, time.Now()
	return nil
}

// write writes a value to the file. The state is locked.
func (s *SequenceState) write(ctx context.Context, engine Engine, last int64, called bool) error {
	if s.log == nil {
		return nil
	}
	conn, err := engine.Conn(ctx)
	if err != nil {
		return fmt.Errorf("reserve values of a sequence: %w", err)
	}
	defer conn.Close()
	s.log.reserved = 0
	if err := conn.Exec(ctx, s.update(last, called)); err != nil {
		return fmt.Errorf("reserve values of a sequence: %w", err)
	}
	return nil
}

// update is the engine's statement that writes a value to the file.
func (s *SequenceState) update(last int64, called bool) string {
	return fmt.Sprintf("UPDATE %s SET last = %d, called = %t WHERE number = %d", sequenceTable, last, called, s.log.number)
}

// newState is the state of a sequence of the store, which begins at a value. The transaction
// that makes it may roll back; then the file keeps it until it is opened again.
func (s *Store) newState(ctx context.Context, conn Conn, last int64, called bool) (*SequenceState, error) {
	s.mu.Lock()
	s.sequences++
	number := s.sequences
	s.mu.Unlock()
	if err := conn.Exec(ctx, fmt.Sprintf("INSERT INTO %s VALUES (%d, %d, %t)", sequenceTable, number, last, called)); err != nil {
		return nil, fmt.Errorf("create sequence: %w", err)
	}
	state := newSequenceState(last, called)
	state.log = &sequenceLog{number: number}
	return state, nil
}

// loadStates gives the sequences of the file their values, and removes those of no sequence.
// states are the numbers of the sequences' states.
func (s *Store) loadStates(ctx context.Context, conn *duckdb.Conn, states map[int64]*SequenceState) error {
	found := 0
	var orphans []XID
	err := conn.Each(ctx, "SELECT number, last, called FROM "+sequenceTable, nil, func(b *column.Batch, i int) {
		number := b.Cols[0].I64[i]
		s.sequences = max(s.sequences, number)
		if state := states[number]; state != nil {
			state.last, state.called = b.Cols[1].I64[i], b.Cols[2].Bool[i]
			found++
		} else {
			orphans = append(orphans, XID(number))
		}
	})
	switch {
	case err != nil:
		return err
	case found < len(states):
		return fmt.Errorf("%s lacks the value of a sequence", s.path)
	case len(orphans) > 0:
		return conn.Exec(ctx, "DELETE FROM "+sequenceTable+" WHERE number IN ("+list(orphans)+")")
	}
	return nil
}

// writeOut writes the values that sequences have to the file, which then has none reserved.
func (s *Store) writeOut(ctx context.Context, conn Conn) error {
	for _, q := range s.current.Load().objects.Sequences() {
		state := q.State
		state.mu.Lock()
		if state.log != nil && state.log.reserved > 0 {
			if err := conn.Exec(ctx, state.update(state.last, state.called)); err != nil {
				state.mu.Unlock()
				return fmt.Errorf("write out a sequence: %w", err)
			}
			state.log.reserved = 0
		}
		state.mu.Unlock()
	}
	return nil
}

// forgetStates are the engine's statements that remove the values of sequences that are not
// among the new objects.
func forgetStates(old, now *Objects) []string {
	kept := map[*SequenceState]bool{}
	for _, q := range now.Sequences() {
		kept[q.State] = true
	}
	var out []string
	for _, q := range old.Sequences() {
		if !kept[q.State] {
			out = append(out, fmt.Sprintf("DELETE FROM %s WHERE number = %d", sequenceTable, q.State.log.number))
		}
	}
	return out
}

// NewState is the value of a new sequence of a schema, or one that a sequence gets anew.
func (t *Session) NewState(ctx context.Context, conn Conn, schema string, last int64, called bool) (*SequenceState, error) {
	if schema == TempSchema {
		return newSequenceState(last, called), nil
	}
	return t.store.newState(ctx, conn, last, called)
}

// PutSequence adds a sequence, or puts it in the place of the one of its name.
func (t *Session) PutSequence(q *Sequence) {
	if q.ID == nil {
		q.ID = new(SequenceID)
	}
	if q.Schema == TempSchema {
		t.Set(t.Objects.WithSequence(q))
		return
	}
	t.edit(edit{putSequence: q})
}

// RemoveSequence removes a sequence.
func (t *Session) RemoveSequence(q *Sequence) {
	if q.Schema == TempSchema {
		t.Set(t.Objects.WithoutSequence(q))
		return
	}
	t.edit(edit{removeSequence: q})
}
