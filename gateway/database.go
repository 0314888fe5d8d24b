package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite"
	"github.com/ontosql/ontosql/writepath"
)

// Database is one served ontology: where it is kept, its cached files, and the
// engine that answers. Many sessions share it.
type Database struct {
	Name    string // the alias clients connect to
	URI     string // without credentials
	Backend string // "s3" or "file"

	bucket   objstore.Bucket
	store    *resolver.Store
	cache    *diskcache.Cache
	engine   *duckdb.Engine
	settings []Setting
	peers    []string // the other databases of this gateway
	log      *slog.Logger

	committer *writepath.Committer
	own       *OwnCommits
	probed    struct {
		sync.Mutex
		done bool // the store has shown that it honours conditional writes
	}
	gates gates

	last     atomic.Pointer[resolver.Pin]
	guessing atomic.Bool // a session runs a statement at a guess
	queries  queryLog
	results  *resultCache // nil for none

	mirror   *mirror.Mirror               // nil for none
	followed atomic.Pointer[resolver.Pin] // the pin that the mirror was told last

	unreadable unreadable
	footers    footers
	commits    struct {
		sync.Mutex
		view *chain.View      // the chain whose times are in the table, nil before the first
		last ontosql.CommitID // the last commit in it
	}
	catalog struct {
		sync.Mutex
		version string          // of the catalog in the tables
		users   map[string]bool // who has opened a session: each is a role
		filled  atomic.Pointer[pgcatalog.Filled]
	}
}

// Setting is one option of the program, for ontosql.settings.
type Setting struct{ Name, Value, Unit, Source, Description string }

// DatabaseOptions is what a Database is built from. Closing the engine and the
// committer is the caller's, after the last session.
type DatabaseOptions struct {
	Name, URI, Backend string
	Bucket             objstore.Bucket
	Store              *resolver.Store
	Cache              *diskcache.Cache
	Engine             *duckdb.Engine
	Committer          *writepath.Committer // of the same bucket
	Own                *OwnCommits          // told by the committer; nil when it is told of nothing
	Mirror             *mirror.Mirror       // nil for none; closing it is the caller's, before the engine
	Results            int64                // bytes that the result cache may take, 0 for none
	Settings           []Setting
	Peers              []string // names of the other databases, for pg_database
	Logger             *slog.Logger
}

// The engine's schemas of our own. Their tables are ordinary ones, and nobody
// can name them: every name goes through resolve.
const (
	sessionSchema = "ontosql_session" // relations loaded for one execution
	commitsName   = "ontosql_commits"
	commitsTable  = pgcatalog.Schema + "." + commitsName
)

var commitsColumns = []column.Named{
	{Name: "commit_id", Type: column.Type{Kind: column.Int64}},
	{Name: "created_at", Type: column.Type{Kind: column.TimestampTZ}},
}

// NewDatabase makes a database ready for sessions.
func NewDatabase(ctx context.Context, o DatabaseOptions) (*Database, error) {
	if o.Own == nil {
		o.Own = &OwnCommits{}
	}
	db := &Database{
		Name: o.Name, URI: o.URI, Backend: o.Backend,
		bucket: o.Bucket, store: o.Store, cache: o.Cache, engine: o.Engine,
		settings: o.Settings, peers: o.Peers, log: o.Logger,
		committer: o.Committer, own: o.Own, mirror: o.Mirror,
		results: newResultCache(o.Results),
	}
	db.catalog.users = map[string]bool{}
	db.unreadable.counts = map[fileColumn]int64{}
	conn, err := db.engine.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to engine: %w", err)
	}
	defer conn.Close()
	for _, schema := range []string{sessionSchema, pgcatalog.Schema} {
		if err := conn.Exec(ctx, "CREATE SCHEMA "+schema); err != nil {
			return nil, fmt.Errorf("prepare engine: %w", err)
		}
	}
	if err := conn.Load(ctx, pgcatalog.Schema, commitsName, commitsColumns); err != nil {
		return nil, fmt.Errorf("prepare engine: %w", err)
	}
	for _, macro := range rewrite.Macros() {
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
	pin, err := db.store.Pin(ctx)
	if err != nil {
		return nil, err
	}
	db.last.Store(pin)
	return pin, nil
}

// lastPin is the newest pin any session took, nil before the first.
func (db *Database) lastPin() *resolver.Pin { return db.last.Load() }
