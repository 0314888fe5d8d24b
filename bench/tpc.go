package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/tpc"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/writepath"
)

// tpcH and tpcDS are P16 and P17: the queries of the benchmarks, over types that are mirrored and over
// ordinary tables, and by raw DuckDB over its own tables.
func tpcH(ctx context.Context, l *lab, r *result) error { return l.tpc(ctx, r, tpc.H, 1.3, 2.5) }

func tpcDS(ctx context.Context, l *lab, r *result) error { return l.tpc(ctx, r, tpc.DS, 1.4, 3) }

// tpc measures a benchmark. all and worst are the goals for the sum of all queries and for the
// slowest one, in times of raw DuckDB.
func (l *lab) tpc(ctx context.Context, r *result, benchmark string, all, worst float64) error {
	if _, err := os.Stat(tpc.Python); err != nil {
		l.tell("the generator of %s is not installed (make drivers): not measured", benchmark)
		return nil
	}
	files, err := l.newDir(benchmark)
	if err != nil {
		return err
	}
	data, err := tpc.Generate(ctx, tpc.Python, benchmark, l.size.TPC, files)
	if err != nil {
		return err
	}
	duck, err := openTPC(ctx, data, files)
	if err != nil {
		return fmt.Errorf("raw DuckDB: %w", err)
	}
	defer duck.close()
	ours, err := l.serveTPC(ctx, data, benchmark)
	if err != nil {
		return err
	}
	defer ours.stop()
	types, err := dial(ctx, ours.dsn)
	if err != nil {
		return err
	}
	defer types.close()
	tables, err := dial(ctx, ours.dsn)
	if err != nil {
		return err
	}
	defer tables.close()
	if _, err := tables.query("SET search_path = " + benchmark); err != nil {
		return err
	}
	sides := [2]struct {
		name   string
		client *client
		goal   bool
	}{{"types, mirrored", types, true}, {"ordinary tables", tables, false}}
	var ratios [2][]float64
	var total [3]time.Duration
	var slowest [2]int
	for i, sql := range data.Queries {
		contenders := []contender{{"raw DuckDB", eachBy(l.clock(0), 1, func(int) error { return duck.rows(ctx, sql) })}}
		for _, s := range sides {
			contenders = append(contenders, contender{s.name, eachBy(l.clock(ours.cmd.Process.Pid), 1, func(int) error {
				_, err := s.client.query(sql)
				return err
			})})
		}
		found, err := race(l.laps, contenders...)
		if err != nil {
			return fmt.Errorf("query %d: %w", i+1, err)
		}
		total[0] += found[0].median()
		for s := range sides {
			total[1+s] += found[1+s].median()
			ratios[s] = append(ratios[s], found[1+s].over(found[0]))
			if ratios[s][i] > ratios[s][slowest[s]] {
				slowest[s] = i
			}
		}
		r.times(fmt.Sprintf("query %d: ", i+1), contenders, found)
	}
	for i, s := range sides {
		sum := float64(total[1+i]) / float64(total[0])
		most := ratios[i][slowest[i]]
		named := fmt.Sprintf("%s / raw DuckDB: ", s.name)
		if s.goal {
			r.atMost(named+"all queries", sum, "x", all)
			r.atMost(fmt.Sprintf("%sslowest, query %d", named, slowest[i]+1), most, "x", worst)
		} else {
			r.note(named+"all queries", sum, "x")
			r.note(fmt.Sprintf("%sslowest, query %d", named, slowest[i]+1), most, "x")
		}
		r.note(named+"median query", median(slices.Clone(ratios[i])), "x")
	}
	return nil
}

