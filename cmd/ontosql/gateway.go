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
	handler    *gateway.Gateway
	log        *slog.Logger
	stores     []storage.Store // in the order in which they were named
	committers []writer
	compactors []*compaction.Service
	closers    []func()
}

// gatewayUse says what a gateway is opened for.
type gatewayUse struct {
	superuser bool     // every session's user counts as one
	roles     []string // the users of the file
	mirrored  bool     // types that are read get native copies
	compacts  bool     // types with many files are compacted
	settings  []introspect.Option
}

// settle ends the compactions and the writers: every commit that was asked for is decided, and the
// write locks are given back. The sessions have ended, or are given up.
func (g *openedGateway) settle(ctx context.Context) {
	var all sync.WaitGroup
	for _, c := range g.compactors {
		all.Go(c.Close)
	}
	for _, c := range g.committers {
		all.Go(func() { closeCommitter(ctx, c, g.log) })
	}
	all.Wait()
	g.committers, g.compactors = nil, nil
}

// close ends everything, after the last session.
func (g *openedGateway) close(ctx context.Context) {
	g.settle(ctx)
	for _, closer := range slices.Backward(g.closers) {
		closer()
	}
}

// openGateway opens every ontology, with an engine and a writer of its own. The
// caller closes it.
func (p *program) openGateway(ctx context.Context, named []namedAddress, use gatewayUse) (_ *openedGateway, err error) {
	g := &openedGateway{log: p.log}
	defer func() {
		if err != nil {
			g.close(ctx)
		}
	}()
	if p.cfg.HeadMaxAge < 0 {
		return nil, usagef("--head-max-age %s: want 0 or more", p.cfg.HeadMaxAge)
	}
	if p.cfg.NotifyInterval < 0 {
		return nil, usagef("--notify-interval %s: want 0 or more", p.cfg.NotifyInterval)
	}
	memory := machineMemory() / 2
	if p.cfg.MemoryLimit != "" {
		if memory, err = parseSize(p.cfg.MemoryLimit); err != nil {
			return nil, err
		}
	}
	disk, err := parseSize(p.cfg.CacheSize)
	if err != nil {
		return nil, err
	}
	disk -= filesShare(disk) // the rest is the mirrors'
	var databases []*database.Database
	for i, n := range named {
		options := database.Options{
			Name: n.name, URI: n.address.uri(), Backend: n.address.backend,
			Settings: use.settings, NotifyInterval: p.cfg.NotifyInterval, Logger: p.log,
		}
		for k, peer := range named {
			if k != i {
				options.Peers = append(options.Peers, peer.name)
			}
		}
		share := memory / int64(len(named))
		options.Results = share / 32 // in addition to the engine's; of 2 GiB it holds thousands of a dashboard's results
		if err := p.openDatabase(ctx, g, n.address, share, use.copies(disk/int64(len(named))), &options); err != nil {
			return nil, err
		}
		db, err := database.New(ctx, options)
		if err != nil {
			return nil, &openError{err}
		}
		g.closers = append(g.closers, func() {
			if err := db.Close(); err != nil {
				p.log.WarnContext(ctx, "close the database", "database", n.name, "error", err)
			}
		})
		if err := db.Workspace.Err(); err != nil {
			p.log.WarnContext(ctx, "the workspace is not available", "database", n.name, "error", err)
		}
		databases = append(databases, db)
	}
	if use.compacts {
		for _, c := range g.compactors {
			c.Start()
		}
	}
	g.handler = gateway.New(gateway.Options{Databases: databases, Superuser: use.superuser, Roles: use.roles, Logger: p.log})
	return g, nil
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
func (p *program) openDatabase(ctx context.Context, g *openedGateway, a address, memory, copies int64, o *database.Options) error {
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
func (p *program) openBucketStorage(ctx context.Context, g *openedGateway, a address, o *database.Options) error {
	s, err := p.cfg.openCaches(ctx, a, p.log)
	if err != nil {
		return err
	}
	own := &storage.RecentCommits{}
	committer, err := p.cfg.committer(s, own, p.log)
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
	o.Committer, o.Events = committer, p.busOfBucket(ctx, s)
	c, err := p.cfg.compactionStore(s, p.log)
	if err != nil {
		return err
	}
	c.Waiting = committer.Waiting
	o.Compactor = compaction.NewService(c)
	g.compactors = append(g.compactors, o.Compactor)
	return nil
}

// openFileStorage opens the reader and the writer of an ontology in a SQLite file.
// A file that can never become one is refused here, and not by each statement.
func (p *program) openFileStorage(ctx context.Context, g *openedGateway, a address, o *database.Options) error {
	s, err := openFile(a, p.log)
	if err != nil {
		return err
	}
	if _, err := s.store.Pin(ctx); errors.Is(err, sqlite.ErrForeign) || errors.Is(err, sqlite.ErrEngine) {
		s.close()
		return &openError{err}
	}
	own := &storage.RecentCommits{}
	committer, err := p.cfg.fileCommitter(s, own.Landed, p.log)
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
func (g *openedGateway) add(s *store, w writer) {
	g.closers = append(g.closers, s.close)
	g.committers = append(g.committers, w)
	g.stores = append(g.stores, s.store)
}

// versionsOf reads the rows of a SQLite file for the engine.
func versionsOf(db *sqlite.DB) storage.Versions {
	return func(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window, keys []string) (ingest.Cursor, error) {
		return db.Versions(ctx, pin, t, w, keys)
	}
}
