package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/auth"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/ingest"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rowstore"
	"github.com/ontosql/ontosql/sqlite"
)

// openedGateway is a gateway with all that it rests on.
type openedGateway struct {
	handler *gateway.Gateway
	ledgers *ledgers // of a name service, nil without one
	resources
}

// resources are what databases rest on.
type resources struct {
	log        *slog.Logger
	stores     []storage.Store // in the order in which they were named
	committers []writer
	compactors []*compaction.Service
	published  *published // of the only database; nil for several, or without a name service
	closers    []func()
}

// gatewayUse says what a gateway is opened for.
type gatewayUse struct {
	users    *auth.Users // nil without a users file
	names    bool        // the databases are those of the name service
	mirrored bool        // types that are read get native copies
	compacts bool        // types with many files are compacted
	settings []introspect.Option
	defines  *slog.Logger // of statements that define something, nil for none
}

// settle ends the compactions and the writers: every commit that was asked for is decided, and the
// write locks are given back. The sessions have ended, or are given up.
func (r *resources) settle(ctx context.Context) {
	var all sync.WaitGroup
	for _, c := range r.compactors {
		all.Go(c.Close)
	}
	for _, c := range r.committers {
		all.Go(func() { closeCommitter(ctx, c, r.log) })
	}
	all.Wait()
	r.published.end(ctx)
	r.committers, r.compactors = nil, nil
}

// close ends everything, after the last session.
func (r *resources) close(ctx context.Context) {
	r.settle(ctx)
	for _, closer := range slices.Backward(r.closers) {
		closer()
	}
}

// settle ends the compactions and the writers of all databases.
func (g *openedGateway) settle(ctx context.Context) {
	if g.ledgers != nil {
		g.ledgers.end(ctx, (*resources).settle)
	}
	g.resources.settle(ctx)
}

// close ends everything, after the last session.
func (g *openedGateway) close(ctx context.Context) {
	if g.ledgers != nil {
		g.ledgers.end(ctx, (*resources).close)
	}
	g.resources.close(ctx)
}

// openGateway opens every ontology, with an engine and a writer of its own, or the name service that
// has them. The caller closes it.
func (p *program) openGateway(ctx context.Context, named []namedAddress, use gatewayUse) (_ *openedGateway, err error) {
	g := &openedGateway{resources: resources{log: p.log}}
	defer func() {
		if err != nil {
			g.close(ctx)
		}
	}()
	budget, err := p.budget()
	if err != nil {
		return nil, err
	}
	options := gateway.Options{Users: use.users, Logger: p.log}
	if use.names {
		if g.ledgers, err = p.openLedgers(ctx, budget, use); err != nil {
			return nil, err
		}
		options.Databases = g.ledgers
		g.handler = gateway.New(options)
		g.ledgers.start(g.handler)
		return g, nil
	}
	var databases gateway.Fixed
	for i, n := range named {
		var peers []string
		for k, peer := range named {
			if k != i {
				peers = append(peers, peer.name)
			}
		}
		o := database.Options{Peers: func() ([]string, uint64) { return peers, 0 }}
		db, err := p.openNamed(ctx, &g.resources, n, budget.share(len(named)), use, o)
		if err != nil {
			return nil, err
		}
		databases = append(databases, db)
	}
	options.Databases = databases
	g.handler = gateway.New(options)
	return g, nil
}

// budget is what databases may use.
type budget struct{ memory, disk int64 }

// share is what each of several databases may use.
func (b budget) share(databases int) budget {
	return budget{b.memory / int64(databases), b.disk / int64(databases)}
}

// budget is what all databases of a gateway may use. The error is about a flag.
func (p *program) budget() (b budget, err error) {
	if p.cfg.HeadMaxAge < 0 {
		return b, usagef("--head-max-age %s: want 0 or more", p.cfg.HeadMaxAge)
	}
	if p.cfg.NotifyInterval < 0 {
		return b, usagef("--notify-interval %s: want 0 or more", p.cfg.NotifyInterval)
	}
	b.memory = machineMemory() / 2
	if p.cfg.MemoryLimit != "" {
		if b.memory, err = parseSize(p.cfg.MemoryLimit); err != nil {
			return b, err
		}
	}
	disk, err := parseSize(p.cfg.CacheSize)
	b.disk = disk - filesShare(disk) // the rest is the mirrors'
	return b, err
}

// openNamed opens a database within its share of the budget. What it rests on is added to r, also if
// it fails.
func (p *program) openNamed(ctx context.Context, r *resources, n namedAddress, share budget, use gatewayUse, o database.Options) (*database.Database, error) {
	o.Name, o.URI, o.Backend = n.name, n.address.uri(), n.address.backend
	o.Settings, o.NotifyInterval, o.Logger = use.settings, p.cfg.NotifyInterval, p.log
	o.Definitions = use.defines
	o.Results = share.memory / 32 // in addition to the engine's; of 2 GiB it holds thousands of a dashboard's results
	began := len(r.compactors)
	if err := p.openDatabase(ctx, r, n.address, share.memory, use.copies(share.disk), &o); err != nil {
		return nil, err
	}
	db, err := database.New(ctx, o)
	if err != nil {
		return nil, &openError{err}
	}
	r.closers = append(r.closers, func() {
		if err := db.Close(); err != nil {
			p.log.WarnContext(ctx, "close the database", "database", n.name, "error", err)
		}
	})
	if err := db.Workspace.Err(); err != nil {
		p.log.WarnContext(ctx, "the workspace is not available", "database", n.name, "error", err)
	}
	if use.compacts {
		for _, c := range r.compactors[began:] {
			c.Start()
		}
	}
	return db, nil
}

// copies is how much of a share of the disk native copies may fill.
func (u gatewayUse) copies(share int64) int64 {
	if !u.mirrored {
		return 0
	}
	return share
}

