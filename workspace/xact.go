package workspace

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// XID is the number of a transaction, or of the part of one that a savepoint began.
type XID int64

// Xacts assigns transaction ids and keeps the set of running transactions. It is safe for use by
// several goroutines.
type Xacts struct {
	mu      sync.Mutex
	last    XID
	running map[XID]bool
	// unchecked has the deferred constraints that each running transaction still has to check.
	unchecked map[XID]map[ConstraintID]bool
}

// NewXacts has no transactions.
func NewXacts() *Xacts {
	return &Xacts{running: map[XID]bool{}, unchecked: map[XID]map[ConstraintID]bool{}}
}

// Begin numbers a transaction that runs from now on.
func (x *Xacts) Begin() XID {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last++
	x.running[x.last] = true
	return x.last
}

// End makes transactions visible to the snapshots that are taken from now on. One that was
// rolled back has removed its rows before.
func (x *Xacts) End(ids ...XID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		delete(x.running, id)
		delete(x.unchecked, id)
	}
}

// remain makes the rows of transactions of an earlier use of the file invisible.
func (x *Xacts) remain(ids ...XID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		x.running[id] = true
	}
}

// after makes the next transactions have numbers from next on.
func (x *Xacts) after(next XID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last = max(x.last, next)
}

// horizon is the first transaction that runs, or the next one.
func (x *Xacts) horizon() XID {
	x.mu.Lock()
	defer x.mu.Unlock()
	first := x.last + 1
	for id := range x.running {
		first = min(first, id)
	}
	return first
}

// Runs reports whether a transaction runs.
func (x *Xacts) Runs(id XID) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.running[id]
}

// Snapshot is what a statement sees: the transactions that have ended, and its own.
func (x *Xacts) Snapshot(own []XID) Snapshot {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := Snapshot{Next: x.last + 1, Own: slices.Clone(own)}
	for id := range x.running {
		if !slices.Contains(own, id) {
			s.Running = append(s.Running, id)
		}
	}
	slices.Sort(s.Running)
	return s
}

// Snapshot defines the transactions whose rows a statement sees.
type Snapshot struct {
	Next    XID   // the first that had not begun
	Running []XID // those of others that ran, ascending
	Own     []XID
}

// Sees reports whether the rows of a transaction are seen.
func (s *Snapshot) Sees(id XID) bool {
	return id < s.Next && !slices.Contains(s.Running, id) || slices.Contains(s.Own, id)
}

// sees is the SQL condition that a column of transaction numbers has one that is seen.
func (s *Snapshot) sees(column string) string {
	text := column + " < " + strconv.FormatInt(int64(s.Next), 10)
	if len(s.Running) > 0 {
		text += " AND " + column + " NOT IN (" + list(s.Running) + ")"
	}
	if later := slices.DeleteFunc(slices.Clone(s.Own), func(id XID) bool { return id < s.Next }); len(later) > 0 {
		text = "(" + text + ") OR " + column + " IN (" + list(later) + ")"
	}
	return "(" + text + ")"
}

// list prints transaction numbers as an SQL list.
func list(ids []XID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatInt(int64(id), 10)
	}
	return strings.Join(texts, ", ")
}
