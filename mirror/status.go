package mirror

import (
	"slices"

	"github.com/ontosql/ontosql"
)

// TypeStatus is what the mirror has of one type.
type TypeStatus struct {
	Type    ontosql.TypeRef
	Through ontosql.CommitID // complete up to it; 0 without tables
	Target  ontosql.CommitID // the head it follows
	Rows    int64
	Bytes   int64  // about what its tables fill
	State   string // "ready", "building", "extending", "dropping", "none", or "none: " and why
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
		s := TypeStatus{Type: e.ref, State: "none"}
		if m.newest != nil {
			s.Target = m.newest.Head()
		}
		if t := e.tables; t != nil {
			s.Through, s.Rows, s.Bytes, s.State = t.through, t.rows, t.bytes, "ready"
		} else if e.refused != "" {
			s.State += ": " + e.refused
		}
		if e.doing != "" {
			s.State = e.doing
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b TypeStatus) int { return a.Type.Compare(b.Type) })
	return all
}
