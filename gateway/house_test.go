package gateway_test

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rowstore"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

// house is a gateway over one store in memory.
type house struct {
	gateway  *gateway.Gateway
	db       *database.Database
	bucket   *metered.Bucket
	mirror   *mirror.Mirror // nil for none
	engine   *duckdb.Engine
	notices  []string
	ending   bool            // what Startup.Ending answers
	files    string          // directory of the cache
	store    *watchedStore   // of a file, nil for a bucket
	rows     *rowstore.Store // nil for none
	noRows   bool            // rows is not used
	interval time.Duration   // database.Options.NotifyInterval; 0 is houseInterval
}

// houseInterval is how often a house looks for notifications: less often than a test waits, and more
// often than it gives up.
const houseInterval = 50 * time.Millisecond

// newHouse opens a gateway over bucket; the demo ontology where it is nil.
func newHouse(t testing.TB, bucket objstore.Bucket) *house {
	t.Helper()
	return openHouse(t, bucket, true)
}

// openHouse is newHouse with a mirror or without one.
func openHouse(t testing.TB, bucket objstore.Bucket, mirrored bool) *house {
	t.Helper()
	return buildHouse(t, bucket, houseOptions{mirror: mirrorBudget(mirrored)})
}

// houseOptions are what a house may have. Most tests are about what happens
// without a result cache, and with the newest head.
type houseOptions struct {
	mirror, results int64         // budgets in bytes, 0 for none
	maxAge          time.Duration // of the head
	mirrorNow       func() time.Time
	noRows          bool          // no row store beside the mirror
	interval        time.Duration // of database.Options; 0 is houseInterval
	names           database.Names
}

// buildHouse is openHouse with all that may be chosen.
func buildHouse(t testing.TB, bucket objstore.Bucket, o houseOptions) *house {
	t.Helper()
	ctx := t.Context()
	if bucket == nil {
		bucket = mem.New("demo")
		if err := demo.Fill(ctx, bucket, nil); err != nil {
			t.Fatalf("fill the demo: %v", err)
		}
	}
	h := &house{bucket: metered.New(bucket, metered.Options{}), noRows: o.noRows, interval: o.interval}
	files := t.TempDir()
	h.files = files
	cache, err := diskcache.Open(files, diskcache.Options{Budget: 1 << 30, Inspect: format.InspectEncoded})
	if err != nil {
		t.Fatal(err)
	}
	log, err := chain.Open("", chain.Options{Bucket: h.bucket})
	if err != nil {
		t.Fatal(err)
	}
	space := filepath.Join(t.TempDir(), "workspace")
	h.openEngine(t, o.mirror, o.mirrorNow, files, space)
	own := &storage.RecentCommits{}
	committer := writepath.Open(writepath.Options{
		Bucket: own.Uploads(h.bucket, cache), RuntimeID: "house", Log: log, Identities: storage.Identities(cache, h.bucket), OnCommit: own.Landed,
	})
	store := resolver.Open(resolver.Options{Bucket: h.bucket, Log: log, OwnHead: committer.Head, MaxAge: o.maxAge})
	t.Cleanup(func() {
		if err := committer.Close(context.WithoutCancel(ctx)); err != nil {
			t.Errorf("close the committer: %v", err)
		}
		if _, _, err := bucket.Get(context.WithoutCancel(ctx), format.HeadKey); err == nil {
			maintaintest.Clean(t, bucket)
		}
	})
	t.Cleanup(store.Close)
	h.openGateway(t, database.Options{
		URI: "mem://demo", Backend: "file",
		Storage:   storage.NewFiles(storage.FilesOptions{Bucket: h.bucket, Store: store, Cache: cache, Own: own}),
		Events:    objects.Open(objects.Options{Bucket: h.bucket}),
		Committer: committer, Results: o.results, Workspace: space, Names: o.names,
		Compactor: compaction.NewService(compaction.Store{Bucket: h.bucket, Log: log, Files: store, RuntimeID: "house", TempDir: t.TempDir(), Waiting: committer.Waiting}),
	})
	return h
}

