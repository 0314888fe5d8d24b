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

// Use is the right of one statement to read the tables of a type: until it is
// released they are not dropped.
type Use struct {
	// Source is for scan.Request. The files of the window are those of the
	// commits after Source.Through.
	Source scan.Mirror

	mirror     *Mirror
	tables     *tables
	window     ontosql.Window
	unreadable []unreadableCount
	version    int64 // of the rows, -1 for any
	released   bool  // under the mirror's mutex
}

// Window says what a statement reads of a type.
type Window struct {
	ontosql.Window
	// Repeated says that the SQL over the tables is run more than once: the
	// tables may be extended in between, and Begin never refuses it. Its text is
	// unlike any other, because what was prepared of it must not be kept.
	Repeated bool
	// Indexed says that tables without an index of the keys are of no use.
	Indexed bool
}

// Use is the mirror's tables of a type as a reader at h may use them; nil where
// there are none that it may. It also is how the mirror learns what is read. h
// is what Follow was told last, or older.
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
			Cur: t.cur(), Hist: t.hist(), Through: t.through, Last: t.last, Duplicates: t.duplicates, Version: fmt.Sprint(t.version),
		},
		mirror: m, tables: t, window: w.Window, unreadable: t.unreadable, version: t.version,
	}
	if w.Repeated {
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
	if u.tables.dropped && u.tables.uses == 0 {
		m.startWorker(m.types[u.tables.ref])
	}
}

// Unreadable counts the stored values of a column, by its position in the type,
// that read as NULL because they are none of its type (decision A17), as far as
// the window is read from the tables.
func (u *Use) Unreadable(col int) int64 {
	var n int64
	for _, b := range u.unreadable {
		if b.col == col && b.commit > u.window.Lower && b.commit <= u.window.Upper {
			n += b.n
		}
	}
	return n
}

// AllReadable reports whether the tables have no such value of a column at all.
func (u *Use) AllReadable(col int) bool {
	return !slices.ContainsFunc(u.unreadable, func(b unreadableCount) bool { return b.col == col && b.n > 0 })
}

// Begin keeps the tables of a statement as they are until end is called, which
// is as soon as the statement has been planned and it is settled what it sees
// (duckdb.Stmt.QuerySettled). end may be called more than once. It reports false
// when the tables of a use have been extended since; the statement needs another
// use then, and nothing is to be ended.
func Begin(uses []*Use) (end func(), ok bool) {
	var held []*tables
	for _, u := range uses {
		if !slices.Contains(held, u.tables) {
			held = append(held, u.tables)
		}
	}
	// In one order for all: a writer that waits lets no more readers in.
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
