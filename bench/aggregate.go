package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// question is SQL over the newest version of each customer; %s is the table.
type question struct {
	name, sql string
	rows      int
}

var aggregates = []question{
	{"average", "SELECT count(*), avg(balance) FROM %s", 1},
	{"by tier", "SELECT tier, count(*), avg(balance) FROM %s GROUP BY tier ORDER BY tier", 3},
}

func (q question) of(table string) string { return fmt.Sprintf(q.sql, table) }

// The newest versions, for a contender that has only the table of versions.
const (
	newestPostgres = "(SELECT DISTINCT ON (id) * FROM customer_versions ORDER BY id, commit_id DESC) AS newest"
	newestParquet  = "(SELECT r.* FROM read_parquet(%[1]s) AS r JOIN (SELECT entity_key, max(commit_id) AS commit_id FROM read_parquet(%[1]s) GROUP BY entity_key) AS n USING (entity_key, commit_id)) AS newest"
)

// aggregatesOfLatest is P2: aggregates over the newest version of each customer.
// Everything is prepared once. Those that are fast are compared with each other
// over many questions, those that are slow over few, and in fewer laps.
func aggregatesOfLatest(ctx context.Context, l *lab, r *result) error {
	pg, ours, duck, err := l.rivals(ctx)
	if err != nil {
		return err
	}
	files, err := l.unmirrored(ctx)
	if err != nil {
		return err
	}
	defer files.stop()
	var clients [3]*client
	for i, dsn := range []string{pg.DSN, ours.dsn, files.dsn} {
		if clients[i], err = dial(ctx, dsn); err != nil {
			return err
		}
		defer clients[i].close()
	}
	if err := agree(clients[:]); err != nil {
		return err
	}
	for _, q := range aggregates {
		overWire := func(name string, c *client, table string, questions int) (contender, error) {
			st, err := c.prepare(q.of(table), formatBinary)
			return contender{name, each(l.size.questions(questions), func(int) error { return st.expect(q.rows) })}, err
		}
		inProcess := func(name, table string, questions int) (contender, error) {
			ask, err := duck.prepared(ctx, q.of(table), q.rows)
			return contender{name, each(l.size.questions(questions), func(int) error { return ask() })}, err
		}
		const fast, slow = 20, 1
		mirror, err1 := overWire("ontosql", clients[1], "customer", fast)
		native, err2 := inProcess("raw DuckDB, native latest table", "cur", fast)
		table, err3 := overWire("PostgreSQL, latest table", clients[0], "customer", slow)
		versions, err4 := overWire("PostgreSQL, table of versions", clients[0], newestPostgres, slow)
		parquet, err5 := overWire("ontosql without a mirror", clients[2], "customer", slow)
		raw, err6 := inProcess("raw DuckDB, Parquet files", fmt.Sprintf(newestParquet, duck.customers), slow)
		if err := firstOf(err1, err2, err3, err4, err5, err6); err != nil {
			return err
		}
		quick := []contender{mirror, native}
		found, err := race(l.laps, quick...)
		if err != nil {
			return err
		}
		r.atMost(q.name+": ontosql / raw DuckDB on a native latest table", found[0].over(found[1]), "x", 1.1)
		r.times(q.name+": ", quick, found)
		all := []contender{mirror, table, versions, parquet, raw}
		if found, err = race((l.laps+1)/2, all...); err != nil {
			return err
		}
		r.atLeast(q.name+": PostgreSQL with a latest table / ontosql", found[1].over(found[0]), "x", 30)
		r.note(q.name+": PostgreSQL with a table of versions / ontosql", found[2].over(found[0]), "x")
		r.note(q.name+": ontosql without a mirror / raw DuckDB on the Parquet files", found[3].over(found[4]), "x")
		r.times(q.name+": ", all[1:], found[1:])
	}
	plan, err := clients[2].query("EXPLAIN " + aggregates[0].of("customer"))
	if err == nil && strings.Contains(planText(plan), "Mirror:") {
		err = fmt.Errorf("what was to be without a mirror had one:\n%s", planText(plan))
	}
	return err
}

// unmirrored serves the history with a cache that has room for its files and
// none for a mirror of the customers, which would fill more than half of it.
func (l *lab) unmirrored(ctx context.Context) (*gateway, error) {
	store, err := l.history(ctx)
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(store, customerFiles))
	if err != nil {
		return nil, err
	}
	var bytes int64
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		bytes += info.Size()
	}
	cache, err := l.newDir("cache")
	if err != nil {
		return nil, err
	}
	return l.serve(ctx, "--storage-uri", store, "--cache-dir", cache, "--cache-size", fmt.Sprint(bytes*3/2))
}

// agree makes sure that all answer the same, but for the last digits of a float.
func agree(clients []*client) error {
	for _, q := range aggregates {
		var want string
		for i, c := range clients {
			rows, err := c.query(strings.Replace(q.of("customer"), "avg(balance)", "round(avg(balance)::numeric, 6)", 1))
			if err != nil {
				return err
			}
			if got := fmt.Sprint(rows); i == 0 {
				want = got
			} else if got != want {
				return fmt.Errorf("%s: %s and %s are different answers", q.name, want, got)
			}
		}
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
