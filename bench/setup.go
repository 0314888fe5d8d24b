package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/writepath"
)

// servers are the two sides of a run and what must be cleaned up after it.
type servers struct {
	dir      string
	binary   string
	postgres *client
	ontosql  *client
	pg       *testenv.PostgresServer
	gateway  *gatewayProcess
	idle     int64
}

func setUp(ctx context.Context, rows int) (*servers, error) {
	tmp, err := os.MkdirTemp("", "ontosql-bench-")
	if err != nil {
		return nil, err
	}
	b := &servers{dir: tmp, binary: filepath.Join(tmp, "ontosql")}
	if err := b.start(ctx, rows); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *servers) start(ctx context.Context, rows int) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", b.binary, "./cmd/ontosql")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	store := filepath.Join(b.dir, "store")
	if err := fillStore(ctx, store, rows); err != nil {
		return fmt.Errorf("fill the store: %w", err)
	}
	var err error
	if b.pg, err = testenv.StartPostgres(ctx); err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	if err := fillPostgres(ctx, b.pg.DSN, rows); err != nil {
		return fmt.Errorf("fill PostgreSQL: %w", err)
	}
	if b.postgres, err = dial(ctx, b.pg.DSN); err != nil {
		return err
	}
	if b.gateway, err = startGateway(ctx, b.binary, store, filepath.Join(b.dir, "cache")); err != nil {
		return err
	}
	if b.ontosql, err = dial(ctx, b.gateway.dsn); err != nil {
		return err
	}
	b.idle, _ = b.gateway.memory()
	return nil
}

func (b *servers) memory() (idle, peak int64) {
	_, peak = b.gateway.memory()
	return b.idle, peak
}

func (b *servers) close() {
	if b.gateway != nil {
		b.gateway.stop()
	}
	if b.pg != nil {
		b.pg.Stop()
	}
	os.RemoveAll(b.dir)
}

var customerType = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}

// customer i is the same in both servers.
type customer struct {
	id, name, tier string
	balance        float64
	visits         int64
}

func customerAt(i int, random *rand.Rand) customer {
	return customer{
		id:      fmt.Sprintf("c%07d", i),
		name:    "Customer number " + strconv.Itoa(i),
		tier:    []string{"Standard", "Silver", "Gold"}[random.IntN(3)],
		balance: float64(random.IntN(1_000_000)) / 100,
		visits:  random.Int64N(1000),
	}
}

const seed = 42

// fillStore writes all customers in one commit.
func fillStore(ctx context.Context, path string, rows int) (err error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	bucket, err := dir.Open(path, dir.Options{})
	if err != nil {
		return err
	}
	if _, err := writepath.Init(ctx, bucket, writepath.InitOptions{URI: path, Engine: format.EngineV1}); err != nil {
		return err
	}
	p, err := writepath.NewPublisher(ctx, bucket, "bench")
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := p.Close(ctx); err == nil {
			err = closeErr
		}
	}()
	id := format.NewField("id", format.FieldStr, false)
	id.PrimaryKey = true
	_, err = p.Register(ctx, time.Now(), []format.Schema{{Ref: customerType, Fields: []format.SchemaField{
		id, format.NewField("name", format.FieldStr, false), format.NewField("tier", format.FieldStr, false),
		format.NewField("balance", format.FieldFloat, false), format.NewField("visits", format.FieldInt, false),
	}}})
	if err != nil {
		return err
	}
	all := func(yield func(format.Row) bool) {
		random := rand.New(rand.NewPCG(seed, 0))
		for i := range rows {
			c := customerAt(i, random)
			fields := format.Object(
				format.Member{Name: "id", Value: format.String(c.id)},
				format.Member{Name: "name", Value: format.String(c.name)},
				format.Member{Name: "tier", Value: format.String(c.tier)},
				format.Member{Name: "balance", Value: format.Float(c.balance)},
				format.Member{Name: "visits", Value: format.Int(c.visits)},
			).Append(nil, format.Canonical)
			if !yield(format.Row{Key: c.id, Fields: fields}) {
				return
			}
		}
	}
	_, err = p.Publish(ctx, writepath.Commit{At: time.Now(), Data: []writepath.Content{{Type: customerType, Rows: all}}})
	return err
}

// fillPostgres loads the same customers and does what a user would: a primary
// key, and statistics.
func fillPostgres(ctx context.Context, dsn string, rows int) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `CREATE TABLE customer (id text COLLATE "C" NOT NULL, name text, tier text, balance double precision, visits bigint)`)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(seed, 0))
	i := -1
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"customer"}, []string{"id", "name", "tier", "balance", "visits"},
		pgx.CopyFromFunc(func() ([]any, error) {
			if i++; i >= rows {
				return nil, nil
			}
			c := customerAt(i, random)
			return []any{c.id, c.name, c.tier, c.balance, c.visits}, nil
		}))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER TABLE customer ADD PRIMARY KEY (id)")
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "VACUUM ANALYZE customer")
	return err
}

// gatewayProcess is ontosql as a process of its own.
type gatewayProcess struct {
	cmd *exec.Cmd
	dsn string
}

func startGateway(ctx context.Context, binary, store, cache string) (*gatewayProcess, error) {
	cmd := exec.CommandContext(ctx, binary, "serve", "--storage-uri", store, "--cache-dir", cache, "--listen", "127.0.0.1:0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the gateway did not start: %w", err), cmd.Wait())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	dsn := strings.TrimSpace(strings.TrimPrefix(line, "ready "))
	return &gatewayProcess{cmd: cmd, dsn: strings.Replace(dsn, "postgres://", "postgres://bench@", 1) + "?sslmode=disable"}, nil
}

func (g *gatewayProcess) stop() {
	_ = g.cmd.Process.Signal(os.Interrupt)
	_ = g.cmd.Wait()
}

// memory is the resident memory of the process now and at its peak, in bytes.
func (g *gatewayProcess) memory() (now, peak int64) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.cmd.Process.Pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(raw)) {
		name, rest, _ := strings.Cut(line, ":")
		kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
		if err != nil {
			continue
		}
		switch name {
		case "VmRSS":
			now = kib << 10
		case "VmHWM":
			peak = kib << 10
		}
	}
	return now, peak
}

// coldStart times a gateway without a cache from its start to its first answer.
func coldStart(ctx context.Context, binary, store string, repeats int) ([]time.Duration, error) {
	var all []time.Duration
	for range repeats {
		cache, err := os.MkdirTemp("", "ontosql-cold-")
		if err != nil {
			return nil, err
		}
		began := time.Now()
		took, err := firstAnswer(ctx, binary, store, cache, began)
		os.RemoveAll(cache)
		if err != nil {
			return nil, err
		}
		all = append(all, took)
	}
	return all, nil
}

func firstAnswer(ctx context.Context, binary, store, cache string, began time.Time) (time.Duration, error) {
	g, err := startGateway(ctx, binary, store, cache)
	if err != nil {
		return 0, err
	}
	defer g.stop()
	c, err := dial(ctx, g.dsn)
	if err != nil {
		return 0, err
	}
	if _, err := c.ask(measure{sql: "SELECT count(*) FROM customer", rows: 1}); err != nil {
		return 0, err
	}
	return time.Since(began), nil
}
