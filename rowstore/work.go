package rowstore

import (
	"errors"
	"maps"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/mirror"
)

// minIdle is how long a type must not have been looked up before its table makes room for another.
const minIdle = time.Minute

// task is one step of work.
type task struct {
	ref     ontosql.TypeRef
	history mirror.History
	typ     *catalog.Type
	table   *table // to be extended, nil to make one
	shape   *shape // of the type; nil if it is not stored
}

// work does all tasks, one at a time.
func (s *Store) work() {
	defer s.worker.Done()
	for {
		s.sweep()
		if s.isUnused() {
			s.closeStored(true)
			s.closed = true
			return
		}
		t := s.nextTask()
		if t == nil {
			select {
			case <-s.wake:
				continue
			case <-time.After(time.Minute): // a task may have to be tried again
				s.closeIdle() // they hold files that the library has merged meanwhile
				continue
			case <-s.ctx.Done():
				return
			}
		}
		began := time.Now()
		s.finish(t, s.run(t))
		if t.table != nil { // several commits are added together
			select {
			case <-time.After(min(max(3*time.Since(began), 5*time.Millisecond), time.Second)):
			case <-s.ctx.Done():
			}
		}
	}
}

// nextTask is the task that is due, nil for none.
func (s *Store) nextTask() *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off || s.newest == nil || s.ctx.Err() != nil {
		return nil
	}
	for ref, e := range s.types {
		typ, ok := typeOf(s.newest, ref)
		if !ok || s.now().Before(e.retryAfter) {
			continue
		}
		if t := e.table; t != nil && (!t.matchesType(typ) || !t.matchesHistory(s.newest)) {
			s.drop(e)
		}
		switch {
		case e.table != nil && s.newest.Head() > e.table.Through:
			return &task{ref, s.newest, typ, e.table, e.table.shape}
		case e.table == nil && e.reads >= mirror.MinReads:
			return &task{ref, s.newest, typ, nil, shapeOf(typ)}
		}
	}
	return nil
}

// sweep removes the tables that nobody reads any more.
func (s *Store) sweep() {
	s.mu.Lock()
	var gone []*table
	left := s.old[:0]
	for _, t := range s.old {
		if t.uses.Load() > 0 {
			left = append(left, t)
			continue
		}
		t.idle.close()
		gone = append(gone, t)
	}
	s.old = left
	off := s.off
	s.mu.Unlock()
	if len(gone) == 0 || off { // then all of the store is removed
		return
	}
	b := s.db.NewBatch()
	defer b.Close()
	for _, t := range gone {
		if err := remove(b, t.number); err != nil {
			s.log.Warn("row store keeps an old table", "error", err.Error())
			return
		}
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		s.log.Warn("row store keeps an old table", "error", err.Error())
	}
}

// errNoRoom: a table is not made for lack of room, which is no fault.
var errNoRoom = errors.New("it does not fit into the budget")

// errColumns: a type is not stored because of its columns.
var errColumns = errors.New("it has columns that are not stored")

// finish records the outcome of a task. After an error it sets the time of the next attempt.
func (s *Store) finish(t *task, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.types[t.ref]
	if e.reason = err; err == nil || s.ctx.Err() != nil {
		e.failures = 0
		return
	}
	e.failures++
	wait := min(time.Second<<min(e.failures, 10), 5*time.Minute)
	switch {
	case errors.Is(err, errNoRoom), errors.Is(err, errColumns):
		wait = min(minIdle<<min(e.failures, 10), time.Hour)
	default:
		s.log.Warn("row store was not filled", "type_name", t.ref.String(), "error", err.Error())
	}
	e.retryAfter = s.now().Add(wait)
	if e.table != nil && e.failures > 3 {
		s.drop(e)
	}
}

// run does a task.
func (s *Store) run(k *task) error {
	h := k.history
	from, t := k.typ.Floor-1, k.table
	var next state
	if t != nil {
		from, next = t.Through, t.state
		next.Unreadable = maps.Clone(t.Unreadable)
	} else {
		if k.shape == nil {
			return errColumns
		}
		s.mu.Lock()
		s.last++
		t = newTable(s.last, h, k.typ, k.shape)
		s.mu.Unlock()
		next = t.state
	}
	next.Through, next.Mark = h.Head(), h.Mark(h.Head())
	f := &filling{store: s, task: k, table: t, next: next}
	err := f.run(from)
	s.closeIdle() // before anybody is told of the new rows
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if k.table == nil { // its file may be in the store
			s.retire(t)
		}
		return err
	}
	s.publish(k, t, f.next)
	return s.makeRoom(k.ref, 0)
}

// publish makes the new state of a table known, unless the type or the history has changed. The
// caller holds the mutex.
func (s *Store) publish(k *task, t *table, next state) {
	e := s.types[k.ref]
	if k.table != nil && e.table != k.table { // it was dropped meanwhile
		return
	}
	if s.off {
		s.retire(t)
		return
	}
	if e.table != nil && e.table != t {
		s.drop(e)
	}
	t.state, t.history, e.table = next, k.history, t
	if typ, ok := typeOf(s.newest, k.ref); !ok || !t.matchesType(typ) || !t.matchesHistory(s.newest) {
		s.drop(e)
	}
}
