package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/writepath"
)

// servers are the two sides of the reads.
type servers struct {
	postgres *client
	ontosql  *client
	pg       *testenv.PostgresServer
	gateway  *gatewayProcess
	idle     int64
}

func setUp(ctx context.Context, b *bench) (*servers, error) {
	s := &servers{}
	if err := s.start(ctx, b); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *servers) start(ctx context.Context, b *bench) error {
	store := filepath.Join(b.dir, "store")
	if err := fillStore(ctx, store, b.rows); err != nil {
		return fmt.Errorf("fill the store: %w", err)
	}
	var err error
	if s.pg, err = testenv.StartPostgres(ctx); err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	if err := fillPostgres(ctx, s.pg.DSN, b.rows); err != nil {
		return fmt.Errorf("fill PostgreSQL: %w", err)
	}
	if s.postgres, err = dial(ctx, s.pg.DSN); err != nil {
		return err
	}
	if s.gateway, err = startGateway(ctx, b.binary, "--storage-uri", store, "--cache-dir", filepath.Join(b.dir, "cache")); err != nil {
		return err
	}
	if s.ontosql, err = dial(ctx, s.gateway.dsn); err != nil {
		return err
	}
	s.idle, _ = s.gateway.memory()
	return nil
}

func (s *servers) memory() (idle, peak int64) {
	_, peak = s.gateway.memory()
	return s.idle, peak
}

func (s *servers) close() {
	if s.gateway != nil {
		s.gateway.stop()
	}
	if s.pg != nil {
		s.pg.Stop()
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
	if _, err = p.Register(ctx, time.Now(), []format.Schema{customerSchema()}); err != nil {
		return err
	}
	all := func(yield func(format.Row) bool) {
		random := rand.New(rand.NewPCG(seed, 0))
		for i := range rows {
			if !yield(customerAt(i, random).row()) {
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
