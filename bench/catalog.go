package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// The queries of psql and of tools, by what asks them: a line "-- name", then one
// or more queries, each with a line ";" behind it. {customer} stands for the OID of
// table customer, {tables} for those of all tables.
//
//go:embed catalog.sql
var catalogFile string

// inquiry is what a client does at one go: some queries one after the other.
type inquiry struct {
	name    string
	queries []string
}

func inquiries() []inquiry {
	var all []inquiry
	for _, section := range strings.Split("\n"+catalogFile, "\n-- ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		q := inquiry{name: name}
		for _, sql := range strings.Split(text, "\n;\n") {
			if sql = strings.TrimSpace(sql); sql != "" {
				q.queries = append(q.queries, sql)
			}
		}
		all = append(all, q)
	}
	return all
}

// How many types the catalog has: entities of 6 to 17 columns, and relations
// between two of them.
const (
	catalogEntities  = 150
	catalogRelations = 50
)

// catalogTables declares the types, as ontosql and PostgreSQL understand it.
func catalogTables() []string {
	types := []string{"text", "bigint", "double precision", "boolean", "date", "timestamptz", "numeric(12,2)", "jsonb", "uuid", "varchar(30)"}
	tables := []string{
		"CREATE TABLE customer (id text PRIMARY KEY, name text NOT NULL, tier text, balance double precision, visits bigint, " +
			"email varchar(40), since date, seen timestamptz, active boolean DEFAULT true, notes jsonb)",
	}
	for i := range catalogEntities - 1 {
		key := "bigint"
		if i%2 == 1 {
			key = "text"
		}
		columns := []string{"id " + key + " PRIMARY KEY"}
		for c := range 5 + i%12 {
			column := fmt.Sprintf("c%02d %s", c, types[(i+c)%len(types)])
			if (i+c)%4 == 0 {
				column += " NOT NULL"
			}
			columns = append(columns, column)
		}
		tables = append(tables, fmt.Sprintf("CREATE TABLE entity_%03d (%s)", i, strings.Join(columns, ", ")))
	}
	for i := range catalogRelations {
		tables = append(tables, fmt.Sprintf("CREATE TABLE link_%02d (left_key text REFERENCES entity_%03d, right_key bigint REFERENCES entity_%03d, "+
			"since date, weight double precision, note text, PRIMARY KEY (left_key, right_key))", i, 2*i+1, 2*i+2))
	}
	return tables
}

// catalogViews are views such as ontosql has of every type, so that both catalogs
// have as much to tell.
func catalogViews() []string {
	views := []string{"CREATE SCHEMA history", "CREATE SCHEMA changes"}
	for _, sql := range catalogTables() {
		table := strings.Fields(sql)[2]
		views = append(views,
			"CREATE VIEW history."+table+" AS SELECT *, 1::bigint AS commit_id, now() AS committed_at, now() AS valid_from, now() AS valid_to, "+
				"1::bigint AS valid_to_commit, true AS is_current FROM public."+table,
			"CREATE VIEW changes."+table+" AS SELECT *, 1::bigint AS commit_id, now() AS committed_at, ''::text AS change, '{}'::text[] AS changed_fields, "+
				"'{}'::jsonb AS before FROM public."+table)
	}
	return append(views, "VACUUM ANALYZE")
}

// catalogQueries is P12: what psql and tools ask of the catalog of 200 types.
func catalogQueries(ctx context.Context, l *lab, r *result) error {
	pg, err := testenv.StartPostgres(ctx, settings...)
	if err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	defer pg.Stop()
	ours, err := l.manyTypes(ctx)
	if err != nil {
		return err
	}
	defer ours.stop()
	var clients []*client
	for _, target := range []struct {
		dsn   string
		setup []string
	}{
		{pg.DSN, append(catalogTables(), catalogViews()...)},
		{ours.dsn, append(append([]string{"BEGIN"}, catalogTables()...), "COMMIT")},
		{ours.dsn, []string{"SET ontosql.result_cache = on"}},
	} {
		c, err := dial(ctx, target.dsn)
		if err != nil {
			return err
		}
		defer c.close()
		for _, sql := range target.setup {
			if _, err := c.query(sql); err != nil {
				return err
			}
		}
		clients = append(clients, c)
	}
	return compareCatalogs(l, r, clients)
}

