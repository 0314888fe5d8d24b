package mirror

import (
	"context"
	"errors"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
)

// manyMoved is how many rows may have left cur before tables are built again:
// the engine gives the place of deleted rows back only with the whole table.
const manyMoved = 100_000

// entry is what the mirror knows of one type; under the mirror's mutex.
type entry struct {
	ref      ontosql.TypeRef
	reads    int
	used     time.Time
	tables   *tables   // nil while there are none
	left     []*tables // to be dropped when their last use has ended
	serving  bool      // a goroutine works for it
	doing    string    // what that does, for Status
	progress *progress // of that, nil where none is known
	refused  error     // why it has no tables, for Status
	fails    int       // in a row
	suspect  bool      // something is wrong that may be the file's
	retry    time.Time // nothing is tried before
}

// task is one step of work for a type.
type task struct {
	do      string
	history History
	typ     *catalog.Type
	tables  *tables
}

// The tasks.
const (
	dropping  = "dropping"
	building  = "building"
	extending = "extending"
)

// Follow tells the mirror of a pin that was just taken. Tables of another
// history, or of a type that has changed, are not used again; the others are
// extended in the background.
func (m *Mirror) Follow(h History) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil || m.closed {
		return
	}
	if n := m.newest; n != nil && h.Head() < n.Head() && h.Mark(h.Head()) == n.Mark(h.Head()) {
		return // a reader that came late, or a store put back: what is here is right for both
	}
	m.newest = aim(h)
	for _, e := range m.types {
		if t := e.tables; t != nil {
			if typ, ok := h.Type(e.ref); !ok || !t.holds(typ) || !t.agrees(h) {
				m.leave(e)
			}
		}
		m.wake(e)
	}
}

// leave gives the tables of a type up.
func (m *Mirror) leave(e *entry) {
	e.tables.dropped = true
	e.left = append(e.left, e.tables)
	e.tables = nil
}

// next is what is to be done for a type, nil for nothing.
func (m *Mirror) next(e *entry) *task {
	if m.file == nil || m.closed {
		return nil
	}
	for _, t := range e.left {
		if t.uses == 0 {
			return &task{do: dropping, tables: t}
		}
	}
	if m.newest == nil || m.now().Before(e.retry) {
		return nil
	}
	typ, ok := m.newest.Type(e.ref)
	switch {
	case !ok:
	case e.tables != nil:
		if t := e.tables; t.moved > manyMoved && t.moved > t.identities {
			return &task{do: building, history: m.newest, typ: typ}
		}
		if m.newest.Head() > e.tables.through {
			return &task{do: extending, history: m.newest, typ: typ, tables: e.tables}
		}
	case e.reads >= enoughReads:
		if files, rows := m.newest.Size(typ, typ.Floor-1, m.newest.Head()); files >= enoughFiles || rows >= enoughRows {
			return &task{do: building, history: m.newest, typ: typ}
		}
	}
	return nil
}

// wake sets somebody to work for a type when there is anything to do.
func (m *Mirror) wake(e *entry) {
	if e == nil || e.serving || m.closed || !e.suspect && m.next(e) == nil {
		return
	}
	e.serving = true
	m.workers.Add(1)
	go m.serve(e)
}

// serve works for a type until there is nothing to do.
func (m *Mirror) serve(e *entry) {
	defer m.workers.Done()
	for {
		m.mu.Lock()
		if e.suspect {
			e.suspect = false
			m.mu.Unlock()
			m.examine()
			continue
		}
		t := m.next(e)
		if t == nil {
			e.serving, e.doing = false, ""
			m.mu.Unlock()
			return
		}
		e.doing = t.do
		m.mu.Unlock()
		began := time.Now()
		m.settle(e, t, m.run(m.ctx, e, t))
		if t.do == extending {
			m.pause(time.Since(began))
		}
	}
}

// pause lets commits gather: under a steady stream of them extension takes a
// quarter of the time, and a reader opens some more small files.
func (m *Mirror) pause(took time.Duration) {
	select {
	case <-m.ctx.Done():
	case <-time.After(min(max(3*took, 5*time.Millisecond), time.Second)):
	}
}

func (m *Mirror) run(ctx context.Context, e *entry, t *task) error {
	if t.do == extending {
		if files, _ := t.history.Size(t.typ, t.tables.through, t.history.Head()); files == 0 {
			m.mu.Lock()
			defer m.mu.Unlock()
			t.tables.through, t.tables.mark, t.tables.seen = t.history.Head(), t.history.Mark(t.history.Head()), t.history
			return nil
		}
	}
	switch t.do {
	case dropping:
		conn, err := m.engine.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close()
		err = m.drop(ctx, conn, e, t.tables)
		if err == nil && m.writers.TryLock() {
			defer m.writers.Unlock()
			m.checkpoint(ctx, conn)
		}
		return err
	case building:
		return m.build(ctx, e, t)
	}
	return m.extend(ctx, e, t)
}

// errRefused: a type is not mirrored, and nothing is wrong.
var errRefused = errors.New("not mirrored")

// settle draws the conclusions of a task that has ended.
func (m *Mirror) settle(e *entry, t *task, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil || m.closed {
		if t.do != dropping {
			e.fails, e.refused = 0, nil
		}
		return
	}
	e.refused = err
	if errors.Is(err, errRefused) {
		e.retry = m.now().Add(quiet)
		return
	}
	e.fails++
	e.suspect = true
	e.retry = m.now().Add(min(time.Second<<min(e.fails, 10), 5*time.Minute))
	m.log.Warn("mirror of a type fails", "type_name", e.ref.String(), "task", t.do, "error", err)
	if t.tables == nil || e.tables != t.tables {
		return
	}
	if t.tables.partial || e.fails > 3 {
		m.leave(e)
	}
}
