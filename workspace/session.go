package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/duckdb"
)

// Conn runs statements of the engine (duckdb.Conn).
type Conn interface {
	Exec(ctx context.Context, sql string) error
	ExecTogether(ctx context.Context, statements []string) error
}

var _ Conn = (*duckdb.Conn)(nil)

// Session is what one session sees and changes: its temporary tables, and the schemas and
// tables of the store. It belongs to the session's goroutine.
type Session struct {
	// Objects are the temporary tables as the running statement sees them.
	Objects *Objects
	// Version counts the changes of Objects and of the transaction's part of the store.
	Version int64
	// Constraints belong to the transaction.
	Constraints Constraints

	store  *Store
	xacts  *Xacts
	schema string // the engine's, of the temporary heaps
	prefix string // of their names, the session's own
	made   int

	before   *Objects // of the transaction that runs
	edits    []edit   // of the store
	merged   merged
	entered  bool      // the transaction uses the store
	fixed    *Snapshot // of a transaction that keeps its snapshot
	held     *Snapshot // of the statement that runs, nil for that of the moment
	ids      []XID     // that it has written with
	current  XID       // that it writes with, 0 for none yet
	recorded []XID     // those of ids that the file of the store lists as running
	written  map[*Heap]bool
	locked   map[*Heap]bool // with rows that the transaction has locked
	heaps    map[*Heap]bool // that exist in the engine, and are dropped if no table has them
	unused   []*Heap        // of the store, which the session drops
}

// merged are the objects of the store with a number of edits, which are kept for the next
// statement.
type merged struct {
	base    *committed
	edits   int
	objects *Objects
}

// NewSession has no temporary tables. Their heaps lie in a schema of the engine; prefix makes
// their names unique among all sessions.
func NewSession(store *Store, xacts *Xacts, schema, prefix string) *Session {
	return &Session{store: store, xacts: xacts, schema: duckdb.Ident(schema), prefix: prefix, written: map[*Heap]bool{}, locked: map[*Heap]bool{}, heaps: map[*Heap]bool{}}
}

// Err is why the store cannot be used, nil if it can.
func (t *Session) Err() error { return t.store.Err() }

// StoreVersion is the version of the store's objects. It changes with each commit of objects.
func (t *Session) StoreVersion() int64 { return t.store.current.Load().version }

// Shared are the schemas and tables of the store, with the changes of the transaction.
func (t *Session) Shared() *Objects {
	if t.store.err != nil {
		return nil
	}
	if !t.entered {
		t.entered = true
		t.store.enter(t)
	}
	base := t.store.current.Load()
	if len(t.edits) == 0 {
		return base.objects
	}
	if t.merged.base != base || t.merged.edits > len(t.edits) {
		t.merged = merged{base, 0, base.objects}
	}
	for _, e := range t.edits[t.merged.edits:] {
		t.merged.objects = e.apply(t.merged.objects)
	}
	t.merged.edits = len(t.edits)
	return t.merged.objects
}

// Edited reports whether the transaction has changed the objects of the store.
func (t *Session) Edited() bool { return len(t.edits) > 0 }

// Wrote reports whether the transaction has changed the store: its objects or rows.
func (t *Session) Wrote() bool { return len(t.edits) > 0 || len(t.recorded) > 0 }

// Table finds a table by the name of its schema, which is TempSchema for the session's own, nil
// for none.
func (t *Session) Table(schema, table string) *Table {
	return t.Of(schema).Table(schema, table)
}

// Of returns the set of objects that contains the tables of a schema.
func (t *Session) Of(schema string) *Objects {
	if schema == TempSchema {
		return t.Objects
	}
	return t.Shared()
}

// Put adds a table, or puts it in the place of the one of its name.
func (t *Session) Put(table *Table) {
	table = table.settled(t.Of(table.Schema))
	if table.Schema == TempSchema {
		t.Set(t.Objects.With(table))
		return
	}
	t.edit(edit{put: table})
}

// Remove removes a table.
func (t *Session) Remove(table *Table) {
	if table.Schema == TempSchema {
		t.Set(t.Objects.Without(table))
		return
	}
	t.edit(edit{remove: table})
}

// CreateSchema adds a schema to the store. The first one creates the store's file.
func (t *Session) CreateSchema(ctx context.Context, conn *duckdb.Conn, schema string) error {
	if err := t.store.create(ctx, conn); err != nil {
		return err
	}
	t.PutSchema(&Schema{Name: schema})
	return nil
}

// DropSchema removes a schema, which has no tables.
func (t *Session) DropSchema(schema string) { t.edit(edit{dropSchema: schema}) }

func (t *Session) edit(e edit) {
	t.edits = append(t.edits, e)
	t.Version++
}

// Set changes the temporary tables.
func (t *Session) Set(o *Objects) {
	t.Objects = o
	t.Version++
}

