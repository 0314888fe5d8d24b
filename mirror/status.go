package mirror

import (
	"errors"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
)

// TypeStatus is what the mirror has of one type.
type TypeStatus struct {
	Type    ontosql.TypeRef
	State   string           // "ready", "building", "extending", "dropping" or "none"
	Through ontosql.CommitID // complete up to it; 0 without tables
	Target  ontosql.CommitID // the head it follows
	Rows    int64
	Bytes   int64     // about what its tables fill
	Used    time.Time // when a statement asked for it last; zero if none did since the start
	Reason  error     // why it has no tables, or why they could not be extended last

	// Of the building or extending that goes on: when it began, how many rows it
	// is about and, roughly, how many of them are done with.
	Began       time.Time
	Done, Total int64
}

// Reasons for which a type that was read has no tables, and nothing is wrong.
var (
	errRarelyRead = errors.New("it was not read often enough")
	errTooSmall    = errors.New("it has too few rows and files")
)

// Enabled reports whether there is a place for tables.
func (m *Mirror) Enabled() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.file != nil
}

// Pending reports whether tables of a type are being made, or brought further, or will
// be when it is read once more.
func (m *Mirror) Pending(ref ontosql.TypeRef) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.types[ref]
	return m.file != nil && e != nil && (e.workerRunning || e.reads < minReads)
}

// Status is the state of every type that was read, in the order of their names.
// It is empty while the mirror is off.
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
	case e.reads < minReads:
		s.Reason = errRarelyRead
	default:
		s.Reason = errTooSmall
	}
	return s
}
