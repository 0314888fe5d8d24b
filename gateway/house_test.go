package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

// house is a gateway over one store in memory.
type house struct {
	gateway *gateway.Gateway
	db      *database.Database
	bucket  *metered.Bucket
	mirror  *mirror.Mirror // nil for none
	engine  *duckdb.Engine
	notices []string
	ending  bool          // what Startup.Ending answers
	files   string        // directory of the cache
	store   *watchedStore // of a file, nil for a bucket
}

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
	h := &house{bucket: metered.New(bucket, metered.Options{})}
	files := t.TempDir()
	h.files = files
	inspect := func(ctx context.Context, path string) ([]byte, error) {
		facts, err := format.Inspect(ctx, path)
		if err != nil {
			return nil, err
		}
		return facts.Encode()
	}
	cache, err := diskcache.Open(files, diskcache.Options{Budget: 1 << 30, Inspect: inspect})
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
		Committer: committer, Results: o.results, Workspace: space,
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
		t.Cleanup(h.mirror.Close)
	}
}

// openGateway opens the gateway of a database, whose name, engine and mirror are the house's.
func (h *house) openGateway(t testing.TB, o database.Options) {
	t.Helper()
	o.Name, o.Engine, o.Mirror = "onto", h.engine, h.mirror
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
	h.gateway = gateway.New(gateway.Options{Databases: []*database.Database{db}, Superuser: true, Logger: slog.New(slog.DiscardHandler)})
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

// ask runs one statement as the extended protocol does and returns its rows as
// text, columns joined by "|".
func ask(t testing.TB, s wire.Session, sql string, args ...string) ([]string, error) {
	t.Helper()
	ctx := t.Context()
	st, err := s.Prepare(ctx, wire.Query{SQL: sql}, nil)
	if err != nil {
		return nil, errors.Join(err, s.Sync(ctx, true))
	}
	defer st.Close()
	return bindAndRun(t, s, st, args...)
}

func bindAndRun(t testing.TB, s wire.Session, st wire.Statement, args ...string) ([]string, error) {
	t.Helper()
	ctx := t.Context()
	values := make([][]byte, len(args))
	for i, a := range args {
		values[i] = []byte(a)
	}
	p, err := st.Bind(ctx, values)
	if err != nil {
		return nil, errors.Join(err, s.Sync(ctx, true))
	}
	defer p.Close()
	rows, err := drain(ctx, p)
	return rows, errors.Join(err, s.Sync(ctx, err != nil))
}

func drain(ctx context.Context, p wire.Portal) ([]string, error) {
	var rows []string
	for {
		b, err := p.Next(ctx)
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		for i := range b.Len {
			rows = append(rows, line(b, i))
		}
	}
}

func line(b *column.Batch, i int) string {
	cells := make([]string, len(b.Cols))
	for c := range b.Cols {
		cells[c] = cell(&b.Cols[c], i)
	}
	return strings.Join(cells, "|")
}

func cell(v *column.Vector, i int) string {
	if v.IsNull(i) {
		return "NULL"
	}
	switch v.Type.Kind {
	case column.Bool:
		return fmt.Sprint(v.Bool[i])
	case column.Int32, column.Date:
		return fmt.Sprint(v.I32[i])
	case column.Int64, column.TimestampTZ, column.Timestamp:
		return fmt.Sprint(v.I64[i])
	case column.Float64:
		return fmt.Sprint(v.F64[i])
	case column.Numeric:
		return string(v.I128[i].AppendDecimal(nil, int(v.Type.Scale), 0))
	case column.Text, column.JSON, column.Bytes:
		return string(v.Str[i])
	}
	return v.Type.String()
}

// must is ask for statements that answer.
func must(t testing.TB, s wire.Session, sql string, args ...string) []string {
	t.Helper()
	rows, err := ask(t, s, sql, args...)
	if err != nil {
		t.Fatalf("%s %q: %v", sql, args, err)
	}
	return rows
}

// answers checks the rows of a statement.
func answers(t testing.TB, s wire.Session, sql string, want ...string) {
	t.Helper()
	if got := must(t, s, sql); !slices.Equal(got, want) {
		t.Errorf("%s: rows %q, want %q", sql, got, want)
	}
}

// refused checks that a statement fails with a SQLSTATE.
func refused(t *testing.T, s wire.Session, code, sql string, args ...string) *pgerr.Error {
	t.Helper()
	rows, err := ask(t, s, sql, args...)
	var e *pgerr.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s %q answered %q, %v; want SQLSTATE %s", sql, args, rows, err, code)
	}
	if e.Code != code {
		t.Errorf("%s %q: SQLSTATE %s (%s), want %s", sql, args, e.Code, e.Message, code)
	}
	return e
}

// columnOf is the column that an error is about: the field of one of a constraint, and of
// one of a value, class 22, what its context says.
func columnOf(t *testing.T, e *pgerr.Error) string {
	t.Helper()
	if !strings.HasPrefix(e.Code, "22") {
		return e.Column
	}
	if e.Schema != "" || e.Table != "" || e.Column != "" {
		t.Errorf("%s: the error names %s.%s.%s, and PostgreSQL's has none of the fields", e.Message, e.Schema, e.Table, e.Column)
	}
	_, rest, _ := strings.Cut(e.Where, `column "`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
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