// Snapshot is what a statement that runs now sees. If keep is set, all statements of the
// transaction see the same of others.
func (t *Session) Snapshot(keep bool) Snapshot {
	now := t.Newest()
	switch {
	case t.held != nil:
		return *t.held
	case !keep:
		return now
	case t.fixed == nil:
		t.fixed = &now
	}
	kept := *t.fixed
	kept.Own = now.Own
	return kept
}

// Newest is what has been committed and what the transaction has written until this moment.
func (t *Session) Newest() Snapshot { return t.xacts.Snapshot(t.ids) }

// Hold makes the queries of a statement see what was written before it, until Unhold. keep is
// that of Snapshot.
func (t *Session) Hold(keep bool) {
	s := t.Snapshot(keep)
	t.held, t.current = &s, 0
}

// Held reports whether queries see what was written before their statement.
func (t *Session) Held() bool { return t.held != nil }

// Unhold ends Hold.
func (t *Session) Unhold() { t.held = nil }

// WithOwn is a snapshot that sees in addition what the transaction has written until this
// moment.
func (t *Session) WithOwn(s Snapshot) Snapshot {
	s.Own = slices.Clone(t.ids)
	return s
}

// IDs are the numbers that the transaction has written with.
func (t *Session) IDs() []XID { return slices.Clone(t.ids) }

// Runs reports whether a transaction of another session runs.
func (t *Session) Runs(id XID) bool { return t.xacts.Runs(id) && !slices.Contains(t.ids, id) }

// XID is the number that the transaction writes with.
func (t *Session) XID() XID {
	if t.current == 0 {
		t.current = t.xacts.Begin()
		t.ids = append(t.ids, t.current)
	}
	return t.current
}

// Number is the number that the transaction writes rows of a heap with.
func (t *Session) Number(ctx context.Context, conn Conn, h *Heap) (XID, error) {
	id := t.XID()
	if !h.shared {
		return id, nil
	}
	return id, t.store.reserve(ctx, conn, id)
}

// Apply runs write in a transaction of the engine's connection. write gets the id of the
// session's transaction and writes rows of a heap, which no other session writes meanwhile. If
// whole is set, the session's transaction writes nothing else, and the engine's commit commits
// it.
func (t *Session) Apply(ctx context.Context, conn Conn, h *Heap, whole bool, write func(id XID) error) error {
	return t.ApplyAmong(ctx, conn, h, nil, whole, write)
}

// ApplyAmong is Apply that also keeps other sessions from writing some other heaps, in which
// write looks for rows. write calls WroteTo for those that it writes itself.
func (t *Session) ApplyAmong(ctx context.Context, conn Conn, h *Heap, others []*Heap, whole bool, write func(id XID) error) error {
	id, err := t.Number(ctx, conn, h)
	if err != nil {
		return err
	}
	unlock, err := lockAll(ctx, append(others, h))
	if err != nil {
		return err
	}
	defer unlock()
	t.WroteTo(h)
	records := h.shared && !slices.Contains(t.recorded, id) && !(whole && len(t.ids) == 1 && len(t.edits) == 0)
	err = inEngine(ctx, conn, func() error {
		if records {
			if err := conn.Exec(ctx, fmt.Sprintf("INSERT INTO %s VALUES (%d)", runningTable, id)); err != nil {
				return err
			}
		}
		return write(id)
	})
	if err == nil && records {
		t.recorded = append(t.recorded, id)
	}
	return err
}

// WroteTo records that the transaction writes a heap.
func (t *Session) WroteTo(h *Heap) { t.written[h] = true }

// lockAll waits until no other session writes heaps. All sessions wait in one order.
func lockAll(ctx context.Context, heaps []*Heap) (unlock func(), err error) {
	heaps = slices.Clone(heaps)
	slices.SortFunc(heaps, func(a, b *Heap) int { return strings.Compare(a.sql, b.sql) })
	heaps = slices.Compact(heaps)
	var locked []*Heap
	unlock = func() {
		for _, h := range locked {
			h.unlock()
		}
	}
	for _, h := range heaps {
		if err := h.lock(ctx); err != nil {
			unlock()
			return nil, err
		}
		locked = append(locked, h)
	}
	return unlock, nil
}

// Reserve returns a heap for a table of a schema, which does not exist yet. Its creator calls
// Created.
func (t *Session) Reserve(schema string) *Heap {
	if schema != TempSchema {
		return t.store.newHeap()
	}
	t.made++
	return newHeap(t.schema, fmt.Sprintf("%s%d", t.prefix, t.made), false)
}

// Created records that a heap exists: the end of a transaction drops it if no table has it.
func (t *Session) Created(h *Heap) { t.heaps[h] = true }

// CreateHeap creates an empty heap for the columns of a table of a schema.
func (t *Session) CreateHeap(ctx context.Context, conn Conn, schema string, columns []Column) (*Heap, error) {
	h := t.Reserve(schema)
	if err := conn.Exec(ctx, h.create(columns)); err != nil {
		return nil, fmt.Errorf("create heap: %w", err)
	}
	t.Created(h)
	return h, nil
}
