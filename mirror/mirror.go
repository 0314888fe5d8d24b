// Package mirror keeps a native copy of types (decision A26): for each type that is read often
// enough, two tables in a DuckDB file that statements read instead of many data files. It is a
// cache: built and extended in the background, kept within a budget, and dropped when it may
// be wrong. Statements do not wait for it. SQL over the tables is written by duckdb/scan; rows
// come through History, so that the package knows no store.
package mirror

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/duckdb"
)

// Rows describes versions that DuckDB can read.
type Rows struct {
	SQL string // a SELECT of scan.StoredColumns, which is run once
	// HasNextCommit is set if the SELECT also returns v, as with scan.StoredNext.
	HasNextCommit bool
	// Duplicates is set if rows may share an identity and a commit.
	Duplicates bool
	// Unreadable is a SELECT by scan.UnreadableByCommit over the relation Versions, or "".
	Unreadable string
	// AfterRun, if not nil, is called with the error of SQL after it was run. It sets
	// Duplicates and Unreadable, and returns the error or its cause.
	AfterRun func(error) error
	Bytes    int64 // size of the rows at their source
	Release  func()
}

// versions returns a SELECT of the rows with v. single is set if no two rows share an
// identity.
func (r *Rows) versions(l layout, single bool) string {
	switch {
	case r.HasNextCommit:
		return r.SQL
	case single && !r.Duplicates:
		return l.withoutNextCommit(r.SQL)
	}
	return l.withNextCommit(r.SQL)
}

// afterRun calls AfterRun.
func (r *Rows) afterRun(err error) error {
	if r.AfterRun != nil {
		return r.AfterRun(err)
	}
	return err
}

// Versions is the relation with the rows of Rows.SQL while Rows.Unreadable is run.
const Versions = "versions"

// Options of a Mirror.
type Options struct {
	Engine *duckdb.Engine
	// Dir is a directory for the files of one ontology only; it is created if missing. DuckDB
	// must be allowed to read it. Processes that share it use a file each.
	Dir    string
	Budget int64        // maximum size of the tables in bytes
	Logger *slog.Logger // nil discards
	// Now is the clock that decides how long tables have been idle; nil is time.Now.
	Now func() time.Time
}

// Mirror is the native copy of one ontology. It is safe for concurrent use.
type Mirror struct {
	engine *duckdb.Engine
	budget int64
	log    *slog.Logger
	now    func() time.Time

	maxMoved int64 // maxMovedRows, less in tests

	ctx      context.Context // cancelled by Close
	cancel   context.CancelFunc
	workers  sync.WaitGroup
	building chan struct{} // semaphore: one type is built at a time
	writers  sync.RWMutex  // held for reading by writers of tables, for writing by a checkpoint
	unsaved  atomic.Int64  // bytes since the last checkpoint, see maxUnsaved

	mu           sync.Mutex
	file         *file // nil if the mirror is off
	types        map[ontosql.TypeRef]*entry
	newest       History // the newest pin passed to Follow, or nil
	lastNumber   int64   // number of the newest tables
	repeatedUses int64   // number of uses with Repeated
	closed       bool
	recreatedAt  time.Time // when the file was last recreated
}

// Open attaches the file of an earlier process, or a new one if there is none or it is
// damaged. If no file can be opened the mirror is off: Use always returns nil, and a warning
// is logged. The caller calls Close after the last statement and before closing the engine.
func Open(ctx context.Context, o Options) *Mirror {
	m := &Mirror{
		engine: o.Engine, budget: o.Budget, log: o.Logger, now: o.Now, maxMoved: maxMovedRows,
		building: make(chan struct{}, 1), types: map[ontosql.TypeRef]*entry{},
	}
	if m.log == nil {
		m.log = slog.New(slog.DiscardHandler)
	}
	if m.now == nil {
		m.now = time.Now
	}
	m.ctx, m.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := m.attach(ctx, o.Dir); err != nil {
		m.log.WarnContext(ctx, "mirror is off", "error", err)
	}
	return m
}

// attach opens the file and loads the tables in it.
func (m *Mirror) attach(ctx context.Context, dir string) error {
	conn, err := m.engine.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	f, err := openFile(ctx, conn, dir)
	if err != nil {
		return err
	}
	found, err := f.load(ctx, conn)
	if err != nil {
		// A file that cannot be read is replaced, whatever the cause.
		m.log.WarnContext(ctx, "mirror file is damaged and is recreated", "error", err)
		if err := f.recreate(ctx, conn); err != nil {
			f.close()
			return err
		}
	}
	for _, t := range found {
		m.types[t.ref] = &entry{ref: t.ref, reads: MinReads, tables: t}
		m.lastNumber = max(m.lastNumber, t.number)
	}
	m.file = f
	return nil
}

// Close stops the workers and closes the file.
func (m *Mirror) Close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.cancel()
	m.workers.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil {
		return
	}
	ctx := context.Background()
	if conn, err := m.engine.Conn(ctx); err == nil {
		for _, e := range m.types {
			if e.tables != nil {
				// An error is harmless: only watermarks moved over commits without rows are
				// unsaved.
				_ = e.tables.saveState(ctx, conn, e.tables.state)
			}
		}
		m.file.detach(ctx, conn)
		conn.Close()
	}
	m.file.close()
	m.file = nil
}
