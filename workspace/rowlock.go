package workspace

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// RowLockMode is how a transaction locks a row (PostgreSQL manual, table 13.3).
type RowLockMode uint8

// The modes, weakest first.
const (
	LockForKeyShare RowLockMode = 1 + iota
	LockForShare
	LockForNoKeyUpdate
	LockForUpdate
)

// conflicts reports whether two transactions cannot hold a row in these modes at the same time.
func (m RowLockMode) conflicts(o RowLockMode) bool { return m+o > LockForUpdate }

// rowLocks are the rows of a heap that running transactions have locked, by their row ids, which
// are valid while a transaction is active. Those of a transaction that has ended mean nothing.
type rowLocks map[XID]map[int64]RowLockMode

// RowsToLock are rows of a heap that a statement locks.
type RowsToLock struct {
	Heap *Heap
	Mode RowLockMode
	Rows []int64 // their row ids
}

// RowConflict is the transaction that keeps a statement from locking rows.
type RowConflict struct {
	Of   int // the index of the rows
	With XID
	// Ended says that it has ended one of the rows. If not, it has locked one.
	Ended bool
}

// LockRows locks rows until the transaction has ended, all of them or none. Rows that the
// transaction itself has ended are left out. The conflict is nil if the rows are locked.
func (t *Session) LockRows(ctx context.Context, conn *duckdb.Conn, all []RowsToLock) (*RowConflict, error) {
	heaps := make([]*Heap, len(all))
	for i := range all {
		heaps[i] = all[i].Heap
	}
	unlock, err := lockAll(ctx, heaps)
	if err != nil {
		return nil, err
	}
	defer unlock()
	locked := make([][]int64, len(all))
	for i, r := range all {
		var met *RowConflict
		if locked[i], met, err = t.lockable(ctx, conn, r); err != nil {
			return nil, err
		}
		if met != nil {
			met.Of = i
			return met, nil
		}
	}
	id := t.XID()
	for i, r := range all {
		r.Heap.lockRows(id, locked[i], r.Mode)
		t.locked[r.Heap] = true
	}
	return nil, nil
}

// lockable are the rows that the transaction can lock; the caller is the only writer of the heap.
func (t *Session) lockable(ctx context.Context, conn *duckdb.Conn, r RowsToLock) (rows []int64, met *RowConflict, err error) {
	wanted := make(map[int64]bool, len(r.Rows))
	for _, row := range r.Rows {
		wanted[row] = true
	}
	if sql := r.Heap.endedAmong(r.Rows); sql != "" {
		err = conn.Each(ctx, sql, nil, func(b *column.Batch, i int) {
			row, by := b.Cols[0].I64[i], XID(b.Cols[1].I64[i])
			switch {
			case !wanted[row]:
			case slices.Contains(t.ids, by):
				delete(wanted, row)
			default:
				met = &RowConflict{With: by, Ended: true}
			}
		})
		if met != nil || err != nil {
			return nil, met, err
		}
	}
	rows = slices.Collect(maps.Keys(wanted))
	if with := t.lockedByOther(r.Heap, rows, r.Mode); with != 0 {
		met = &RowConflict{With: with}
	}
	return rows, met, nil
}

// fewRows is the number of row ids up to which a query names them.
const fewRows = 1000

// endedAmong is a query of the row ids of ended rows and of the transactions that have ended them,
// among them all of the given ones; "" if no row has ended.
func (h *Heap) endedAmong(rows []int64) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.dead {
		return ""
	}
	sql := fmt.Sprintf("SELECT rowid, %[1]s FROM %[2]s WHERE %[1]s IS NOT NULL", xmax, h.sql)
	if len(rows) <= fewRows {
		sql += " AND rowid IN (" + rowList(rows) + ")"
	}
	return sql
}

// rowList prints row ids as an SQL list.
func rowList(rows []int64) string {
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = strconv.FormatInt(row, 10)
	}
	return strings.Join(texts, ", ")
}

// lockRows records the locks of a transaction.
func (h *Heap) lockRows(id XID, rows []int64, mode RowLockMode) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.locks == nil {
		h.locks = rowLocks{}
	}
	own := h.locks[id]
	if own == nil {
		own = make(map[int64]RowLockMode, len(rows))
		h.locks[id] = own
	}
	for _, row := range rows {
		own[row] = max(own[row], mode)
	}
}

// unlockRows forgets the locks of transactions, which have ended.
func (h *Heap) unlockRows(ids []XID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		delete(h.locks, id)
	}
}

// unlockRows forgets the row locks of transactions of the session, which have ended.
func (t *Session) unlockRows(ids []XID) {
	for h := range t.locked {
		h.unlockRows(ids)
	}
}

// others are the locks that running transactions of other sessions have on rows of a heap. The
// caller holds h.mu while it uses them.
func (t *Session) others(h *Heap) rowLocks {
	if len(h.locks) == 0 {
		return nil
	}
	out := rowLocks{}
	for id, rows := range h.locks {
		if t.Runs(id) {
			out[id] = rows
		}
	}
	return out
}

// lockedByOther is a transaction of another session that has locked one of the rows in a mode that
// conflicts, 0 for none.
func (t *Session) lockedByOther(h *Heap, rows []int64, mode RowLockMode) XID {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, locked := range t.others(h) {
		for _, row := range rows {
			if held := locked[row]; held != 0 && held.conflicts(mode) {
				return id
			}
		}
	}
	return 0
}

// LockedByOther is a transaction of another session that has locked one of the rows that the
// session is about to end, 0 for none; rowids is a query of the row ids. The caller is the only
// writer of the heap.
func (t *Session) LockedByOther(ctx context.Context, conn *duckdb.Conn, h *Heap, rowids string) (XID, error) {
	h.mu.Lock()
	some := len(t.others(h)) > 0
	h.mu.Unlock()
	if !some {
		return 0, nil
	}
	var rows []int64
	if err := conn.Each(ctx, rowids, nil, func(b *column.Batch, i int) { rows = append(rows, b.Cols[0].I64[i]) }); err != nil {
		return 0, err
	}
	return t.lockedByOther(h, rows, LockForUpdate), nil
}

// Unlocked is the condition that no running transaction of another session has ended a row, or
// locked it in a mode that conflicts; "" if there is none.
func (t *Session) Unlocked(h *Heap, mode RowLockMode) string {
	now := t.Newest()
	h.mu.Lock()
	defer h.mu.Unlock()
	var parts []string
	if h.dead && len(now.Running) > 0 {
		parts = append(parts, "("+xmax+" IS NULL OR "+xmax+" NOT IN ("+list(now.Running)+"))")
	}
	var locked []int64
	for _, rows := range t.others(h) {
		for row, held := range rows {
			if held.conflicts(mode) {
				locked = append(locked, row)
			}
		}
	}
	if len(locked) > 0 {
		slices.Sort(locked)
		parts = append(parts, "rowid NOT IN ("+rowList(locked)+")")
	}
	return strings.Join(parts, " AND ")
}

// SourceOf is Source with only the rows that meet a condition, "" for all.
func (h *Heap) SourceOf(s Snapshot, items []string, condition string) string {
	text := h.Source(s, items)
	switch {
	case condition == "":
		return text
	case strings.Contains(text, " WHERE "):
		return text + " AND " + condition
	}
	return text + " WHERE " + condition
}
