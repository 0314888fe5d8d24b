package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Mark is a moment of a transaction that RollbackTo goes back to.
type Mark struct {
	objects *Objects
	edits   []edit
	ids     int
	// constraints are those that waited for their check, and what SET CONSTRAINTS had said.
	constraints Constraints
}

// Savepoint marks the moment.
func (t *Session) Savepoint() Mark {
	t.current = 0
	return Mark{t.Objects, slices.Clip(t.edits), len(t.ids), t.Constraints.clone()}
}

// RollbackTo takes back what was written since a mark. It returns the transactions that have
// ended by that.
func (t *Session) RollbackTo(ctx context.Context, conn Conn, m Mark) ([]XID, error) {
	ended := t.ids[m.ids:]
	if err := t.undo(ctx, conn, ended); err != nil {
		return nil, err
	}
	t.xacts.End(ended...)
	t.unlockRows(ended)
	t.ids, t.current = t.ids[:m.ids:m.ids], 0
	t.Constraints = m.constraints.clone()
	if t.Objects != m.objects {
		t.Set(m.objects)
	}
	if len(t.edits) != len(m.edits) {
		t.edits, t.merged = m.edits, merged{}
		t.Version++
	}
	return ended, nil
}

// undo takes back what the transactions of some numbers have written.
func (t *Session) undo(ctx context.Context, conn Conn, ids []XID) error {
	if len(ids) == 0 {
		return nil
	}
	for h := range t.written {
		if err := t.undoHeap(ctx, conn, h, ids); err != nil {
			return fmt.Errorf("undo: %w", err)
		}
	}
	gone := func(id XID) bool { return slices.Contains(ids, id) }
	if slices.ContainsFunc(t.recorded, gone) {
		if err := conn.Exec(ctx, "DELETE FROM "+runningTable+" WHERE xid IN ("+list(ids)+")"); err != nil {
			return fmt.Errorf("undo: %w", err)
		}
		t.recorded = slices.DeleteFunc(t.recorded, gone)
	}
	return nil
}

func (t *Session) undoHeap(ctx context.Context, conn Conn, h *Heap, ids []XID) error {
	if err := h.lock(ctx); err != nil {
		return err
	}
	defer h.unlock()
	return conn.ExecTogether(ctx, h.undo(ids))
}

// Idle reports whether the transaction has changed nothing, and its end changes nothing.
func (t *Session) Idle() bool {
	return len(t.ids) == 0 && t.Objects == t.before && len(t.edits) == 0 && len(t.unused) == 0
}

// Leave records that the transaction no longer uses the objects of the store and its snapshot.
// It has changed nothing, or it is committed.
func (t *Session) Leave() {
	t.Constraints = Constraints{}
	t.fixed = nil
	if t.entered {
		t.entered = false
		t.unused = append(t.unused, t.store.leave(t)...)
	}
}

// CommitStore commits what the transaction has changed of the store. If that fails, the caller
// rolls back.
func (t *Session) CommitStore(ctx context.Context, conn Conn) error {
	if !t.Wrote() {
		return nil
	}
	if err := t.store.commit(ctx, conn, t.ids, t.edits); err != nil {
		return err
	}
	objects := t.store.current.Load().objects
	for _, e := range t.edits {
		if e.put == nil {
			continue
		}
		if table := objects.Table(e.put.Schema, e.put.Name); table != nil {
			delete(t.heaps, table.Heap) // it is the store's now
		}
	}
	t.edits, t.recorded, t.merged = nil, nil, merged{}
	return nil
}

// Commit ends the transaction, after CommitStore. If it returns an error, the transaction is
// committed, but the engine could not remove rows and heaps that are not needed any more.
func (t *Session) Commit(ctx context.Context, conn Conn) error {
	var failed []error
	for _, table := range t.Objects.All() {
		switch table.OnCommit {
		case DropTable:
			t.Set(t.Objects.WithoutDependents(table.Schema, table.Name).Without(table))
		case DeleteRows:
			if !t.written[table.Heap] {
				continue
			}
			h, err := t.CreateHeap(ctx, conn, table.Schema, table.Columns)
			if err != nil {
				failed = append(failed, err)
				continue
			}
			emptied := *table
			emptied.Heap = h
			t.Set(t.Objects.With(&emptied))
		}
	}
	t.xacts.End(t.ids...)
	return errors.Join(append(failed, t.end(ctx, conn, true))...)
}

// vacuum removes the dead rows of the heaps that the transaction wrote: those that no snapshot
// sees any more.
func (t *Session) vacuum(ctx context.Context, conn Conn) error {
	var failed []error
	temporary := t.Objects.heaps()
	for h := range t.written {
		if !h.shared && !temporary[h] {
			continue
		}
		var horizon XID
		if h.shared {
			horizon = t.store.horizon()
		}
		if sql := h.vacuum(horizon); sql != "" {
			if err := h.lock(ctx); err != nil {
				return err
			}
			failed = append(failed, conn.Exec(ctx, sql))
			h.unlock()
		}
	}
	return errors.Join(failed...)
}

// Rollback undoes what the transaction has done. If it returns an error, the engine could not
// remove the transaction's rows. They stay invisible until the store is opened again, which
// removes them.
func (t *Session) Rollback(ctx context.Context, conn Conn) error {
	err := t.undo(ctx, conn, t.ids)
	if err == nil {
		t.xacts.End(t.ids...)
	}
	if t.Objects != t.before {
		t.Set(t.before)
	}
	if len(t.edits) > 0 {
		t.Version++
	}
	t.edits, t.recorded, t.merged = nil, nil, merged{}
	return errors.Join(err, t.end(ctx, conn, false))
}

// end drops the heaps that no table has, and forgets the transaction, whose numbers have ended.
func (t *Session) end(ctx context.Context, conn Conn, committed bool) error {
	temporary := t.Objects.heaps()
	var gone []*Heap
	for h := range t.heaps {
		if !temporary[h] {
			gone = append(gone, h)
			delete(t.heaps, h)
		}
	}
	t.unlockRows(t.ids)
	clear(t.locked)
	t.ids, t.current, t.before = nil, 0, t.Objects
	t.Leave()
	gone = append(gone, t.unused...)
	t.unused = nil
	var inFile, others []*Heap
	for _, h := range gone {
		delete(t.written, h)
		if h.shared {
			inFile = append(inFile, h)
		} else {
			others = append(others, h)
		}
	}
	var failed []error
	for _, heaps := range [][]*Heap{inFile, others} { // the engine writes one database in a transaction
		if len(heaps) > 0 {
			failed = append(failed, conn.ExecTogether(ctx, dropAll(heaps)))
		}
	}
	if committed {
		failed = append(failed, t.vacuum(ctx, conn))
		if len(t.written) > 0 {
			failed = append(failed, t.store.checkpoint(ctx, conn))
		}
	}
	clear(t.written)
	return errors.Join(failed...)
}

// Close ends the session: its transaction is rolled back, and everything that is its own is
// dropped.
func (t *Session) Close(ctx context.Context, conn Conn) error {
	err := t.Rollback(ctx, conn)
	t.Set(nil)
	return errors.Join(err, t.end(ctx, conn, false))
}
