// Package gatewaytest builds a gateway over a store as a process of the program
// has it, for the tests of other rooms: with its caches, engine, mirror and writer,
// and behind a socket for those that speak the protocol.
package gatewaytest

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/ingest"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rowstore"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/commit"
	"github.com/ontosql/ontosql/sqlite/events"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

// Options say over which store a gateway is built.
type Options struct {
	Bucket objstore.Bucket
	SQLite string // path of a SQLite file, where Bucket is nil
	Mirror bool   // types that are read get native copies
	// Workspace is the directory of the workspace, "" for a new one.
	Workspace string
}

// Gate is a gateway of one database, "onto", with everything that one process has.
type Gate struct {
	Gateway *gateway.Gateway

	ends []func() error // in the reverse of their order
}

const memory = 1 << 30

// Open opens a gateway over a store that is initialised. The caller closes it.
func Open(ctx context.Context, o Options) (_ *Gate, err error) {
	g := &Gate{}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.Close())
		}
	}()
	home, err := os.MkdirTemp("", "ontosql-gate-*")
	if err != nil {
		return nil, err
	}
	g.ends = append(g.ends, func() error { return os.RemoveAll(home) })
	files, copies, temp := filepath.Join(home, "files"), filepath.Join(home, "copies"), filepath.Join(home, "temp")
	workspace := cmp.Or(o.Workspace, filepath.Join(home, "workspace"))
	for _, dir := range []string{files, copies, temp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
	}
	engine, err := duckdb.Open(ctx, duckdb.Options{Threads: 2, TempDir: temp, ReadDirs: []string{files, copies, workspace}, MemoryLimit: memory})
	if err != nil {
		return nil, err
	}
	g.ends = append(g.ends, ended(engine.Close))
	db := database.Options{Name: "onto", Engine: engine, Workspace: workspace}
	if o.Mirror {
		db.Mirror = mirror.Open(ctx, mirror.Options{Engine: engine, Dir: copies, Budget: memory})
		g.ends = append(g.ends, ended(db.Mirror.Close))
	}
	if o.Mirror {
		if db.Rows, err = rowstore.Open(ctx, rowstore.Options{Engine: engine, Dir: copies, Budget: memory, Memory: memory / 8}); err != nil {
			return nil, err
		}
		g.ends = append(g.ends, ended(db.Rows.Close))
	}
	if o.Bucket == nil {
		err = g.overSQLite(o.SQLite, &db)
	} else {
		err = g.overBucket(ctx, o.Bucket, files, temp, &db)
	}
	if err != nil {
		return nil, err
	}
	if err := database.Define(ctx, engine); err != nil {
		return nil, err
	}
	served, err := database.New(ctx, db)
	if err != nil {
		return nil, err
	}
	g.ends = append(g.ends, served.Close)
	g.Gateway = gateway.New(gateway.Options{Databases: gateway.Fixed{served}, Logger: slog.New(slog.DiscardHandler)})
	return g, nil
}

// overBucket opens the caches, the reader and the writer of a bucket.
func (g *Gate) overBucket(ctx context.Context, bucket objstore.Bucket, files, temp string, db *database.Options) error {
	b := metered.New(bucket, metered.Options{})
	cache, err := diskcache.Open(files, diskcache.Options{Budget: memory, Inspect: format.InspectEncoded})
	if err != nil {
		return err
	}
	log, err := chain.Open("", chain.Options{Bucket: b, Checkpoint: true})
	if err != nil {
		return err
	}
	own := &storage.RecentCommits{}
	committer := writepath.Open(writepath.Options{
		Bucket: own.Uploads(b, cache), RuntimeID: "gate", Log: log, Identities: storage.Identities(cache, b), OnCommit: own.Landed, TempDir: temp,
	})
	g.ends = append(g.ends, func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
		defer cancel()
		return committer.Close(ctx)
	})
	store := resolver.Open(resolver.Options{Bucket: b, Log: log, OwnHead: committer.Head})
	g.ends = append(g.ends, ended(store.Close))
	db.URI, db.Backend = "file:///onto", "file"
	db.Storage = storage.NewFiles(storage.FilesOptions{Bucket: b, Store: store, Cache: cache, Own: own})
	db.Committer = committer
	db.Events = objects.Open(objects.Options{Bucket: b})
	db.Compactor = compaction.NewService(compaction.Store{
		Bucket: b, Log: log, Files: store, RuntimeID: "gate", TempDir: temp, Waiting: committer.Waiting,
	})
	return nil
}

// overSQLite opens the reader and the writer of a SQLite file.
func (g *Gate) overSQLite(path string, db *database.Options) error {
	file, err := sqlite.Open(sqlite.Options{Path: path})
	if err != nil {
		return err
	}
	g.ends = append(g.ends, file.Close)
	own := &storage.RecentCommits{}
	committer := commit.Open(commit.Options{DB: file, RuntimeID: "gate", OnCommit: own.Landed})
	g.ends = append(g.ends, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), closing)
		defer cancel()
		return committer.Close(ctx)
	})
	bus := events.Open(events.Options{DB: file})
	g.ends = append(g.ends, bus.Close)
	db.URI, db.Backend, db.Events = "sqlite:////onto.db", "sqlite", bus
	db.Storage = storage.NewTables(storage.TablesOptions{
		Store: file, Own: own,
		Versions: func(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window, keys []string) (ingest.Cursor, error) {
			return file.Versions(ctx, pin, t, w, keys)
		},
	})
	db.Committer = committer
	return nil
}

// closing is how long a writer may take to leave its store in order.
const closing = 10 * time.Second

func ended(end func()) func() error {
	return func() error {
		end()
		return nil
	}
}

// Close ends the gateway as its process would. The error is what its writer could
// not leave in order.
func (g *Gate) Close() error {
	var failed error
	for len(g.ends) > 0 {
		last := len(g.ends) - 1
		failed = errors.Join(failed, g.ends[last]())
		g.ends = g.ends[:last]
	}
	return failed
}

// Listen serves the gateway until the test ends.
func (g *Gate) Listen(t testing.TB) (dsn string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := wire.New(wire.Options{Handler: g.Gateway, Logger: slog.New(slog.DiscardHandler)})
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, ln) }()
	t.Cleanup(func() {
		if err := server.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "postgres://tester@" + ln.Addr().String() + "/onto?sslmode=disable"
}
