package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/tests/compat/corpus"
)

// inquiry is what a client does at one go: some queries one after the other.
type inquiry struct {
	client  string
	name    string
	queries []string
}

// psqlInquiries are psql's commands.
func psqlInquiries() []inquiry {
	var all []inquiry
	for _, c := range corpus.Psql() {
		q := inquiry{client: "psql", name: c.Name}
		for _, st := range c.Queries {
			q.queries = append(q.queries, st.SQL)
		}
		all = append(all, q)
	}
	return all
}

// ofCatalog is in what asks for the catalog.
var ofCatalog = regexp.MustCompile(`(?is)^(select|with)\b.*\b(pg_[a-z]|information_schema)`)

// withEffect is in what has an effect on other sessions, such as a lock that the next
// contender would wait for.
var withEffect = regexp.MustCompile(`(?i)\bpg_(try_|notify|sleep|cancel_|terminate_|advisory_)`)

// toolInquiries are the queries of the corpora that ask for the catalog, one by one.
func toolInquiries() ([]inquiry, error) {
	files, err := fs.Glob(corpus.Tools, "bi/*/*.sql")
	if err != nil {
		return nil, err
	}
	var all []inquiry
	for _, file := range files {
		text, err := fs.ReadFile(corpus.Tools, file)
		if err != nil {
			return nil, err
		}
		for _, st := range corpus.Statements(string(text)) {
			if ofCatalog.MatchString(st.SQL) && !withEffect.MatchString(st.SQL) {
				name := fmt.Sprintf("%s:%d", strings.TrimPrefix(file, "bi/"), st.Line)
				all = append(all, inquiry{path.Base(path.Dir(file)), name, []string{st.SQL}})
			}
		}
	}
	return all, nil
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
		// Those that the corpora speak of.
		"CREATE TABLE item (sku bigint PRIMARY KEY, added timestamptz, code uuid, day date, price numeric, raw bytea, sold boolean, " +
			"stock bigint, tags jsonb, title text NOT NULL, weight double precision)",
		"CREATE TABLE shelf (name text PRIMARY KEY, height bigint NOT NULL, note text)",
		"CREATE TABLE stands (left_key bigint REFERENCES item, right_key text REFERENCES shelf, slot text, places bigint NOT NULL, since date, " +
			"PRIMARY KEY (left_key, right_key, slot))",
		"CREATE TABLE owns (left_key text REFERENCES shelf, right_key bigint REFERENCES item, share double precision, PRIMARY KEY (left_key, right_key))",
	}
	for i := range catalogEntities - 3 {
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
	for i := range catalogRelations - 2 {
		tables = append(tables, fmt.Sprintf("CREATE TABLE link_%02d (left_key text REFERENCES entity_%03d, right_key bigint REFERENCES entity_%03d, "+
			"since date, weight double precision, note text, PRIMARY KEY (left_key, right_key))", i, 2*i+1, 2*i+2))
	}
	return tables
}