// openEngine opens the engine, which may read the directories, and a mirror with a budget if that
// is above 0.
func (h *house) openEngine(t testing.TB, budget int64, mirrorNow func() time.Time, readDirs ...string) {
	t.Helper()
	copies := t.TempDir()
	engine, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: t.TempDir(), ReadDirs: append(readDirs, copies), MemoryLimit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	h.engine = engine
	if budget > 0 {
		h.mirror = mirror.Open(t.Context(), mirror.Options{Engine: engine, Dir: copies, Budget: budget, Now: mirrorNow})
		t.Cleanup(func() {
			checkAsked(t, h.mirror)
			h.mirror.Close()
		})
		if h.rows, err = rowstore.Open(t.Context(), rowstore.Options{Engine: engine, Dir: copies, Budget: budget, Memory: 8 << 20, Now: mirrorNow}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.rows.Close)
	}
}

// openGateway opens the gateway of a database, whose name, engine and mirror are the house's.
func (h *house) openGateway(t testing.TB, o database.Options) {
	t.Helper()
	o.Name, o.Engine, o.Mirror = "onto", h.engine, h.mirror
	o.NotifyInterval, o.Logger = cmp.Or(h.interval, houseInterval), slog.New(slog.DiscardHandler)
	if !h.noRows {
		o.Rows = h.rows
	}
	if err := database.Define(t.Context(), h.engine); err != nil {
		t.Fatal(err)
	}
	db, err := database.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	h.db = db
	h.gateway = gateway.New(gateway.Options{Databases: gateway.Fixed{db}, Logger: slog.New(slog.DiscardHandler)})
}

// mirrorBudget is the budget of a mirror, 0 for none.
func mirrorBudget(mirrored bool) int64 {
	if mirrored {
		return 1 << 30
	}
	return 0
}

// session opens a session of a database, whose name may have a point.
func (h *house) session(t testing.TB, name string, options ...wire.Option) wire.Session {
	t.Helper()
	s, _, err := h.gateway.Open(t.Context(), wire.Startup{
		User: "tester", Database: name, Options: options, PID: 7,
		Ending: func() bool { return h.ending },
		Notice: func(e *pgerr.Error) { h.notices = append(h.notices, e.Severity+" "+e.Code+" "+e.Message) },
	})
	if err != nil {
		t.Fatalf("open a session in %s: %v", name, err)
	}
	t.Cleanup(s.Close)
	return s
}

// openPortal is a portal of a statement without parameters, of which the first rows are read.
// The caller closes it.
func openPortal(t testing.TB, s wire.Session, sql string) wire.Portal {
	t.Helper()
	p := newPortal(t, s, sql)
	if _, err := p.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

// newPortal is a portal of a statement without parameters. The caller closes it.
func newPortal(t testing.TB, s wire.Session, sql string) wire.Portal {
	t.Helper()
	st, err := s.Prepare(t.Context(), wire.Query{SQL: sql}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := st.Bind(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// portalOf is newPortal, closed with the test.
func portalOf(t testing.TB, s wire.Session, sql string) wire.Portal {
	t.Helper()
	p := newPortal(t, s, sql)
	t.Cleanup(p.Close)
	return p
}

// shop is a store of two entity types and a relation type without rows: an item
// has a field of every kind.
func shop(t testing.TB) objstore.Bucket {
	t.Helper()
	return storeOf(t,
		format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Item"}, Fields: []format.SchemaField{
			keyField("sku", format.FieldInt), format.NewField("title", format.FieldStr, false), format.NewField("price", format.FieldDecimal, true),
			format.NewField("weight", format.FieldFloat, true), format.NewField("sold", format.FieldBool, true), format.NewField("added", format.FieldDatetime, true),
			format.NewField("day", format.FieldDate, true), format.NewField("code", format.FieldUUID, true), format.NewField("raw", format.FieldBytes, true),
			format.NewField("tags", format.FieldJSON, true),
		}},
		format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Shelf"}, Fields: []format.SchemaField{keyField("name", format.FieldStr), format.NewField("height", format.FieldInt, true)}},
		format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "StandsOn"}, Left: "Item", Right: "Shelf", InstanceKey: "slot", Fields: []format.SchemaField{
			format.NewField("slot", format.FieldStr, false), format.NewField("since", format.FieldDate, true),
		}},
	)
}
