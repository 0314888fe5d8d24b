package workspace

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/rewrite/types"
)

// The columns that each heap has beside those of its table.
const (
	xmin = "xmin" // the transaction that made the row
	xmax = "xmax" // the transaction that ended it, NULL for none
)

// RowXmin is the xmin of a row of a heap as PostgreSQL shows it: 32 bits.
const RowXmin = "CAST(" + xmin + " & 4294967295 AS UINTEGER)"

// Heap is a table of the engine with the rows of a table. Its columns are named by the
// numbers of the table's columns.
type Heap struct {
	name   string
	sql    string        // its name, qualified and quoted
	shared bool          // other sessions may write it
	writer chan struct{} // holds a value while a session writes the heap

	mu    sync.Mutex
	last  XID   // the newest transaction that has written rows
	dead  bool  // some rows have ended
	ended int64 // how many since the last vacuum, about
	rows  int64 // how many have been inserted, about
	locks rowLocks
}

// newHeap is a heap that is not created yet. schema is the engine's, quoted.
func newHeap(schema, name string, shared bool) *Heap {
	return &Heap{name: name, sql: schema + "." + duckdb.Ident(name), shared: shared, writer: make(chan struct{}, 1)}
}

// lock waits until no other session writes the heap.
func (h *Heap) lock(ctx context.Context) error {
	select {
	case h.writer <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (h *Heap) unlock() { <-h.writer }

// Rows is about how many rows the heap has, those included that have ended.
func (h *Heap) Rows() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.rows
}

// Grew records that rows came into the heap without Insert.
func (h *Heap) Grew(rows int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rows += rows
}

// Shared reports whether other sessions may write the heap.
func (h *Heap) Shared() bool { return h.shared }

// SQL is the name of the heap for SQL.
func (h *Heap) SQL() string { return h.sql }

// ColumnName is the name of the column of a number.
func ColumnName(number int) string { return "c" + strconv.Itoa(number) }

// create is the engine's CREATE TABLE.
func (h *Heap) create(columns []Column) string {
	var s strings.Builder
	s.WriteString("CREATE TABLE " + h.sql + " (")
	for _, c := range columns {
		s.WriteString(ColumnName(c.Number) + " " + c.Type.EngineType() + ", ")
	}
	return s.String() + xmin + " BIGINT NOT NULL, " + xmax + " BIGINT)"
}

// CreateAs is the engine's CREATE TABLE AS of a heap: a transaction inserts the rows of a query.
// The columns get the engine types of the query's first columns, declared numerics those of their
// declaration. The query has width columns.
func (h *Heap) CreateAs(id XID, columns []Column, width int, query string) string {
	h.wrote(id, false)
	given, items := make([]string, max(width, 1)), make([]string, len(columns))
	for i := range given {
		given[i] = "a" + strconv.Itoa(i)
	}
	for i, c := range columns {
		items[i] = given[i]
		if ty := c.Type.Internal(); ty.OID == types.Numeric && ty.Typmod >= 4 { // a type of an ontology may have more digits (A58)
			items[i] = "CAST(" + given[i] + " AS " + c.Type.EngineType() + ")"
		}
		items[i] += " AS " + ColumnName(c.Number)
	}
	return fmt.Sprintf("CREATE TABLE %s AS SELECT %s, CAST(%d AS BIGINT) AS %s, CAST(NULL AS BIGINT) AS %s FROM (%s) AS q(%s)",
		h.sql, strings.Join(items, ", "), id, xmin, xmax, query, strings.Join(given, ", "))
}

// Source is a SELECT of the rows that a snapshot sees. Items are the expressions of the
// SELECT list.
func (h *Heap) Source(s Snapshot, items []string) string {
	if len(items) == 0 {
		items = []string{"NULL"}
	}
	text := "SELECT " + strings.Join(items, ", ") + " FROM " + h.sql
	if c := h.condition(s); c != "" {
		text += " WHERE " + c
	}
	return text
}

// condition is the SQL condition that a row is visible to a snapshot, "" if all rows are. It is
// never "" for a shared heap: another session may write it before the engine reads it.
func (h *Heap) condition(s Snapshot) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var parts []string
	if h.shared || h.last >= s.Next || len(s.Running) > 0 && h.last >= s.Running[0] {
		parts = append(parts, s.sees(xmin))
	}
	if h.shared || h.dead {
		parts = append(parts, "("+xmax+" IS NULL OR NOT "+s.sees(xmax)+")")
	}
	return strings.Join(parts, " AND ")
}

