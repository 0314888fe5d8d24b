package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/internal/tpc"
)

// ofOneColumn are questions that read one column of each kind that fields_json has no number for.
var ofOneColumn = []question{
	{"count", "SELECT count(*) FROM %s", 1},
	{"sum of numeric(15,2)", "SELECT sum(l_quantity) FROM %s", 1},
	{"maximum of a date", "SELECT max(l_shipdate) FROM %s", 1},
	{"maximum of a bigint", "SELECT max(l_orderkey) FROM %s", 1},
}

// ownFiles is P18: TPC-H over types that are read from their data files, as no mirror has room,
// and by raw DuckDB over Parquet files that it wrote of the same tables.
func ownFiles(ctx context.Context, l *lab, r *result) error {
	if _, err := os.Stat(tpc.Python); err != nil {
		l.tell("the generator of TPC-H is not installed (make drivers): not measured")
		return nil
	}
	files, err := l.newDir("ownfiles")
	if err != nil {
		return err
	}
	data, err := tpc.Generate(ctx, tpc.Python, tpc.H, l.size.TPC, files)
	if err != nil {
		return err
	}
	duck, err := openTPC(ctx, data, files)
	if err != nil {
		return fmt.Errorf("raw DuckDB: %w", err)
	}
	defer duck.close()
	if err := duck.asParquet(ctx, data, files); err != nil {
		return err
	}
	ours, err := l.serveTypes(ctx, data)
	if err != nil {
		return err
	}
	defer ours.stop()
	for _, t := range data.Tables {
		reader, err := ours.keepFiles(ctx, t.Name)
		if err != nil {
			return err
		}
		defer reader.close()
	}
	c, err := dial(ctx, ours.dsn)
	if err != nil {
		return err
	}
	defer c.close()
	compare := func(sql string) (types, raw samples, err error) {
		both := []contender{
			{"ontosql", eachBy(l.clock(ours.cmd.Process.Pid), 1, func(int) error {
				_, err := c.query(sql)
				return err
			})},
			{"raw DuckDB", eachBy(l.clock(0), 1, func(int) error { return duck.rows(ctx, sql) })},
		}
		found, err := race(l.laps, both...)
		if err != nil {
			return nil, nil, err
		}
		return found[0], found[1], nil
	}
	for _, q := range ofOneColumn {
		a, b, err := compare(q.of("lineitem"))
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		r.atMost(q.name+": ontosql / raw DuckDB on Parquet files", a.over(b), "x", 1.5)
		r.note(q.name+": ontosql", a.median().Seconds()*1000, "ms")
	}
	var ratios []float64
	var total [2]time.Duration
	for i, sql := range data.Queries {
		a, b, err := compare(sql)
		if err != nil {
			return fmt.Errorf("query %d: %w", i+1, err)
		}
		total[0], total[1] = total[0]+a.median(), total[1]+b.median()
		ratios = append(ratios, a.over(b))
		r.note(fmt.Sprintf("query %d: ontosql / raw DuckDB", i+1), ratios[i], "x")
		r.note(fmt.Sprintf("query %d: ontosql", i+1), a.median().Seconds()*1000, "ms")
	}
	r.atMost("all queries: ontosql / raw DuckDB on Parquet files", float64(total[0])/float64(total[1]), "x", 1.5)
	r.note("median query: ontosql / raw DuckDB on Parquet files", median(slices.Clone(ratios)), "x")
	mirrors, err := c.query("SELECT count(*) FROM ontosql.mirror WHERE state <> 'none'")
	if err == nil && mirrors[0][0] != "0" {
		err = fmt.Errorf("%s types that were to be without a mirror have one", mirrors[0][0])
	}
	return err
}

// asParquet writes the tables to Parquet files and reads them from there from now on.
func (r *raw) asParquet(ctx context.Context, data *tpc.Set, files string) error {
	for _, t := range data.Tables {
		path := duckdb.Literal(filepath.Join(files, t.Name+".parquet"))
		for _, sql := range []string{
			"COPY " + t.Name + " TO " + path + " (FORMAT parquet)", "DROP TABLE " + t.Name,
			"CREATE VIEW " + t.Name + " AS SELECT * FROM read_parquet(" + path + ")",
		} {
			if err := r.conn.Exec(ctx, sql); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
	}
	return nil
}

// serveTypes is a gateway without room for mirrors that has the tables as types. The caller
// stops it.
func (l *lab) serveTypes(ctx context.Context, data *tpc.Set) (*gateway, error) {
	const smallest = "1MiB" // see keepFiles
	g, err := l.serveNew(ctx, smallest)
	if err != nil {
		return nil, err
	}
	if err := g.load(ctx, data); err != nil {
		g.stop()
		return nil, err
	}
	return g, nil
}

// keepFiles is a client with an open cursor over a type, so that the files of the type stay in the
// cache although that has no room for them.
func (g *gateway) keepFiles(ctx context.Context, table string) (*client, error) {
	c, err := dial(ctx, g.dsn)
	if err != nil {
		return nil, err
	}
	for _, sql := range []string{"BEGIN", "DECLARE held CURSOR FOR SELECT * FROM " + table, "FETCH 1 FROM held"} {
		if _, err := c.query(sql); err != nil {
			c.close()
			return nil, fmt.Errorf("%s: %w", sql, err)
		}
	}
	return c, nil
}

// feedOfFiles is P19: feeding the mirror from data files. Each feed has a gateway and a cache of
// its own.
func feedOfFiles(ctx context.Context, l *lab, r *result) error {
	store, err := l.history(ctx)
	if err != nil {
		return err
	}
	for _, table := range []struct {
		name string
		rows int
		goal bool
	}{{"product", l.size.Products, true}, {"customer", l.size.versions(), false}} {
		var rows, written samples
		for range l.laps {
			cache, err := l.newDir("cache")
			if err != nil {
				return err
			}
			g, err := l.serve(ctx, "--storage-uri", store, "--cache-dir", cache, "--cache-size", cacheSize)
			if err != nil {
				return err
			}
			f, err := g.feed(ctx, table.name)
			g.stop()
			if err = errors.Join(err, os.RemoveAll(cache)); err != nil {
				return err
			}
			rows, written = append(rows, f.rows), append(written, f.written)
		}
		rate := func(s samples) float64 { return float64(table.rows) / s.median().Seconds() }
		name := fmt.Sprintf("%d versions of %ss, five columns, from the statement that begins it on", table.rows, table.name)
		if table.goal {
			r.atLeast(name, rate(rows), "rows/s", 3_000_000)
		} else {
			r.note(name, rate(rows), "rows/s")
		}
		r.note(table.name+": until the mirror has written them to its file, too", rate(written), "rows/s")
	}
	return nil
}
