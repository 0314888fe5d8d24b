package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// raw is DuckDB in this process, without SQL of PostgreSQL, wire or versions. Of
// the customers it has two native tables as the mirror has them, cur with the
// newest version of each and an ART index on the key, hist with the others and
// the commit v that superseded each; and customer is what a query calls cur.
type raw struct {
	engine    *duckdb.Engine
	conn      *duckdb.Conn
	customers string // the store's data files, as an argument of read_parquet
}

func (l *lab) duckdb(ctx context.Context) (*raw, error) {
	if l.raw != nil {
		return l.raw, nil
	}
	store, err := l.history(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	r, err := openRaw(ctx, store, l.dir)
	if err != nil {
		return nil, fmt.Errorf("raw DuckDB: %w", err)
	}
	l.tell("raw DuckDB has the history after %s", toldTime(began))
	l.raw = r
	return r, nil
}

func openRaw(ctx context.Context, store, dir string) (*raw, error) {
	spill := filepath.Join(dir, "spill")
	if err := os.Mkdir(spill, 0o700); err != nil {
		return nil, err
	}
	engine, err := duckdb.Open(ctx, duckdb.Options{ReadDirs: []string{store, dir}, TempDir: spill})
	if err != nil {
		return nil, err
	}
	r := &raw{engine: engine, customers: files(store, customerFiles)}
	if r.conn, err = engine.Conn(ctx); err != nil {
		engine.Close()
		return nil, err
	}
	for _, sql := range []string{
		"ATTACH " + duckdb.Literal(filepath.Join(dir, "raw.duckdb")) + " AS raw",
		"USE raw",
		`CREATE TEMP TABLE versions AS SELECT entity_key AS id, commit_id AS c, name, tier, balance, visits,
			lead(commit_id) OVER (PARTITION BY entity_key ORDER BY commit_id) AS v FROM read_parquet(` + r.customers + `)`,
		"CREATE TABLE cur AS SELECT id, c, name, tier, balance, visits FROM versions WHERE v IS NULL",
		"CREATE TABLE hist AS SELECT * FROM versions WHERE v IS NOT NULL ORDER BY v",
		"DROP TABLE versions",
		"CREATE INDEX cur_id ON cur (id)",
		"CREATE VIEW customer AS SELECT * FROM cur",
		"CREATE TABLE product AS SELECT CAST(entity_key AS BIGINT) AS id, price FROM read_parquet(" + files(store, productFiles) + ")",
		"CREATE TABLE subscription AS SELECT left_key, CAST(right_key AS BIGINT) AS right_key, seats FROM read_parquet(" + files(store, subscriptionFiles) + ")",
		"CHECKPOINT raw",
	} {
		if err := r.conn.Exec(ctx, sql); err != nil {
			r.close()
			return nil, fmt.Errorf("%s: %w", sql, err)
		}
	}
	return r, nil
}

// files are those of a store that match a pattern, as an argument of read_parquet.
func files(store, pattern string) string { return duckdb.Literal(filepath.Join(store, pattern)) }

func (r *raw) close() {
	r.conn.Close()
	r.engine.Close()
}

// prepared asks with a statement that is prepared once.
func (r *raw) prepared(ctx context.Context, sql string, rows int) (ask func(args ...any) error, err error) {
	st, err := r.conn.Prepare(ctx, sql)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sql, err)
	}
	return func(args ...any) error { return drain(ctx, st, rows, args) }, nil
}

// text asks with SQL that is prepared each time, as its constants may be others.
func (r *raw) text(ctx context.Context, sql string, rows int) error {
	st, err := r.conn.Prepare(ctx, sql)
	if err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	defer st.Close()
	return drain(ctx, st, rows, nil)
}

func drain(ctx context.Context, st *duckdb.Stmt, want int, args []any) error {
	rows, err := st.Query(ctx, args)
	if err != nil {
		return err
	}
	got := 0
	err = rows.Each(ctx, func(*column.Batch, int) { got++ })
	if got != want {
		err = errors.Join(err, fmt.Errorf("%d rows, want %d", got, want))
	}
	return err
}