// catalogViews are views such as ontosql has of every type, so that both catalogs
// have as much to tell.
func catalogViews() []string {
	views := []string{"CREATE SCHEMA history", "CREATE SCHEMA changes", "CREATE SCHEMA blame"}
	for _, sql := range catalogTables() {
		table := strings.Fields(sql)[2]
		views = append(views,
			"CREATE VIEW history."+table+" AS SELECT *, 1::bigint AS commit_id, now() AS committed_at, now() AS valid_from, now() AS valid_to, "+
				"1::bigint AS valid_to_commit, true AS is_current FROM public."+table,
			"CREATE VIEW changes."+table+" AS SELECT *, 1::bigint AS commit_id, now() AS committed_at, ''::text AS change, '{}'::text[] AS changed_fields, "+
				"'{}'::jsonb AS before FROM public."+table,
			"CREATE VIEW blame."+table+" AS SELECT *, ''::text AS column_name, '{}'::jsonb AS value, 1::bigint AS commit_id, now() AS committed_at, "+
				"''::text AS actor, ''::text AS message FROM public."+table)
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
		c, err := dialAlone(ctx, target.dsn)
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

// catalogSide is a server that answers the queries, and how they are sent: with the number of
// the query in a comment behind it, or before it for a text that the server has not seen.
type catalogSide struct {
	name, form string
	client     *client
}

func compareCatalogs(l *lab, r *result, clients []*client) error {
	behind, before := "%[1]s -- %[2]d", "/* %[2]d */ %[1]s"
	sides := []catalogSide{
		{"PostgreSQL", behind, clients[0]},
		{"ontosql", behind, clients[1]},
		{"ontosql, kept", behind, clients[2]},
		{"ontosql, new text", before, clients[1]},
	}
	for _, q := range psqlInquiries() {
		all, found, err := raceOf(l, q, sides, 20)
		if err != nil {
			return err
		}
		if strings.HasPrefix(q.name, `\d customer`) {
			r.atMost("psql "+q.name, milliseconds(found[1].median()), "ms", 50)
		}
		name := "psql " + q.name + ": ontosql / PostgreSQL"
		r.atMost(name, found[1].over(found[0]), "x", 2)
		r.atMost(name+", kept", found[2].over(found[0]), "x", 2)
		r.note(name+", new text", found[3].over(found[0]), "x")
		r.times("psql "+q.name+": ", all, found)
	}
	if err := compareTools(l, r, sides[:3]); err != nil {
		return err
	}
	return firstCatalogQueries(l, r, clients[1])
}

// compareTools sends each query of each tool, and reports per tool the sum of the times and the
// worst ratio.
func compareTools(l *lab, r *result, sides []catalogSide) error {
	inquiries, err := toolInquiries()
	if err != nil {
		return err
	}
	type tool struct {
		asked, refused int
		took           []time.Duration // of all together, by side
		worst          []float64       // ratio to PostgreSQL, by side
		named          []string
	}
	tools := map[string]*tool{}
	var slowest time.Duration
	slow := ""
	within := make([]int, len(sides))
	asked := 0
	for _, q := range inquiries {
		t := tools[q.client]
		if t == nil {
			t = &tool{took: make([]time.Duration, len(sides)), worst: make([]float64, len(sides)), named: make([]string, len(sides))}
			tools[q.client] = t
		}
		_, found, err := raceOf(l, q, sides, 10)
		if errors.Is(err, errRefused) { // by both: an error is the answer
			t.refused++
			continue
		}
		if err != nil {
			return err
		}
		asked++
		t.asked++
		for i := range sides {
			t.took[i] += found[i].median()
			ratio := found[i].over(found[0])
			if ratio <= 2 {
				within[i]++
			}
			if ratio > t.worst[i] {
				t.worst[i], t.named[i] = ratio, q.name
			}
		}
		if took := found[1].median(); took > slowest {
			slowest, slow = took, q.name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		t := tools[name]
		what := fmt.Sprintf("%s, %d queries", name, t.asked)
		if t.refused > 0 {
			what += fmt.Sprintf(" (and %d refused)", t.refused)
		}
		for i := range sides[1:] {
			side := sides[i+1].name
			r.note(fmt.Sprintf("%s: %s / PostgreSQL, together", what, side), float64(t.took[i+1])/float64(t.took[0]), "x")
			r.atMost(fmt.Sprintf("%s: %s / PostgreSQL, worst (%s)", what, side, t.named[i+1]), t.worst[i+1], "x", 2)
		}
	}
	for i := range sides[1:] {
		r.note(fmt.Sprintf("of %d queries of tools, those within 2x of PostgreSQL, %s", asked, sides[i+1].name), float64(within[i+1]), "")
	}
	r.atMost("the slowest, "+slow, milliseconds(slowest), "ms", 100)
	return nil
}

// errRefused is the error of a query that a server refuses.
var errRefused = errors.New("refused")

// raceOf lets the sides answer an inquiry in turn, so many times each.
func raceOf(l *lab, q inquiry, sides []catalogSide, times int) (all []contender, found []samples, err error) {
	for _, side := range sides {
		ask, err := side.client.inquire(q, side.form)
		if err != nil {
			return nil, nil, err
		}
		rows, err := ask(0)
		if err != nil {
			return nil, nil, fmt.Errorf("%s, %s: %w: %w", side.name, q.name, errRefused, err)
		}
		all = append(all, contender{side.name, each(l.size.questions(times), func(n int) error {
			got, err := ask(n + 1)
			if err == nil && got != rows {
				err = fmt.Errorf("%d rows, %d before", got, rows)
			}
			return err
		})})
	}
	found, err = race(l.laps, all...)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", q.name, err)
	}
	return all, found, nil
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
	oids, err := c.query("SELECT CASE WHEN relkind = 'v' THEN 'history.' ELSE '' END || relname, oid FROM pg_class " +
		"WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' OR relnamespace = 'history'::regnamespace " +
		"UNION ALL SELECT 'database', oid FROM pg_database WHERE datname = current_database()")
	if err != nil {
		return nil, err
	}
	var pairs []string
	for _, row := range oids {
		pairs = append(pairs, "{"+row[0]+"}", row[1])
	}
	fill := strings.NewReplacer(pairs...)
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