// openDatabase opens the store, the writer and the engine of one ontology; copies
// is the budget of its native copies, 0 for none.
func (p *program) openDatabase(ctx context.Context, g *resources, a address, memory, copies int64, o *database.Options) error {
	root, err := p.cfg.cacheDir()
	if err != nil {
		return err
	}
	spill, release, err := spillDir(filepath.Join(root, "spill"))
	if err != nil {
		return &openError{fmt.Errorf("cache directory: %w", err)}
	}
	g.closers = append(g.closers, release)
	mirrors := filepath.Join(root, "mirror", p.cfg.storeID(a))
	if o.Workspace, err = p.cfg.workspaceDir(a); err != nil {
		return err
	}
	engine := startEngine(ctx, duckdb.Options{
		TempDir:     spill,
		ReadDirs:    []string{filepath.Join(root, filesDir), mirrors, o.Workspace},
		MemoryLimit: memory,
		Logger:      p.log,
	})
	g.closers = append(g.closers, engine.close)
	open := p.openBucketStorage
	if a.backend == "sqlite" {
		open = p.openFileStorage
	}
	if err := open(ctx, g, a, o); err != nil {
		return err
	}
	<-engine.opened
	if o.Engine = engine.engine; o.Engine != nil && copies > 0 {
		copies /= 2
		o.Rows, err = rowstore.Open(ctx, rowstore.Options{Engine: o.Engine, Dir: mirrors, Budget: copies, Memory: memory / 8, Logger: p.log})
		if err != nil {
			p.log.WarnContext(ctx, "look-ups by key are answered without a row store", "error", err)
		} else {
			g.closers = append(g.closers, o.Rows.Close)
		}
		o.Mirror = mirror.Open(ctx, mirror.Options{Engine: o.Engine, Dir: mirrors, Budget: copies, Logger: p.log})
		g.closers = append(g.closers, o.Mirror.Close)
	}
	if <-engine.defined; engine.err != nil {
		return &openError{engine.err}
	}
	return nil
}

// startedEngine is an engine that is opened and prepared for statements in the background. That
// is most of the work of a start, and the store and the mirror are opened meanwhile.
type startedEngine struct {
	opened  chan struct{}  // closed when engine is set
	defined chan struct{}  // closed when err is set
	engine  *duckdb.Engine // nil if it could not be opened
	err     error
}

func startEngine(ctx context.Context, o duckdb.Options) *startedEngine {
	s := &startedEngine{opened: make(chan struct{}), defined: make(chan struct{})}
	go func() {
		defer close(s.defined)
		s.engine, s.err = duckdb.Open(ctx, o)
		close(s.opened)
		if s.err == nil {
			s.err = database.Define(ctx, s.engine)
		}
	}()
	return s
}

func (s *startedEngine) close() {
	if <-s.defined; s.engine != nil {
		s.engine.Close()
	}
}

// openBucketStorage opens the store and the writer of an ontology in a bucket.
func (p *program) openBucketStorage(ctx context.Context, g *resources, a address, o *database.Options) error {
	s, err := p.cfg.openCaches(ctx, a, p.log)
	if err != nil {
		return err
	}
	own := &storage.RecentCommits{}
	committer, err := p.cfg.committer(s, own, g.published, p.log)
	if err != nil {
		return err
	}
	s.resolve(resolver.Options{Logger: p.log, OwnHead: committer.Head, MaxAge: p.cfg.HeadMaxAge})
	g.add(s, committer)
	root, err := p.cfg.cacheDir()
	if err != nil {
		return err
	}
	o.Storage = storage.NewFiles(storage.FilesOptions{
		Bucket: s.bucket, Store: s.files, Cache: s.cache, Own: own,
		Probed: filepath.Join(root, "probed", p.cfg.storeID(a)),
	})
	if o.Committer == nil {
		o.Committer, o.Events = committer, p.busOfBucket(ctx, s)
	}
	c, err := p.cfg.compactionStore(s, p.log)
	if err != nil {
		return err
	}
	c.Waiting = committer.Waiting
	g.published.maintains(&c)
	o.Compactor = compaction.NewService(c)
	g.compactors = append(g.compactors, o.Compactor)
	return nil
}

// openFileStorage opens the reader and the writer of an ontology in a SQLite file.
// A file that can never become one is refused here, and not by each statement.
func (p *program) openFileStorage(ctx context.Context, g *resources, a address, o *database.Options) error {
	s, err := openFile(a, p.log)
	if err != nil {
		return err
	}
	if _, err := s.store.Pin(ctx); errors.Is(err, sqlite.ErrForeign) || errors.Is(err, sqlite.ErrEngine) {
		s.close()
		return &openError{err}
	}
	own := &storage.RecentCommits{}
	committer, err := p.cfg.fileCommitter(s, g.published.committed(own.Landed), p.log)
	if err != nil {
		s.close()
		return err
	}
	g.add(s, committer)
	o.Storage = storage.NewTables(storage.TablesOptions{Store: s.db, Versions: versionsOf(s.db), Own: own})
	bus := p.busOfFile(ctx, s.db)
	g.closers = append(g.closers, bus.close)
	o.Committer, o.Events = committer, bus.Bus
	return nil
}

// add is a store that the gateway closes, after its writer.
func (g *resources) add(s *store, w writer) {
	g.closers = append(g.closers, s.close)
	g.committers = append(g.committers, w)
	g.stores = append(g.stores, s.store)
	g.published.follows(s.store)
}

// versionsOf reads the rows of a SQLite file for the engine.
func versionsOf(db *sqlite.DB) storage.Versions {
	return func(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window, keys []string) (ingest.Cursor, error) {
		return db.Versions(ctx, pin, t, w, keys)
	}
}
