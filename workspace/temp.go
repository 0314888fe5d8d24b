package workspace

import (
	"context"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql/duckdb"
)

// Conn runs statements of the engine (duckdb.Conn).
type Conn interface {
	Exec(ctx context.Context, sql string) error
}

var _ Conn = (*duckdb.Conn)(nil)

// Temp are the temporary tables of one session. They belong to the session's goroutine.
type Temp struct {
	// Objects are the tables as the running statement sees them.
	Objects *Objects
	// Version counts the changes of Objects.
	Version int64

	xacts  *Xacts
	schema string // the engine's, of the heaps
	prefix string // of their names, the session's own
	made   int

	held    *Snapshot // of the statement that runs, nil for that of the moment
	before  *Objects  // of the transaction that runs
	ids     []XID     // that it has written with
	current XID       // that it writes with, 0 for none yet
	written map[*Heap]bool
	heaps   map[*Heap]bool // that exist in the engine
}

// NewTemp are the tables of a session, none at first. The heaps lie in a schema of the
// engine; prefix makes their names unique among all sessions.
func NewTemp(xacts *Xacts, schema, prefix string) *Temp {
	return &Temp{xacts: xacts, schema: schema, prefix: prefix, written: map[*Heap]bool{}, heaps: map[*Heap]bool{}}
}

// Snapshot is what a statement that runs now sees.
func (t *Temp) Snapshot() Snapshot {
	if t.held != nil {
		return *t.held
	}
	return t.Newest()
}

// Newest is what the next statement will see.
func (t *Temp) Newest() Snapshot { return t.xacts.Snapshot(t.ids) }

// Hold makes the queries of a statement see what was written before it, until Unhold.
func (t *Temp) Hold() {
	s := t.Newest()
	t.held, t.current = &s, 0
}

// Held reports whether queries see what was written before their statement.
func (t *Temp) Held() bool { return t.held != nil }

// Unhold ends Hold.
func (t *Temp) Unhold() { t.held = nil }

// XID is the number that the transaction writes with.
func (t *Temp) XID() XID {
	if t.current == 0 {
		t.current = t.xacts.Begin()
		t.ids = append(t.ids, t.current)
	}
	return t.current
}

// Write records that the transaction writes rows of a heap, and returns its number.
func (t *Temp) Write(h *Heap) XID {
	t.written[h] = true
	return t.XID()
}

// Set changes the objects.
func (t *Temp) Set(o *Objects) {
	t.Objects = o
	t.Version++
}

// Reserve returns a heap that does not exist yet. Its creator calls Created.
func (t *Temp) Reserve() *Heap {
	t.made++
	return NewHeap(t.schema, fmt.Sprintf("%s%d", t.prefix, t.made))
}

// Created records that a heap exists: the end of a transaction drops it if no table has it.
func (t *Temp) Created(h *Heap) { t.heaps[h] = true }

// CreateHeap creates an empty heap for a table's columns.
func (t *Temp) CreateHeap(ctx context.Context, conn Conn, columns []Column) (*Heap, error) {
	h := t.Reserve()
	if err := conn.Exec(ctx, h.create(columns)); err != nil {
		return nil, fmt.Errorf("create heap: %w", err)
	}
	t.Created(h)
	return h, nil
}

// Mark is a moment of a transaction that RollbackTo goes back to.
type Mark struct {
	objects *Objects
	ids     int
}

// Savepoint marks the moment.
func (t *Temp) Savepoint() Mark {
	t.current = 0
	return Mark{t.Objects, len(t.ids)}
}

// RollbackTo takes back what was written since a mark.
func (t *Temp) RollbackTo(ctx context.Context, conn Conn, m Mark) error {
	if err := t.undo(ctx, conn, t.ids[m.ids:]); err != nil {
		return err
	}
	t.xacts.End(t.ids[m.ids:]...)
	t.ids, t.current = t.ids[:m.ids], 0
	if t.Objects != m.objects {
		t.Set(m.objects)
	}
	return nil
}

// undo takes back what the transactions of some numbers have written.
func (t *Temp) undo(ctx context.Context, conn Conn, ids []XID) error {
	if len(ids) == 0 {
		return nil
	}
	for h := range t.written {
		for _, sql := range h.undo(ids) {
			if err := conn.Exec(ctx, sql); err != nil {
				return fmt.Errorf("undo: %w", err)
			}
		}
	}
	return nil
}

// Idle reports whether the transaction has changed nothing, and its end changes nothing.
func (t *Temp) Idle() bool {
	return len(t.ids) == 0 && t.Objects == t.before
}

// Commit ends the transaction. An error says that the engine could not remove what is not
// needed any more; the transaction is committed all the same.
func (t *Temp) Commit(ctx context.Context, conn Conn) error {
	var failed []error
	for _, table := range t.Objects.All() {
		switch table.OnCommit {
		case DropTable:
			t.Set(t.Objects.Without(table))
		case DeleteRows:
			if !t.written[table.Heap] {
				continue
			}
			h, err := t.CreateHeap(ctx, conn, table.Columns)
			if err != nil {
				failed = append(failed, err)
				continue
			}
			emptied := *table
			emptied.Heap = h
			t.Set(t.Objects.With(&emptied))
		}
	}
	current := t.Objects.heaps()
	for h := range t.written {
		if sql := h.vacuum(); sql != "" && current[h] {
			failed = append(failed, conn.Exec(ctx, sql))
		}
	}
	return errors.Join(append(failed, t.end(ctx, conn))...)
}

// Rollback takes back what the transaction has done. An error says that the engine could
// not take it back.
func (t *Temp) Rollback(ctx context.Context, conn Conn) error {
	err := t.undo(ctx, conn, t.ids)
	if t.Objects != t.before {
		t.Set(t.before)
	}
	return errors.Join(err, t.end(ctx, conn))
}

// end drops the heaps that no table has, and forgets the transaction.
func (t *Temp) end(ctx context.Context, conn Conn) error {
	var failed []error
	current := t.Objects.heaps()
	for h := range t.heaps {
		if !current[h] {
			failed = append(failed, conn.Exec(ctx, h.drop()))
			delete(t.heaps, h)
		}
	}
	t.xacts.End(t.ids...)
	t.ids, t.current, t.before = nil, 0, t.Objects
	clear(t.written)
	return errors.Join(failed...)
}

// Close drops everything when the session ends.
func (t *Temp) Close(ctx context.Context, conn Conn) error {
	t.Set(nil)
	return t.end(ctx, conn)
}
