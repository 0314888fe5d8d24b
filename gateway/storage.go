package gateway

import (
	"context"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/ingest"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// Store tells what an ontology is at its head. Its methods may be called from
// several goroutines.
type Store interface {
	// Pin is the newest head and what stands below it, as old as the store allows.
	Pin(ctx context.Context) (*resolver.Pin, error)
	// PinFresh is Pin as the store is this moment, schema objects included.
	PinFresh(ctx context.Context) (*resolver.Pin, error)
	// Expire makes the next Pin look.
	Expire()
	// Lock is the write lock as it is recorded, nil where it is not.
	Lock(ctx context.Context) (*format.Lock, error)
}

// Committer writes to the ontology of a Store. Its methods may be called from
// several goroutines, and their errors are those of package writepath.
type Committer interface {
	Commit(ctx context.Context, tx writepath.Tx) (writepath.Outcome, error)
	// Draft takes rows before they are committed; nil where none is to be had.
	Draft(d writepath.Data) *writepath.Draft
	Reserve(ctx context.Context, lockTimeout time.Duration) (*writepath.Reservation, error)
}

// Storage is where an ontology is kept and how its rows come within the engine's
// reach: Files of a bucket, or Tables of a database.
type Storage interface {
	Store

	// find brings the rows of a window within the engine's reach.
	find(ctx context.Context, on *duckdb.Engine, s search) (found, error)
	// warnings are what is wrong with that by which the rows of a window would be
	// found, for those who read them elsewhere. The answer is right without it.
	warnings(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window) ([]string, error)
	// health is that of the indexes, of which there may be none.
	health(ctx context.Context, pin *resolver.Pin) ([]resolver.Health, error)
	// recoveries are what was rolled forward after a crash.
	recoveries(ctx context.Context) ([]format.Recovery, error)
	// ready is asked before the first commit, and says why none can be made.
	ready(ctx context.Context) error
	// far reports whether a look for the head takes so long that a statement may run
	// meanwhile.
	far() bool
	// wrote is told of a commit of this gateway.
	wrote(files []format.File, staged []*staging)
	// manifest is the key of a commit's manifest, "" where there is no such thing.
	manifest(e *chain.Entry) string
	// source is what a statement's rows come from, as the query log calls it.
	source() string
	// own remembers the last commits of this gateway.
	own() *OwnCommits
}

// search is a window of a type whose rows are wanted.
type search struct {
	pin     *resolver.Pin
	typ     *catalog.Type
	window  ontosql.Window
	keys    []string       // the wanted texts of the first identity column, nil for all; others do no harm
	bounds  keyBounds      // likewise of every identity column
	first   int            // the number of the first parameter that the rows may be; 0: they may be none
	answers *ingest.Lookup // what a single row may answer at once, nil for nothing
	dry     bool           // nothing is brought: EXPLAIN asks what would be
	warn    func(code, text string)
}

// empty reports whether no commit of the window can have rows that are seen.
func (s *search) empty() bool {
	return s.window.Lower >= s.window.Upper || s.typ.Floor > s.window.Upper
}

// found are rows within the engine's reach, until they are released.
type found struct {
	files   []scan.File
	report  foundReport
	args    []any         // parameters that the rows are
	answer  *column.Batch // of search.answers; the engine needs no rows then
	once    bool          // no other statement reads them by the same SQL
	newest  *resolver.Pin // that was seen in reading, nil where none was
	clean   bool          // they have no value that is none of its column's type
	size    func() int64  // bytes that the rows fill where they are; nil for no rows
	release func()        // nil for nothing to give back
}

func (f *found) giveBack() {
	if f.release != nil {
		f.release()
	}
}

// foundReport is what EXPLAIN tells of a search.
type foundReport struct {
	some bool          // there is something to be read
	text func() string // one line
}

// bring is the rows of a search, which the sources release.
func (o *sources) bring(ctx context.Context, db *Database, s search) (found, error) {
	f, err := db.storage.find(ctx, db.engine, s)
	if err == nil && f.release != nil {
		o.given = append(o.given, f.release)
	}
	o.guessed.saw(f.newest)
	o.once = o.once || f.once
	o.args = append(o.args, f.args...)
	return f, err
}
