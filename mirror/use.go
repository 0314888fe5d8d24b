package mirror

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// Use is one statement's reference to the tables of a type. They are not dropped until it is
// released.
type Use struct {
	// Source is for scan.Request. The statement reads the commits after Source.Through from
	// files.
	Source scan.Mirror

	mirror     *Mirror
	tables     *tables
	window     ontosql.Window
	unreadable []unreadableCount
	version    int64 // of the rows, -1 for any
	released   bool  // under the mirror's mutex
}

// Window is the part of a type that a statement reads.
type Window struct {
	ontosql.Window
	// Repeated is set if the SQL over the tables is run more than once. The tables may be
	// extended in between, and Begin accepts the use anyway. Its SQL text is unique, so that
	// no prepared statement of it is cached.
	Repeated bool
	// Indexed is set if only tables with an index on the keys are useful.
	Indexed bool
}

// Use returns the tables of a type for a reader at h, or nil if there are none that fit. It
// also counts the read. h is the history last passed to Follow, or an older one.
func (m *Mirror) Use(h History, typ *catalog.Type, w Window) *Use {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil || m.closed {
		return nil
	}
	e := m.types[typ.Ref]
	if e == nil {
		e = &entry{ref: typ.Ref}
		m.types[typ.Ref] = e
	}
	e.reads++
	e.lastUsed = m.now()
	if e.tables == nil {
		m.startWorker(e)
	}
	m.waitForTables(e)
	t := e.tables
	if t == nil {
		return nil
	}
	if t.interim && w.Indexed || !t.matchesType(typ) || !t.matchesHistory(h) || w.Lower > 0 && w.Lower >= t.through {
		return nil
	}
	t.uses++
	u := &Use{
		Source: scan.Mirror{
			Cur: t.cur(), Hist: t.hist(), Type: t.columnTypes(), Through: t.through, Last: t.last, Duplicates: t.duplicates, Version: fmt.Sprint(t.version),
		},
		mirror: m, tables: t, window: w.Window, unreadable: t.unreadable, version: t.version,
	}
	if w.Repeated {
		t.repeated++
		m.repeatedUses++
		u.Source.Last, u.Source.Version, u.version = math.MaxInt64, fmt.Sprint("repeated ", m.repeatedUses), -1
	}
	return u
}

// Release ends the use. It may be called more than once.
func (u *Use) Release() {
	m := u.mirror
	m.mu.Lock()
	defer m.mu.Unlock()
	if u.released {
		return
	}
	u.released = true
	u.tables.uses--
	if u.version < 0 {
		u.tables.repeated--
	}
	if u.tables.dropped && (u.tables.uses == 0 || u.version < 0) {
		m.startWorker(m.types[u.tables.ref])
	}
}

// Unreadable returns the number of stored values of a column (by position in the type) that
// read as NULL because they do not have the column's type (decision A17), in the part of the
// window that the tables cover.
func (u *Use) Unreadable(col int) int64 {
	var n int64
	for _, b := range u.unreadable {
		if b.col == col && b.commit > u.window.Lower && b.commit <= u.window.Upper {
			n += b.n
		}
	}
	return n
}

// AllReadable reports whether the tables have no unreadable values of a column, or that all values
// fit the declaration (scan.MisfitPosition).
func (u *Use) AllReadable(col int) bool {
	return !anyUnreadable(u.unreadable, col)
}

// Begin prevents changes to the tables of a statement until end is called, which the caller
// does as soon as the statement has been planned and its snapshot is fixed
// (duckdb.Stmt.QueryOnSnapshot). end may be called more than once. Begin returns false if the
// tables have been extended since Use; the statement then needs a new Use, and there is
// nothing to end.
func Begin(uses []*Use) (end func(), ok bool) {
	var held []*tables
	for _, u := range uses {
		if !slices.Contains(held, u.tables) {
			held = append(held, u.tables)
		}
	}
	// All statements lock in the same order: a waiting writer blocks new readers, so different
	// orders could deadlock.
	slices.SortFunc(held, func(a, b *tables) int { return int(a.number - b.number) })
	for _, t := range held {
		t.gate.RLock()
	}
	end = sync.OnceFunc(func() {
		for _, t := range held {
			t.gate.RUnlock()
		}
	})
	for _, u := range uses {
		if u.version >= 0 && u.version != u.tables.version {
			end()
			return nil, false
		}
	}
	return end, true
}