func compareCatalogs(l *lab, r *result, clients []*client) error {
	// The number of a question stands in a comment behind it, or, in a text that no server
	// has met, before it.
	behind, before := "%[1]s -- %[2]d", "/* %[2]d */ %[1]s"
	sides := []struct {
		name, form string
		client     *client
	}{{"PostgreSQL", behind, clients[0]}, {"ontosql", behind, clients[1]}, {"ontosql, kept", behind, clients[2]}, {"ontosql, new text", before, clients[1]}}
	var slowest float64
	var slow string
	for _, q := range inquiries() {
		var all []contender
		rows := make([]int, len(sides))
		for i, side := range sides {
			ask, err := side.client.inquire(q, side.form)
			if err != nil {
				return err
			}
			if rows[i], err = ask(0); err != nil {
				return fmt.Errorf("%s, %s: %w", side.name, q.name, err)
			}
			all = append(all, contender{side.name, each(l.size.questions(20), func(n int) error {
				got, err := ask(n + 1)
				if err == nil && got != rows[i] {
					err = fmt.Errorf("%d rows, %d before", got, rows[i])
				}
				return err
			})})
		}
		if rows[0] == 0 && rows[1] > 0 {
			return fmt.Errorf("%s: PostgreSQL has no rows, ontosql %d", q.name, rows[1])
		}
		found, err := race(l.laps, all...)
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		if ms := milliseconds(found[1].median()); ms > slowest {
			slowest, slow = ms, q.name
		}
		if strings.HasPrefix(q.name, `psql \d customer`) {
			r.atMost(q.name, milliseconds(found[1].median()), "ms", 50)
		}
		r.atMost(q.name+": ontosql / PostgreSQL", found[1].over(found[0]), "x", 2)
		r.note(q.name+": ontosql / PostgreSQL, kept", found[2].over(found[0]), "x")
		r.note(q.name+": ontosql / PostgreSQL, new text", found[3].over(found[0]), "x")
		r.times(q.name+": ", all, found)
	}
	r.atMost("the slowest, "+slow, slowest, "ms", 100)
	return firstCatalogQueries(l, r, clients[1])
}

// firstCatalogQueries takes the time of the first query behind a change of the schema.
func firstCatalogQueries(l *lab, r *result, c *client) error {
	for _, relation := range []string{"pg_class", "information_schema.columns"} {
		var first samples
		for i := range l.laps * 4 {
			for _, sql := range []string{fmt.Sprintf("COMMENT ON TABLE customer IS '%s %d'", relation, i), "SELECT count(*) FROM customer"} {
				if _, err := c.query(sql); err != nil {
					return err
				}
			}
			began := time.Now()
			if _, err := c.query("SELECT count(*) FROM " + relation); err != nil {
				return err
			}
			first = append(first, time.Since(began))
		}
		r.atMost(relation+" after a change of the schema", milliseconds(first.median()), "ms", 50)
	}
	return nil
}

// inquire is a way to make an inquiry, with texts of a form that takes a query and a
// number. It returns how many rows came.
func (c *client) inquire(q inquiry, form string) (func(n int) (int, error), error) {
	oids, err := c.query("SELECT 'customer'::regclass::oid, string_agg(oid::text, ', ') FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'")
	if err != nil {
		return nil, err
	}
	fill := strings.NewReplacer("{customer}", oids[0][0], "{tables}", oids[0][1])
	queries := make([]string, len(q.queries))
	for i, sql := range q.queries {
		queries[i] = fill.Replace(sql)
	}
	return func(n int) (rows int, err error) {
		for _, sql := range queries {
			got, err := c.query(fmt.Sprintf(form, sql, n))
			if err != nil {
				return 0, err
			}
			rows += len(got)
		}
		return rows, nil
	}, nil
}

// manyTypes serves a new ontology, without a type yet. The caller stops it.
func (l *lab) manyTypes(ctx context.Context) (*gateway, error) {
	store, err := l.newDir("store")
	if err != nil {
		return nil, err
	}
	cache, err := l.newDir("cache")
	if err != nil {
		return nil, err
	}
	initialise := exec.CommandContext(ctx, l.binary, "init", "--storage-uri", store)
	initialise.Stderr = os.Stderr
	if err := initialise.Run(); err != nil {
		return nil, fmt.Errorf("init: %w", err)
	}
	return l.serve(ctx, "--storage-uri", store, "--cache-dir", cache)
}
