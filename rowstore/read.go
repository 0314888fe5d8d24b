package rowstore

import (
	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/mirror"
)

// Use is one statement's reference to the table of a type, until Release.
type Use struct {
	// Through is the commit that the table is complete through.
	Through ontosql.CommitID

	store   *Store
	table   *table
	shape   *shape
	typ     *catalog.Type
	bad     map[int]bool // table.Unreadable
	history mirror.History

	// Of Reach: the versions in the commits (Through, reached] by a text, nil for none.
	recent  func(text string) (b *column.Batch, ok bool)
	reached ontosql.CommitID
}

// Use is the table of a type for a reader at h, nil if there is none that fits. It also counts
// the read. h is the history last passed to Follow, or an older one.
func (s *Store) Use(h mirror.History, typ *catalog.Type) *Use {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off {
		return nil
	}
	e := s.types[typ.Ref]
	if e == nil {
		e = &entry{}
		s.types[typ.Ref] = e
	}
	e.reads++
	e.lastUsed = s.now()
	s.waitForTable(typ.Ref)
	t := s.types[typ.Ref].table
	if t == nil {
		s.signal()
		return nil
	}
	if !t.matchesType(typ) || !t.matchesHistory(h) {
		return nil
	}
	t.uses.Add(1)
	return &Use{Through: t.Through, store: s, table: t, shape: t.shape, typ: typ, bad: t.Unreadable, history: h, reached: t.Through}
}

// Type is the type whose rows the table has.
func (u *Use) Type() *catalog.Type { return u.typ }

// Release ends the use.
func (u *Use) Release() {
	if u.table.uses.Add(-1) == 0 && u.table.old.Load() {
		u.store.signal()
	}
}

// maxRowBytes bounds the rows that a look-up reads without the engine.
const maxRowBytes = 8 << 20

// Distrust is called when reading failed: the store finds nothing any more, and is removed when it
// is closed.
func (u *Use) Distrust(cause error) { u.store.turnOff(cause) }
