package schemas

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

// gate is a gateway over a bucket, with everything that one process has.
type gate struct {
	gateway *gateway.Gateway
	ends    []func() // in the reverse of their order
}

// gateOptions are what a gate may have beyond a bucket.
type gateOptions struct{ mirror bool }

// openGate opens a gateway. Close ends it.
func openGate(ctx context.Context, bucket objstore.Bucket, o gateOptions) (_ *gate, err error) {
	g := &gate{}
	defer func() {
		if err != nil {
			g.Close()
		}
	}()
	home, err := os.MkdirTemp("", "ontosql-schemas-*")
	if err != nil {
		return nil, err
	}
	g.ends = append(g.ends, func() { _ = os.RemoveAll(home) })
	files, copies, temp := filepath.Join(home, "files"), filepath.Join(home, "copies"), filepath.Join(home, "temp")
	for _, dir := range []string{files, copies, temp} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
	}
	b := metered.New(bucket, metered.Options{})
	inspect := func(ctx context.Context, path string) ([]byte, error) {
		facts, err := format.Inspect(ctx, path)
		if err != nil {
			return nil, err
		}
		return facts.Encode()
	}
	cache, err := diskcache.Open(files, diskcache.Options{Budget: 1 << 30, Inspect: inspect})
	if err != nil {
		return nil, err
	}
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		return nil, err
	}
	engine, err := duckdb.Open(ctx, duckdb.Options{TempDir: temp, ReadDirs: []string{files, copies}, MemoryLimit: 1 << 30})
	if err != nil {
		return nil, err
	}
	g.ends = append(g.ends, engine.Close)
	var m *mirror.Mirror
	if o.mirror {
		m = mirror.Open(ctx, mirror.Options{Engine: engine, Dir: copies, Budget: 1 << 30})
		g.ends = append(g.ends, m.Close)
	}
	own := &gateway.OwnCommits{}
	committer := writepath.Open(writepath.Options{
		Bucket: b, RuntimeID: "gate", Log: log, Identities: gateway.Identities(cache, b), Landed: own.Landed, TempDir: temp,
	})
	g.ends = append(g.ends, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_ = committer.Close(ctx) // a dead bucket cannot be left in order
	})
	store := resolver.Open(resolver.Options{Bucket: b, Log: log, Own: committer.Head})
	g.ends = append(g.ends, store.Close)
	quiet := slog.New(slog.DiscardHandler)
	db, err := gateway.NewDatabase(ctx, gateway.DatabaseOptions{
		Name: "onto", URI: "mem://onto", Backend: "file",
		Storage: gateway.NewFiles(gateway.FilesOptions{Bucket: b, Store: store, Cache: cache, Own: own}),
		Engine:  engine, Committer: committer, Mirror: m, Logger: quiet,
	})
	if err != nil {
		return nil, err
	}
	g.gateway = gateway.New(gateway.Options{Databases: []*gateway.Database{db}, Superuser: true, Logger: quiet})
	return g, nil
}

// Close ends the gateway as its process would.
func (g *gate) Close() {
	for len(g.ends) > 0 {
		last := len(g.ends) - 1
		g.ends[last]()
		g.ends = g.ends[:last]
	}
}

// gateOver is openGate for a test that cannot go on without.
func gateOver(t *testing.T, bucket objstore.Bucket) *gate {
	t.Helper()
	g, err := openGate(t.Context(), bucket, gateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// session is one client. A statement outside of BEGIN and COMMIT is a
// transaction of its own, as one that comes with its Sync.
type session struct {
	wire.Session
	ctx  context.Context
	said func(sql string, err error) // is told of every statement; nil for nobody
}

func (g *gate) session(ctx context.Context) (*session, error) {
	s := &session{ctx: ctx}
	opened, _, err := g.gateway.Open(ctx, wire.Startup{
		User: "tester", Database: "onto", PID: 7,
		Ending: func() bool { return true },
	})
	s.Session = opened
	return s, err
}

// do runs statements, up to the first error.
func (s *session) do(statements ...string) error {
	for _, sql := range statements {
		if _, err := s.ask(sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// ask runs one statement and returns its rows: cells as text, NULL as "NULL",
// joined by "|".
func (s *session) ask(sql string) (rows []string, err error) {
	defer func() {
		err = errors.Join(err, s.Sync(s.ctx, err != nil))
		if s.said != nil {
			s.said(sql, err)
		}
	}()
	st, err := s.Prepare(s.ctx, wire.Query{SQL: sql}, nil)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	p, err := st.Bind(s.ctx, nil)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	for {
		b, err := p.Next(s.ctx)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range b.Len {
			cells := make([]string, len(b.Cols))
			for c := range b.Cols {
				cells[c] = cell(&b.Cols[c], i)
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
	}
}

func cell(v *column.Vector, i int) string {
	switch {
	case v.IsNull(i):
		return "NULL"
	case v.Type.Kind == column.Text || v.Type.Kind == column.JSON:
		return string(v.Str[i])
	case v.Type.Kind == column.Int64:
		return fmt.Sprint(v.I64[i])
	case v.Type.Kind == column.Bool:
		return fmt.Sprint(v.Bool[i])
	}
	return "a value of type " + v.Type.String()
}

// stateOf is the SQLSTATE of an error, "" for none.
func stateOf(err error) string {
	var e *pgerr.Error
	switch {
	case errors.As(err, &e):
		return e.Code
	case err != nil:
		return err.Error()
	}
	return ""
}
