package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/macros"
)

// Database is one served ontology: where it is kept, and the engine that answers.
// Many sessions share it.
type Database struct {
	Name    string // the alias clients connect to
	URI     string // without credentials
	Backend string // "s3", "file" or "sqlite"

	storage  storage.Backend
	engine   *duckdb.Engine
	settings []introspect.Option
	peers    []string // the other databases of this gateway
	log      *slog.Logger

	committer storage.Committer
	own       *storage.RecentCommits // the storage's
	gates     gates

	last     atomic.Pointer[resolver.Pin]
	guessing atomic.Bool // a session runs a statement at a guess
	queries  introspect.StatementLog
	results  *resultCache // nil for none

	mirror   *mirror.Mirror               // nil for none
	followed atomic.Pointer[resolver.Pin] // the pin that the mirror was told last

	sessions sync.Map // *Session by its serial
	advisory advisory
	channels channels

	unreadable unreadable
	commits    struct {
		sync.Mutex
		view *chain.View      // the chain whose times are in the table, nil before the first
		last ontosql.CommitID // the last commit in it
	}
	catalog catalogs
}

// DatabaseOptions is what a Database is built from. Closing the engine and the
// committer is the caller's, after the last session.
type DatabaseOptions struct {
	Name, URI, Backend string
	Storage            storage.Backend
	Engine             *duckdb.Engine
	Committer          storage.Committer // of the same storage
	Mirror             *mirror.Mirror    // nil for none; closing it is the caller's, before the engine
	Results            int64             // bytes that the result cache may take, 0 for none
	Settings           []introspect.Option
	Peers              []string // names of the other databases, for pg_database
	Logger             *slog.Logger
}

// The engine's schemas of our own. Their tables are ordinary ones, and nobody
// can name them: every name goes through resolve.
const (
	commitsName  = "ontosql_commits"
	commitsTable = pgcatalog.Schema + "." + commitsName
)

var commitsColumns = []column.Named{
	{Name: "commit_id", Type: column.Type{Kind: column.Int64}},
	{Name: "created_at", Type: column.Type{Kind: column.TimestampTZ}},
}

// NewDatabase makes a database ready for sessions.
func NewDatabase(ctx context.Context, o DatabaseOptions) (*Database, error) {
	db := &Database{
		Name: o.Name, URI: o.URI, Backend: o.Backend,
		storage: o.Storage, engine: o.Engine,
		settings: o.Settings, peers: o.Peers, log: o.Logger,
		committer: o.Committer, own: o.Storage.Recent(), mirror: o.Mirror,
		results: newResultCache(o.Results),
	}
	db.own.SetMirror(o.Mirror)
	db.catalog.users, db.catalog.versions = map[string]bool{}, map[string]*shownCatalog{}
	db.catalog.tables = map[*pgcatalog.Relation][]*catalogTable{}
	db.unreadable.counts, db.unreadable.clean = map[fileColumn]int64{}, map[ontosql.TypeRef]clean{}
	conn, err := db.engine.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to engine: %w", err)
	}
	defer conn.Close()
	for _, schema := range []string{temptable.Schema, pgcatalog.Schema} {
		if err := conn.Exec(ctx, "CREATE SCHEMA "+schema); err != nil {
			return nil, fmt.Errorf("prepare engine: %w", err)
		}
	}
	if err := conn.Load(ctx, pgcatalog.Schema, commitsName, commitsColumns); err != nil {
		return nil, fmt.Errorf("prepare engine: %w", err)
	}
	if err := conn.Define(slices.Concat(pgcatalog.Calls(db.seen), db.signalCalls(), db.setCalls(), db.notifyCalls(), db.sleepCalls(), db.lockCalls())); err != nil {
		return nil, fmt.Errorf("prepare engine: %w", err)
	}
	for _, macro := range macros.Macros() {
		if err := conn.Exec(ctx, macro); err != nil {
			return nil, fmt.Errorf("define the rewriter's functions: %w", err)
		}
	}
	return db, nil
}

// pin reads the head and the catalog.
func (db *Database) pin(ctx context.Context) (*resolver.Pin, error) {
	if err := db.engine.Err(); err != nil {
		return nil, err
	}
	pin, err := db.storage.Pin(ctx)
	if err != nil {
		return nil, err
	}
	db.last.Store(pin)
	return pin, nil
}

// lastPin is the newest pin any session took, nil before the first.
func (db *Database) lastPin() *resolver.Pin { return db.last.Load() }
