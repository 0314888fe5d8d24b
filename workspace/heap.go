package workspace

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/ontosql/ontosql/duckdb"
)

// The columns that each heap has beside those of its table.
const (
	xmin = "xmin" // the transaction that made the row
	xmax = "xmax" // the transaction that ended it, NULL for none
)

// Heap is a table of the engine with the rows of a table. Its columns are named by the
// numbers of the table's columns.
type Heap struct {
	sql string // its name, quoted

	mu   sync.Mutex
	last XID  // the newest transaction that has written rows
	dead bool // some rows have ended
}

// NewHeap is a heap that is not created yet.
func NewHeap(schema, name string) *Heap {
	return &Heap{sql: duckdb.Ident(schema) + "." + duckdb.Ident(name)}
}

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

// CreateAs is the engine's CREATE TABLE of a heap whose rows a transaction makes of a query. The
// columns have the engine types of the query's first ones, of which it has width.
func (h *Heap) CreateAs(id XID, columns []Column, width int, query string) string {
	h.wrote(id, false)
	given, items := make([]string, max(width, 1)), make([]string, len(columns))
	for i := range given {
		given[i] = "a" + strconv.Itoa(i)
	}
	for i, c := range columns {
		items[i] = given[i] + " AS " + ColumnName(c.Number)
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

// condition is the condition that a snapshot sees a row, "" where it sees all.
func (h *Heap) condition(s Snapshot) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var parts []string
	if h.last >= s.Next || len(s.Running) > 0 && h.last >= s.Running[0] {
		parts = append(parts, s.sees(xmin))
	}
	if h.dead {
		parts = append(parts, "("+xmax+" IS NULL OR NOT "+s.sees(xmax)+")")
	}
	return strings.Join(parts, " AND ")
}

// Ended is a query of the row ids of the rows that have ended as a snapshot sees it, "" for
// none.
func (h *Heap) Ended(s Snapshot) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.dead {
		return ""
	}
	return "SELECT rowid FROM " + h.sql + " WHERE " + s.sees(xmax)
}

// Insert is the engine's INSERT of rows that a transaction makes. values are expressions
// over from, one for each of columns.
func (h *Heap) Insert(id XID, columns []Column, values []string, from string) string {
	h.wrote(id, false)
	var names []string
	for _, c := range columns {
		names = append(names, ColumnName(c.Number))
	}
	return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s", h.sql,
		strings.Join(append(names, xmin), ", "), strings.Join(append(values, strconv.FormatInt(int64(id), 10)), ", "), from)
}

// End is the engine's UPDATE that ends rows; rowids is a query of their row ids.
func (h *Heap) End(id XID, rowids string) string {
	h.wrote(id, true)
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

// vacuum is the engine's DELETE of the rows that have ended, "" for none. The caller knows
// that no snapshot sees them.
func (h *Heap) vacuum() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.dead {
		return ""
	}
	h.dead = false
	return fmt.Sprintf("DELETE FROM %s WHERE %s IS NOT NULL", h.sql, xmax)
}

func (h *Heap) drop() string { return "DROP TABLE IF EXISTS " + h.sql }
