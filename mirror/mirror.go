// Package mirror is the room of the native copy (decision A26): for each type
// that is worth it two tables in a DuckDB file, from which statements read what
// they would else read from many data files. It is a cache: built and extended
// in the background, kept within a budget, dropped as soon as it is in doubt,
// and no statement waits for it. It writes no SQL of a reference, that is
// duckdb/scan's, and knows no store: rows come through History.
package mirror

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb"
)

// History is an ontology as one pin sees it. It never changes, and its methods
// are called from several goroutines; those without a context answer at once.
type History interface {
	// Head is the newest commit.
	Head() ontosql.CommitID
	// Mark names the history up to a commit: two stores with the same mark at a
	// commit have the same commits up to it. "" where there is no such commit.
	Mark(ontosql.CommitID) string
	// Type is a type as the catalog at the head has it.
	Type(ontosql.TypeRef) (*catalog.Type, bool)
	// Size counts the files, or whatever else is opened one by one, and the rows
	// of a type in the commits of (after, through].
	Size(t *catalog.Type, after, through ontosql.CommitID) (files int, rows int64)
	// Rows are the versions of a type in the commits of (after, through].
	Rows(ctx context.Context, t *catalog.Type, after, through ontosql.CommitID) (*Rows, error)
}

// Rows are versions for the engine to read.
type Rows struct {
	SQL string // a SELECT of scan.StoredColumns, to be run once
	// HasNextCommit says that the SELECT has v too, as scan.StoredNext has it.
	HasNextCommit bool
	// Duplicates says that rows of one identity and commit may be among them.
	Duplicates bool
	// Unreadable is a SELECT as of scan.UnreadableByCommit over the relation
	// Versions, "" for none.
	Unreadable string
	// AfterRun, if there is one, is called when the SQL was run, with its error, and sets
	// Duplicates and Unreadable. It returns the reason of that error.
	AfterRun   func(error) error
	Bytes   int64 // what the rows fill where they are
	Release func()
}

// versions is a SELECT of the rows and v. single says that no two of them are of one
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

// afterRun is told of the outcome of the SQL.
func (r *Rows) afterRun(err error) error {
	if r.AfterRun != nil {
		return r.AfterRun(err)
	}
	return err
}

// Versions is a relation of the rows of Rows.SQL while Rows.Unreadable is run.
const Versions = "versions"

// Options of a Mirror.
type Options struct {
	Engine *duckdb.Engine
	// Dir holds the files of one ontology, and of nothing else; it is created.
	// The engine may read it. Several processes may share it: each has a file.
	Dir    string
	Budget int64        // bytes that the tables may fill
	Logger *slog.Logger // nil discards
	// Now is the clock that tells which tables were not read for long; nil is
	// time.Now.
	Now func() time.Time
}

// Mirror is the native copy of one ontology. Its methods may be called from
// several goroutines.
type Mirror struct {
	engine *duckdb.Engine
	budget int64
	log    *slog.Logger
	now    func() time.Time

	ctx      context.Context // ends with the mirror
	cancel   context.CancelFunc
	workers  sync.WaitGroup
	building chan struct{} // a token: one type is built at a time
	writers  sync.RWMutex  // held for writing by a checkpoint
	unsaved  atomic.Int64  // what came since the last one, see mostUnsaved

	mu      sync.Mutex
	file    *file // nil while the mirror is off
	types   map[ontosql.TypeRef]*entry
	newest  History // the newest pin that is known, nil before the first
	lastNumber  int64   // of the tables made last
	repeatedUses int64   // uses that were Repeated so far
	closed  bool
	recreatedAt time.Time // when the file was lost last
}

// Open attaches the file to the engine, or a new one where there is none or it
// cannot be believed. A mirror that finds no place for a file is off: it answers
// every question with no, and says so in the log. The caller closes it, before
// the engine and after the last statement.
func Open(ctx context.Context, o Options) *Mirror {
	m := &Mirror{
		engine: o.Engine, budget: o.Budget, log: o.Logger, now: o.Now,
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

// attach opens the file and takes over the tables in it.
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
		// Never used again by anybody, whatever is wrong with it.
		m.log.WarnContext(ctx, "mirror is damaged and begins anew", "error", err)
		if err := f.recreate(ctx, conn); err != nil {
			f.close()
			return err
		}
	}
	for _, t := range found {
		m.types[t.ref] = &entry{ref: t.ref, reads: minReads, tables: t}
		m.lastNumber = max(m.lastNumber, t.number)
	}
	m.file = f
	return nil
}

// Close ends what is under way in the background, and the file.
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
				// A watermark that is lost was only moved over commits without rows.
				_ = e.tables.saveState(ctx, conn, e.tables.state)
			}
		}
		m.file.detach(ctx, conn)
		conn.Close()
	}
	m.file.close()
	m.file = nil
}
