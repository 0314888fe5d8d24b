package database

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/macros"
	"github.com/ontosql/ontosql/rowstore"
	"github.com/ontosql/ontosql/workspace"
	"github.com/ontosql/ontosql/writepath"
)

// Database is one served ontology. Its sessions share it.
type Database struct {
	Name    string // the alias that clients connect to
	URI     string // of the storage, without credentials
	Backend string // "s3", "file" or "sqlite"

	Storage   storage.Backend
	Engine    *duckdb.Engine
	Committer storage.Committer
	Mirror    *mirror.Mirror      // nil for none
	Rows      *rowstore.Store     // nil for none
	Compactor *compaction.Service // nil if the storage has no files to merge
	Events    eventbus.Bus        // nil for none
	Options   []introspect.Option
	peers     func() (names []string, version uint64) // the other databases of the gateway; nil for none
	Names     Names                                   // nil for a gateway without a name service

	Statements introspect.StatementLog
	Results    *ResultCache // nil for none
	Gates      WriteGates
	Locks      Locks
	Channels   Channels
	watch      *watch
	Xacts      *workspace.Xacts // the transactions that write ordinary tables
	Workspace  *workspace.Store

	// Speculating is true while a session runs a statement before it knows the head.
	Speculating atomic.Bool

	last     atomic.Pointer[resolver.Pin]
	followed atomic.Pointer[resolver.Pin] // the pin that the mirror was given last
	rowed    atomic.Pointer[rowed]        // what the row store was given last
	callers  sync.Map                     // Caller by the number of a session
	spare    spareConns

	unreadable unreadable
	commits    commitTimes
	catalog    catalogs
	records    records
}

// Options is what a Database is built from. The caller closes the engine, the committer, the
// compactor and the mirror after the last session, the mirror before the engine.
type Options struct {
	Name, URI, Backend string
	Storage            storage.Backend
	Engine             *duckdb.Engine
	Committer          storage.Committer   // of the same storage
	Mirror             *mirror.Mirror      // nil for none
	Rows               *rowstore.Store     // nil for none, closed as the mirror
	Compactor          *compaction.Service // of the same storage; nil if it has no files to merge
	Events             eventbus.Bus        // of the same storage; nil for none
	Results            int64               // bytes of the result cache, 0 for none
	Settings           []introspect.Option
	// Peers are the names of the other databases, for pg_database, and a number that differs when they
	// do; nil for none.
	Peers          func() (names []string, version uint64)
	Names          Names         // nil for a gateway without a name service
	NotifyInterval time.Duration // how often the head and new events are looked for while a session listens; 1 s if 0
	Logger         *slog.Logger  // of what is looked for in the background; slog.Default if nil
	Definitions    *slog.Logger  // of statements that define objects, roles and privileges; nil for none
	Workspace      string        // the directory of its workspace, which the engine may use; "" for none
}

// Define creates the schemas and macros in an engine that statements use.
func Define(ctx context.Context, engine *duckdb.Engine) error {
	conn, err := engine.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect to engine: %w", err)
	}
	defer conn.Close()
	for _, schema := range []string{temptable.Schema, pgcatalog.Schema} {
		if err := conn.Exec(ctx, "CREATE SCHEMA "+schema); err != nil {
			return fmt.Errorf("prepare engine: %w", err)
		}
	}
	if err := conn.ExecAll(ctx, macros.Macros()); err != nil {
		return fmt.Errorf("define the rewriter's functions: %w", err)
	}
	return nil
}

// New makes a database ready for sessions, on an engine that was given to Define.
func New(ctx context.Context, o Options) (*Database, error) {
	db := &Database{
		Name: o.Name, URI: o.URI, Backend: o.Backend,
		Storage: o.Storage, Engine: o.Engine, Committer: o.Committer, Mirror: o.Mirror, Rows: o.Rows, Compactor: o.Compactor, Events: o.Events,
		Options: o.Settings, peers: o.Peers, Names: o.Names, Results: newResultCache(o.Results),
		Xacts: workspace.NewXacts(),
	}
	if o.Definitions != nil {
		db.Statements.Definitions = o.Definitions.With("database", o.Name)
	}
	db.watch = newWatch(db, o)
	if c, ok := o.Committer.(storage.Sender); ok {
		c.WhenSent(func(sent []format.Event) {
			if bus, ok := db.Events.(eventbus.Hinted); ok {
				bus.Sent(sent)
			}
			db.Sent()
		})
	}
	o.Storage.Recent().SetMirror(o.Mirror)
	db.catalog.versions = map[string]*CatalogVersion{}
	db.catalog.tables = map[*pgcatalog.Relation][]*catalogTable{}
	db.unreadable.counts, db.unreadable.clean = map[fileColumn]int64{}, map[ontosql.TypeRef]clean{}
	db.unreadable.wide = map[ontosql.TypeRef]map[fileColumn]bool{}
	conn, err := db.Engine.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to engine: %w", err)
	}
	defer conn.Close()
	if err := conn.Load(ctx, pgcatalog.Schema, commitsName, commitsColumns); err != nil {
		return nil, fmt.Errorf("prepare engine: %w", err)
	}
	if err := conn.Define(db.functions()); err != nil {
		return nil, fmt.Errorf("prepare engine: %w", err)
	}
	if db.Workspace = workspace.Unavailable(errNoWorkspace); o.Workspace != "" {
		db.Workspace = workspace.Open(ctx, conn, o.Workspace, db.Xacts)
	}
	return db, nil
}