// Ended is a query of the row ids of the rows that transactions have ended, "" for none.
func (h *Heap) Ended(ids []XID) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.dead || len(ids) == 0 {
		return ""
	}
	return "SELECT rowid FROM " + h.sql + " WHERE " + xmax + " IN (" + list(ids) + ")"
}

// Latest is a SELECT of all columns of the rows that neither a committed transaction nor the
// session's own has deleted. It includes rows that running transactions have inserted. now is a
// snapshot of this moment.
func (h *Heap) Latest(now Snapshot) string {
	text := "SELECT * FROM " + h.sql + " WHERE " + xmax + " IS NULL"
	if len(now.Running) > 0 {
		text += " OR " + xmax + " IN (" + list(now.Running) + ")"
	}
	return text
}

// Times are the items of a SELECT list of the transactions that made and ended a row, 0 for
// none. qualifier ends with a point, or is "".
func Times(qualifier string) []string {
	return []string{qualifier + xmin, "coalesce(" + qualifier + xmax + ", 0)"}
}

// EndedBy is a SELECT of the numbers of the transactions that have ended rows; rowids is a query
// of the row ids.
func (h *Heap) EndedBy(rowids string) string {
	return fmt.Sprintf("SELECT %[1]s FROM %[2]s WHERE %[1]s IS NOT NULL AND rowid IN (%[3]s)", xmax, h.sql, rowids)
}

// Unseen is a query of the row ids of the rows that are too new for a snapshot.
func (h *Heap) Unseen(s Snapshot) string {
	return "SELECT rowid FROM " + h.sql + " WHERE NOT " + s.sees(xmin)
}

// Insert is the engine's INSERT of about n rows that a transaction makes. values are expressions
// over from, one for each of columns.
func (h *Heap) Insert(id XID, columns []Column, values []string, from string, n int64) string {
	h.wrote(id, false)
	h.Grew(n)
	var names []string
	for _, c := range columns {
		names = append(names, ColumnName(c.Number))
	}
	return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s", h.sql,
		strings.Join(append(names, xmin), ", "), strings.Join(append(values, strconv.FormatInt(int64(id), 10)), ", "), from)
}

// MadeAfter is a SELECT of the rows that a transaction has made, without those up to a row id: its
// columns are the items, and the numbers of the rows in their order from 1, which is called n.
func (h *Heap) MadeAfter(id XID, after int64, items []string) string {
	return fmt.Sprintf("SELECT %s, row_number() OVER (ORDER BY rowid) AS n FROM %s WHERE %s = %d AND rowid > %d", strings.Join(items, ", "), h.sql, xmin, id, after)
}

// LastMade is a SELECT of the highest row id of the rows that a transaction has made, -1 for none.
func (h *Heap) LastMade(id XID) string {
	return fmt.Sprintf("SELECT coalesce(max(rowid), -1) FROM %s WHERE %s = %d", h.sql, xmin, id)
}

// End is the engine's UPDATE that ends rows; rowids is a query of the row ids of about n.
func (h *Heap) End(id XID, rowids string, n int64) string {
	h.wrote(id, true)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended += n
	return fmt.Sprintf("UPDATE %s SET %s = %d WHERE rowid IN (%s)", h.sql, xmax, id, rowids)
}

// wrote records what a transaction is about to write.
func (h *Heap) wrote(id XID, ends bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last, h.dead = max(h.last, id), h.dead || ends
}

// undo are the engine's statements that take back what transactions have written.
func (h *Heap) undo(ids []XID) []string {
	return []string{
		fmt.Sprintf("DELETE FROM %s WHERE %s IN (%s)", h.sql, xmin, list(ids)),
		fmt.Sprintf("UPDATE %s SET %s = NULL WHERE %s IN (%s)", h.sql, xmax, xmax, list(ids)),
	}
}

// fewestEnded is the number of ended rows that make a vacuum of a shared heap worthwhile.
const fewestEnded = 1000

// vacuum is the engine's DELETE of the rows that transactions before the horizon have ended, ""
// for none. The caller has checked that no snapshot sees them.
func (h *Heap) vacuum(horizon XID) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !h.dead:
		return ""
	case !h.shared:
		h.dead = false
		return fmt.Sprintf("DELETE FROM %s WHERE %s IS NOT NULL", h.sql, xmax)
	case h.ended < fewestEnded:
		return ""
	}
	h.ended = 0
	return fmt.Sprintf("DELETE FROM %s WHERE %s < %d", h.sql, xmax, horizon)
}

func (h *Heap) drop() string { return "DROP TABLE IF EXISTS " + h.sql }

// dropAll are the statements that drop heaps.
func dropAll(heaps []*Heap) []string {
	out := make([]string, len(heaps))
	for i, h := range heaps {
		out[i] = h.drop()
	}
	return out
}
