package workspace

import (
	"fmt"
	"strings"
)

// Live is a SELECT of all columns of the rows that a snapshot of this moment sees and that no
// transaction has ended.
func (h *Heap) Live(now Snapshot) string {
	return "SELECT * FROM " + h.sql + " WHERE " + xmax + " IS NULL AND " + now.sees(xmin)
}

// Ending is a SELECT of all columns of the rows that a snapshot of this moment sees and that a
// running transaction of another session has ended, "" for none.
func (h *Heap) Ending(now Snapshot) string {
	if len(now.Running) == 0 {
		return ""
	}
	return "SELECT * FROM " + h.sql + " WHERE " + xmax + " IN (" + list(now.Running) + ") AND " + now.sees(xmin)
}

// ReplacedBy is the condition that the transaction that deletes the row old has inserted another
// row, next, that meets a condition. old and next are names of FROM items.
func (h *Heap) ReplacedBy(old, next, same string) string {
	return fmt.Sprintf("EXISTS (SELECT 1 FROM %s AS %s WHERE %[2]s.%[3]s = %[4]s.%[5]s AND %[2]s.%[5]s IS NULL AND %[6]s)", h.sql, next, xmin, old, xmax, same)
}

// EndedIn is the column of a FROM item with the transaction that has ended a row.
func EndedIn(item string) string { return item + "." + xmax }

// Made are the live rows that transactions have made: a SELECT of all columns.
func (h *Heap) Made(ids []XID) string {
	return "SELECT * FROM " + h.sql + " WHERE " + xmax + " IS NULL AND " + xmin + " IN (" + list(ids) + ")"
}

// MadeRows is Made with the row ids of the rows as row.
func (h *Heap) MadeRows(ids []XID) string {
	return strings.Replace(h.Made(ids), "SELECT *", "SELECT *, rowid AS row", 1)
}

// Gone are the rows that transactions have ended: a SELECT of all columns.
func (h *Heap) Gone(ids []XID) string {
	return "SELECT * FROM " + h.sql + " WHERE " + xmax + " IN (" + list(ids) + ")"
}

// ColumnNames are the names of columns in a heap, with a qualifier.
func ColumnNames(qualifier string, numbers []int) []string {
	out := make([]string, len(numbers))
	for i, n := range numbers {
		out[i] = qualifier + ColumnName(n)
	}
	return out
}

// Equal is the condition that two lists of expressions have the same values.
func Equal(a, b []string) string {
	pairs := make([]string, len(a))
	for i := range a {
		pairs[i] = a[i] + " = " + b[i]
	}
	return strings.Join(pairs, " AND ")
}

// LatestRows is a SELECT of all columns of the rows of Latest, and of their row ids as row.
func (h *Heap) LatestRows(now Snapshot) string {
	return strings.Replace(h.Latest(now), "SELECT *", "SELECT *, rowid AS row", 1)
}
