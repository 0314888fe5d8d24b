package mirror

import (
	"context"
	"errors"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
)

// maxMovedRows is how many rows may leave cur before it is written anew: DuckDB frees the
// space of deleted rows only with the whole table.
const maxMovedRows = 100_000

// entry is the mirror's state of one type. It is guarded by the mirror's mutex.
type entry struct {
	ref           ontosql.TypeRef
	reads         int
	lastUsed      time.Time
	tables        *tables   // nil if there are none
	toDrop        []*tables // dropped after their last use
	workerRunning bool      // runWorker is running
	currentTask   string    // its task, for Status
	progress      *progress // of that task, nil if unknown
	reason        error     // why it has no tables or the last task failed, for Status
	failures      int       // consecutive
	needsCheck    bool      // the file may be damaged
	retryAfter    time.Time // no task starts before this time
}

// task is one step of work for a type.
type task struct {
	kind    string
	history History
	typ     *catalog.Type
	tables  *tables
}

// The kinds of tasks, as Status shows them.
const (
	dropping   = "dropping"
	building   = "building"
	extending  = "extending"
	compacting = "compacting"
)

// Follow announces the newest pin. Tables of another history, or of a type that has changed,
// are discarded; the others are extended in the background.
func (m *Mirror) Follow(h History) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil || m.closed {
		return
	}
	if Precedes(h, m.newest) {
		return // the tables fit both
	}
	m.newest = TargetHistory(h)
	for _, e := range m.types {
		if t := e.tables; t != nil {
			if typ, ok := h.Type(e.ref); !ok || !t.matchesType(typ) || !t.matchesHistory(h) {
				m.discard(e)
			}
		}
		m.startWorker(e)
	}
}

// discard detaches the tables of a type and queues them for dropping.
func (m *Mirror) discard(e *entry) {
	e.tables.dropped = true
	e.toDrop = append(e.toDrop, e.tables)
	e.tables = nil
}

// nextTask returns the next task for a type, or nil.
func (m *Mirror) nextTask(e *entry) *task {
	if m.file == nil || m.closed {
		return nil
	}
	for _, t := range e.toDrop {
		if t.uses == 0 {
			return &task{kind: dropping, tables: t}
		}
		if t.repeated > 0 && t.sharesHist {
			return nil // a statement that reads hist may start again: it must find it as it was
		}
	}
	if m.newest == nil || m.now().Before(e.retryAfter) {
		return nil
	}
	typ, ok := m.newest.Type(e.ref)
	switch {
	case !ok:
	case e.tables != nil:
		if t := e.tables; t.moved > m.maxMoved && t.moved > t.identities {
			return &task{kind: compacting, history: m.newest, typ: typ, tables: t}
		}
		if m.newest.Head() > e.tables.through {
			return &task{kind: extending, history: m.newest, typ: typ, tables: e.tables}
		}
	case e.reads >= MinReads:
		if files, rows := m.newest.Size(typ, typ.Floor-1, m.newest.Head()); files > 0 || rows > 0 {
			return &task{kind: building, history: m.newest, typ: typ}
		}
	}
	return nil
}

// startWorker starts a worker for a type if there is a task and none is running.
func (m *Mirror) startWorker(e *entry) {
	if e == nil || e.workerRunning || m.closed || !e.needsCheck && m.nextTask(e) == nil {
		return
	}
	e.workerRunning = true
	m.workers.Add(1)
	go m.runWorker(e)
}

// runWorker runs the tasks of a type until there are none.
func (m *Mirror) runWorker(e *entry) {
	defer m.workers.Done()
	for {
		m.mu.Lock()
		if e.needsCheck {
			e.needsCheck = false
			m.mu.Unlock()
			m.checkFile()
			continue
		}
		t := m.nextTask(e)
		if t == nil {
			e.workerRunning, e.currentTask = false, ""
			m.mu.Unlock()
			return
		}
		e.currentTask = t.kind
		m.mu.Unlock()
		began := time.Now()
		m.finishTask(e, t, m.run(m.ctx, e, t))
		if t.kind == extending {
			m.throttle(time.Since(began))
		}
	}
}

// throttle waits so that several commits are applied together. Extensions then take at most a
// quarter of the time under a steady stream of commits; statements read a few more small files
// meanwhile.
func (m *Mirror) throttle(took time.Duration) {
	select {
	case <-m.ctx.Done():
	case <-time.After(min(max(3*took, 5*time.Millisecond), time.Second)):
	}
}

func (m *Mirror) run(ctx context.Context, e *entry, t *task) error {
	if t.kind == extending {
		if files, _ := t.history.Size(t.typ, t.tables.through, t.history.Head()); files == 0 {
			m.mu.Lock()
			defer m.mu.Unlock()
			t.tables.through, t.tables.mark, t.tables.history = t.history.Head(), t.history.Mark(t.history.Head()), t.history
			return nil
		}
	}
	switch t.kind {
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
	case compacting:
		return m.compact(ctx, e, t)
	}
	return m.extend(ctx, e, t)
}

// errNotMirrored is returned if a type is not mirrored for lack of room, which is no fault.
var errNotMirrored = errors.New("not mirrored")

// finishTask records the outcome of a task. After an error it sets the time of the next
// attempt.
func (m *Mirror) finishTask(e *entry, t *task, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil || m.closed {
		if t.kind != dropping {
			e.failures, e.reason = 0, nil
		}
		return
	}
	e.reason = err
	if errors.Is(err, errNotMirrored) {
		e.retryAfter = m.now().Add(minIdle)
		return
	}
	e.failures++
	e.needsCheck = true
	e.retryAfter = m.now().Add(min(time.Second<<min(e.failures, 10), 5*time.Minute))
	m.log.Warn("mirror task failed", "type_name", e.ref.String(), "task", t.kind, "error", err)
	if t.tables == nil || e.tables != t.tables {
		return
	}
	if t.tables.partial || e.failures > 3 {
		m.discard(e)
	}
}