// openTPC is raw DuckDB with the tables in a file of its own.
func openTPC(ctx context.Context, data *tpc.Set, files string) (*raw, error) {
	spill := filepath.Join(files, "spill")
	if err := os.Mkdir(spill, 0o700); err != nil {
		return nil, err
	}
	engine, err := duckdb.Open(ctx, duckdb.Options{ReadDirs: []string{files}, TempDir: spill})
	if err != nil {
		return nil, err
	}
	r := &raw{engine: engine}
	if r.conn, err = engine.Conn(ctx); err != nil {
		engine.Close()
		return nil, err
	}
	statements := []string{"ATTACH " + duckdb.Literal(filepath.Join(files, "raw.duckdb")) + " AS raw", "USE raw"}
	for _, t := range data.Tables {
		columns := []string{"'" + tpc.RowID + "': 'BIGINT'"}
		for _, c := range t.Columns {
			columns = append(columns, duckdb.Literal(c.Name)+": "+duckdb.Literal(c.Type))
		}
		statements = append(statements, fmt.Sprintf("CREATE TABLE %s AS SELECT * EXCLUDE (%s) FROM read_csv(%s, header = false, columns = {%s})",
			t.Name, tpc.RowID, duckdb.Literal(t.Path), strings.Join(columns, ", ")))
	}
	for _, sql := range append(statements, "CHECKPOINT raw") {
		if err := r.conn.Exec(ctx, sql); err != nil {
			r.close()
			return nil, fmt.Errorf("%s: %w", sql, err)
		}
	}
	return r, nil
}

// rows reads all rows of a query.
func (r *raw) rows(ctx context.Context, sql string) error {
	st, err := r.conn.Prepare(ctx, strings.TrimSuffix(strings.TrimSpace(sql), ";"))
	if err != nil {
		return err
	}
	defer st.Close()
	rows, err := st.Query(ctx, nil)
	if err != nil {
		return err
	}
	return rows.Each(ctx, func(*column.Batch, int) {})
}

// serveTPC is a gateway that has the tables twice: as types, and as ordinary tables of a schema. The caller stops it.
func (l *lab) serveTPC(ctx context.Context, data *tpc.Set, schema string) (*gateway, error) {
	g, err := l.serveNew(ctx, cacheSize)
	if err != nil {
		return nil, err
	}
	c, err := pgconn.Connect(ctx, g.dsn)
	if err != nil {
		g.stop()
		return nil, err
	}
	err = data.Load(ctx, c)
	if err == nil {
		_, err = c.Exec(ctx, "CREATE SCHEMA "+schema+"; SET search_path = "+schema).ReadAll()
	}
	if err == nil {
		err = data.Load(ctx, c)
	}
	for _, t := range data.Tables { // the second read begins its mirror
		if err == nil {
			const read = "SELECT count(*) FROM public."
			_, err = c.Exec(ctx, read+t.Name+"; "+read+t.Name).ReadAll()
		}
	}
	err = errors.Join(err, c.Close(ctx))
	if err == nil {
		err = g.written(ctx)
	}
	if err != nil {
		g.stop()
		return nil, err
	}
	return g, nil
}

// serveNew serves a new store in a directory, with a cache of its own. The caller stops it.
func (l *lab) serveNew(ctx context.Context, cacheSize string) (*gateway, error) {
	store, err := l.newDir("store")
	if err != nil {
		return nil, err
	}
	cache, err := l.newDir("cache")
	if err != nil {
		return nil, err
	}
	bucket, err := dir.Open(store, dir.Options{})
	if err != nil {
		return nil, err
	}
	if _, err := writepath.Init(ctx, bucket, writepath.InitOptions{URI: "bench", Engine: format.EngineV1}); err != nil {
		return nil, err
	}
	return l.serve(ctx, "--storage-uri", store, "--cache-dir", cache, "--cache-size", cacheSize)
}

// load creates and fills the tables as types.
func (g *gateway) load(ctx context.Context, data *tpc.Set) error {
	c, err := pgconn.Connect(ctx, g.dsn)
	if err != nil {
		return err
	}
	return errors.Join(data.Load(ctx, c), c.Close(ctx))
}
