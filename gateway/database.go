package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite"
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

	last atomic.Pointer[resolver.Pin]

	unreadable unreadable
	commits    struct {
		sync.Mutex
		view *chain.View      // the chain whose times are in the table, nil before the first
		last ontosql.CommitID // the last commit in it
	}
	catalog struct {
		sync.Mutex
		version string          // of the catalog in the tables
		users   map[string]bool // who has asked for it: each is a role
		filled  atomic.Pointer[pgcatalog.Filled]
	}
}

// Setting is one option of the program, for ontosql.settings.
type Setting struct{ Name, Value, Unit, Source, Description string }

// DatabaseOptions is what a Database is built from. Closing the engine is the
// caller's, after the last session.
type DatabaseOptions struct {
	Name, URI, Backend string
	Bucket             objstore.Bucket
	Store              *resolver.Store
	Cache              *diskcache.Cache
	Engine             *duckdb.Engine
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
	db := &Database{
		Name: o.Name, URI: o.URI, Backend: o.Backend,
		bucket: o.Bucket, store: o.Store, cache: o.Cache, engine: o.Engine,
		settings: o.Settings, peers: o.Peers, log: o.Logger,
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

// prune leaves out files whose keys lie outside what the statement asks for, as
// far as the cache has seen them.
func (db *Database) prune(files []resolver.File, keys keyBounds) []resolver.File {
	return resolver.Prune(files, keys.first(), func(f resolver.File) (*format.Facts, bool) {
		note, ok := db.cache.Note(blob(f))
		if !ok {
			return nil, false
		}
		facts, err := format.DecodeFacts(note)
		return facts, err == nil
	})
}

// distrustSnapshots finds the snapshots among files that cannot be had, so that
// the next resolution reads the commits' own files instead (I5). It reports
// whether there were any.
func (db *Database) distrustSnapshots(ctx context.Context, t ontosql.TypeRef, files []resolver.File) (bool, error) {
	found := false
	for _, f := range files {
		if !f.Snapshot() {
			continue
		}
		_, lease, err := db.fetch(ctx, []resolver.File{f})
		if err == nil {
			lease.Release()
			continue
		}
		if ctx.Err() != nil {
			return false, err
		}
		found = true
		if err := db.store.Distrust(ctx, t, f.Key, err); err != nil {
			return false, err
		}
	}
	return found, nil
}

// fetch brings files into the cache and says what they hold.
func (db *Database) fetch(ctx context.Context, files []resolver.File) ([]*format.Facts, *diskcache.Lease, error) {
	blobs := make([]diskcache.Blob, len(files))
	for i, f := range files {
		blobs[i] = blob(f)
	}
	lease, err := db.cache.Fetch(ctx, db.bucket, blobs)
	if err != nil {
		return nil, nil, err
	}
	facts := make([]*format.Facts, len(files))
	for i, note := range lease.Notes() {
		if facts[i], err = format.DecodeFacts(note); err == nil {
			err = agrees(files[i], facts[i])
		}
		if err != nil {
			lease.Release()
			return nil, nil, err
		}
	}
	return facts, lease, nil
}

func blob(f resolver.File) diskcache.Blob {
	return diskcache.Blob{Key: f.Key, SHA256: f.SHA256, Version: f.Version}
}

// agrees holds what a manifest says of a file against the file.
func agrees(f resolver.File, facts *format.Facts) error {
	if f.RowCount >= 0 && f.RowCount != facts.Rows {
		return ontosql.Corrupt(f.Key, "row_count", "the manifest says %d rows, the file has %d", f.RowCount, facts.Rows)
	}
	if facts.Rows > 0 && (facts.MinCommit < f.Min || facts.MaxCommit > f.Max) {
		return ontosql.Corrupt(f.Key, "commit_id", "rows of the commits %d to %d in a file of %d to %d",
			facts.MinCommit, facts.MaxCommit, f.Min, f.Max)
	}
	return nil
}

// loadCommits brings the engine's table of commit times up to a view. Commits of
// the same chain beyond the view do no harm, for the table is only looked up in;
// those of a history that was replaced go.
func (db *Database) loadCommits(ctx context.Context, view *chain.View) error {
	c := &db.commits
	c.Lock()
	defer c.Unlock()
	head := ontosql.CommitID(view.Len())
	if c.view != nil && !sameChain(c.view, view) {
		c.view, c.last = nil, 0
	}
	same := c.view != nil
	if same && head <= c.last {
		return nil
	}
	conn, err := db.engine.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	b := column.NewBuilder(commitsColumns)
	for id := c.last + 1; id <= head; id++ {
		b.Append(int64(id), view.Commit(id).Manifest.CreatedAt.Time)
	}
	if same {
		err = conn.Append(ctx, pgcatalog.Schema, commitsName, b.Batch())
	} else {
		err = conn.Load(ctx, pgcatalog.Schema, commitsName, commitsColumns, b.Batch())
	}
	if err != nil {
		return fmt.Errorf("load commit times: %w", err)
	}
	c.last, c.view = head, view
	return nil
}

// sameChain reports whether two views are of one history, as far as both go.
func sameChain(a, b *chain.View) bool {
	last := ontosql.CommitID(min(a.Len(), b.Len()))
	return last == 0 || a.Commit(last).Path == b.Commit(last).Path
}

// prepareCatalog fills the tables of pg_catalog for a plan that reads them, when
// they show another catalog than pin's.
func (s *Session) prepareCatalog(ctx context.Context, pin *resolver.Pin, p *plan) error {
	if !p.catalog {
		return nil
	}
	if err := s.applyPath(ctx); err != nil {
		return err
	}
	db := s.db
	db.catalog.Lock()
	defer db.catalog.Unlock()
	known := db.catalog.users[s.start.User]
	if known && db.catalog.version == pin.Catalog.Version && db.catalog.filled.Load() != nil {
		return nil
	}
	db.catalog.users[s.start.User] = true
	filled, err := db.fillCatalog(pin.Catalog, s.gateway.superuser)
	if err != nil {
		return err
	}
	conn, err := db.engine.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	first := db.catalog.filled.Load() == nil
	var tables []duckdb.Table
	for _, r := range pgcatalog.Tables() {
		t := duckdb.Table{Name: r.Table(), Columns: r.Columns}
		if b := filled.Batches[r.Table()]; b != nil {
			t.Batches = append(t.Batches, b)
		}
		if first || t.Batches != nil {
			tables = append(tables, t)
		}
	}
	if err := conn.LoadAll(ctx, pgcatalog.Schema, tables); err != nil {
		return err
	}
	if first {
		for _, macro := range pgcatalog.Macros() {
			if err := conn.Exec(ctx, macro); err != nil {
				return fmt.Errorf("define catalog functions: %w", err)
			}
		}
	}
	db.catalog.filled.Store(filled)
	db.catalog.version = pin.Catalog.Version
	return nil
}

func (db *Database) fillCatalog(c *catalog.Catalog, superuser bool) (*pgcatalog.Filled, error) {
	in := pgcatalog.Input{Database: db.Name, Databases: db.peers, Catalog: c}
	for _, name := range slices.Sorted(maps.Keys(db.catalog.users)) {
		in.Users = append(in.Users, pgcatalog.User{Name: name, Superuser: superuser})
	}
	for _, v := range virtuals {
		out := pgcatalog.Virtual{Schema: v.schema, Name: v.name, Comment: v.about}
		for i, named := range v.named() {
			out.Columns = append(out.Columns, pgcatalog.VirtualColumn{Named: named, Comment: v.columns[i].about})
		}
		in.Virtual = append(in.Virtual, out)
	}
	return pgcatalog.Fill(in)
}

// attribute is the OID and attribute number of a relation's column, 0 while the
// catalog has not been asked for yet or does not have it.
func (db *Database) attribute(r *relation, name string) (table uint32, attnum int16) {
	filled := db.catalog.filled.Load()
	if filled == nil {
		return 0, 0
	}
	oid := filled.RelationOID(r.shape.Schema, r.shape.Table)
	for i, c := range r.shape.Columns {
		if c.Name == name && oid != 0 {
			return oid, int16(i + 1)
		}
	}
	return 0, 0
}

func catalogTable(r *pgcatalog.Relation) string {
	return pgcatalog.Schema + "." + duckdb.Ident(r.Table())
}
