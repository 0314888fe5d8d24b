package mirror

import (
	"errors"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
)

// TypeStatus is the state of one type.
type TypeStatus struct {
	Type    ontosql.TypeRef
	State   string           // "ready", "building", "extending", "compacting", "dropping" or "none"
	Through ontosql.CommitID // the commit the tables are complete through; 0 without tables
	Target  ontosql.CommitID // the newest known head
	Rows    int64
	Bytes   int64     // estimated size of the tables
	Used    time.Time // time of the last read; zero if none since the start
	Reason  error     // why it has no tables, or the error of the last extension

	// For building, extending and compacting: the start time, and the number of rows processed (estimated)
	// and in total.
	Began       time.Time
	Done, Total int64
}

// Reasons why a type without faults has no tables.
var (
	errRarelyRead = errors.New("it was not read often enough")
	errEmpty      = errors.New("it has no rows")
)

// Enabled reports whether the mirror has a file.
func (m *Mirror) Enabled() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.file != nil
}

// Pending reports whether tables of a type are being built or extended, or will be built at
// the next read.
func (m *Mirror) Pending(ref ontosql.TypeRef) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.types[ref]
	return m.file != nil && e != nil && (e.workerRunning || e.reads < MinReads)
}

// Status returns the state of every type that was read, sorted by name. It is empty while the
// mirror is off.
func (m *Mirror) Status() []TypeStatus {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil {
		return nil
	}
	var all []TypeStatus
	for _, e := range m.types {
		all = append(all, m.status(e))
	}
	slices.SortFunc(all, func(a, b TypeStatus) int { return a.Type.Compare(b.Type) })
	return all
}

func (m *Mirror) status(e *entry) TypeStatus {
	s := TypeStatus{Type: e.ref, State: "none", Used: e.lastUsed, Reason: e.reason}
	if m.newest != nil {
		s.Target = m.newest.Head()
	}
	if t := e.tables; t != nil {
		s.State, s.Through, s.Rows, s.Bytes = "ready", t.through, t.rows, t.bytes
	}
	if e.currentTask != "" {
		s.State = e.currentTask
	}
	if p := e.progress; p != nil {
		s.Began, s.Total, s.Done = p.began, p.rows, p.done()
	}
	switch {
	case s.State != "none" || s.Reason != nil:
	case e.reads < MinReads:
		s.Reason = errRarelyRead
	default:
		s.Reason = errEmpty
	}
	return s
}