var errNoWorkspace = errors.New("the gateway has no directory for it")

// Others are the names of the other databases of the gateway, and a number that differs when they do.
func (db *Database) Others() (names []string, version uint64) {
	if db.peers == nil {
		return nil, 0
	}
	return db.peers()
}

// Close closes the workspace. No session uses the database any more.
func (db *Database) Close() error {
	db.watch.close()
	db.spare.close()
	ctx := context.Background()
	conn, err := db.Engine.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect to engine: %w", err)
	}
	defer conn.Close()
	return db.Workspace.Close(ctx, conn)
}

// Pin reads the head and the catalog.
func (db *Database) Pin(ctx context.Context) (*resolver.Pin, error) {
	if err := db.Engine.Err(); err != nil {
		return nil, err
	}
	pin, err := db.Storage.Pin(ctx)
	if err != nil {
		return nil, err
	}
	db.last.Store(pin)
	return pin, nil
}

// Compacting is the automatic compaction that goes on, nil for none.
func (db *Database) Compacting() *introspect.Work {
	if db.Compactor == nil {
		return nil
	}
	now := db.Compactor.Automatic()
	if now == nil {
		return nil
	}
	w := &introspect.Work{
		Kind: introspect.Compaction, Type: now.Type, Phase: string(now.Phase), Done: now.Done, Total: now.Total, Began: now.Began,
	}
	if pin := db.LastPin(); pin != nil {
		if t, known := pin.Catalog.Type(now.Type); known {
			w.Schema, w.Table = catalog.SchemaPublic, t.Table
		}
	}
	return w
}

// PinFresh reads the head and the catalog as they are in the store at this moment.
func (db *Database) PinFresh(ctx context.Context) (*resolver.Pin, error) {
	pin, err := db.Storage.PinFresh(ctx)
	if err != nil {
		return nil, err
	}
	db.last.Store(pin)
	return pin, nil
}

// LastPin is the newest pin that a session has read, nil before the first and after
// ForgetPin.
func (db *Database) LastPin() *resolver.Pin { return db.last.Load() }

// ForgetPin is called after a change of the schema: statements are not planned at LastPin
// any more.
func (db *Database) ForgetPin() { db.last.Store(nil) }

// Recent remembers the last commits of this gateway.
func (db *Database) Recent() *storage.RecentCommits { return db.Storage.Recent() }

// History is what the mirror reads of the storage at a pin.
func (db *Database) History(pin *resolver.Pin) storage.History {
	return storage.History{Storage: db.Storage, Engine: db.Engine, Pin: pin}
}

// UseMirror is the mirror's part of a window of a type at a pin, nil if it has none. The
// mirror then follows the pin. The caller releases the use.
func (db *Database) UseMirror(pin *resolver.Pin, t *catalog.Type, w mirror.Window) *mirror.Use {
	h := db.History(pin)
	if db.followed.Swap(pin) != pin {
		db.Mirror.Follow(h)
	}
	return db.Mirror.Use(h, t, w)
}

// UseRows is the table of a type in the row store for a reader at a pin, nil if there is none. The
// row store then follows the pin. The caller releases the use.
func (db *Database) UseRows(pin *resolver.Pin, t *catalog.Type) *rowstore.Use {
	if db.Rows == nil {
		return nil
	}
	last := db.rowed.Load()
	if last == nil || last.pin != pin {
		last = &rowed{pin, db.History(pin)}
		db.rowed.Store(last)
		db.Rows.Follow(last.history)
	}
	return db.Rows.Use(last.history, t)
}

// rowed is a pin that the row store follows.
type rowed struct {
	pin     *resolver.Pin
	history mirror.History
}

// Commit commits a transaction. A session that reads the head afterwards sees the outcome,
// and the commit for which the transaction was refused.
func (db *Database) Commit(ctx context.Context, tx writepath.Tx) (writepath.Outcome, error) {
	if err := db.Storage.Ready(ctx); err != nil {
		return writepath.Outcome{}, err
	}
	defer db.Storage.Expire()
	o, err := db.Committer.Commit(ctx, tx)
	if errors.Is(err, ontosql.ErrOutcomeUnknown) || errors.Is(err, writepath.ErrLeaseLost) {
		db.Storage.Doubt()
	}
	return o, err
}
