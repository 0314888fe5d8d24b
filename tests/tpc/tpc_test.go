// Package tpc asks the queries of TPC-H and TPC-DS of types and of ordinary tables, and
// compares the answers with those of PostgreSQL 15 on the same rows.
//
//	make drivers   # installs the generators of the data below .tools
//
// Without them the tests are skipped; they fail where ONTOSQL_TEST_REQUIRE names "drivers".
package tpc

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/gateway/gatewaytest"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/internal/tpc"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// scale makes 60,000 lines of orders in TPC-H and 29,000 sales of stores in TPC-DS.
const scale = 0.01

// refused are queries that PostgreSQL does not run, by benchmark, and why.
var refused = map[string]map[int]string{}

// TestAnswersAsPostgreSQL: numbers, their displayed digits, groups, windows and joins of 121 queries.
func TestAnswersAsPostgreSQL(t *testing.T) {
	python, err := filepath.Abs("../../" + tpc.Python)
	if err == nil {
		_, err = os.Stat(python)
	}
	if err != nil {
		testenv.Require(t, "drivers", fmt.Errorf("no generator: %w", err))
	}
	for _, benchmark := range []string{tpc.H, tpc.DS} {
		t.Run(benchmark, func(t *testing.T) {
			data, err := tpc.Generate(t.Context(), python, benchmark, scale, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			schema := "CREATE SCHEMA " + benchmark + "; SET search_path = " + benchmark
			postgres := loaded(t, testenv.Postgres(t), data, schema)
			run(t, postgres, indexes(data)+"ANALYZE")
			dsn := gate(t)
			compare(t, benchmark, data, postgres, map[string]*pgconn.PgConn{
				"types":           loaded(t, dsn, data, ""),
				"ordinary tables": loaded(t, dsn, data, schema),
			})
		})
	}
}

// indexes are statements that index the keys: without them PostgreSQL takes minutes.
func indexes(data *tpc.Set) string {
	var out strings.Builder
	for _, t := range data.Tables {
		for _, c := range t.Columns {
			if strings.HasSuffix(c.Name, "key") || strings.HasSuffix(c.Name, "_sk") {
				fmt.Fprintf(&out, "CREATE INDEX ON %s (%s); ", t.Name, c.Name)
			}
		}
	}
	return out.String()
}

// gate is a gateway over an empty store, with a mirror.
func gate(t *testing.T) (dsn string) {
	t.Helper()
	bucket := mem.New("tpc")
	if _, err := writepath.Init(t.Context(), bucket, writepath.InitOptions{Engine: "v2"}); err != nil {
		t.Fatal(err)
	}
	g, err := gatewaytest.Open(context.WithoutCancel(t.Context()), gatewaytest.Options{Bucket: bucket, Mirror: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g.Listen(t)
}

// loaded is a connection to a server that has the tables in a schema, which a statement creates
// and chooses, or for "" in the first one.
func loaded(t *testing.T, dsn string, data *tpc.Set, schema string) *pgconn.PgConn {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.WithoutCancel(t.Context())) })
	run(t, c, schema)
	if err := data.Load(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return c
}

func run(t *testing.T, c *pgconn.PgConn, sql string) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// compare asks all queries of the servers.
func compare(t *testing.T, benchmark string, data *tpc.Set, postgres *pgconn.PgConn, ours map[string]*pgconn.PgConn) {
	for i, sql := range data.Queries {
		n := i + 1
		want, err := answer(t.Context(), postgres, sql)
		if why := refused[benchmark][n]; (err != nil) != (why != "") || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("query %d: PostgreSQL says %v, want %q", n, err, why)
			continue
		}
		for over, c := range ours {
			got, failed := answer(t.Context(), c, sql)
			switch {
			case err != nil && failed == nil:
			case failed != nil && err == nil:
				t.Errorf("query %d over %s: %v", n, over, failed)
			case got != want:
				t.Errorf("query %d over %s: got\n%s\nPostgreSQL has\n%s", n, over, head(got), head(want))
			}
		}
	}
}

// answer is the rows of a query as text, in an order of their own: queries leave it open among
// equals.
func answer(ctx context.Context, c *pgconn.PgConn, sql string) (string, error) {
	results, err := c.Exec(ctx, sql).ReadAll()
	if err != nil {
		return "", err
	}
	var lines []string
	for _, r := range results {
		for _, row := range r.Rows {
			var cells []string
			for _, v := range row {
				if v == nil {
					v = []byte("NULL")
				}
				cells = append(cells, string(v))
			}
			lines = append(lines, strings.Join(cells, "|"))
		}
	}
	slices.SortFunc(lines, cmp.Compare)
	return strings.Join(lines, "\n"), nil
}

// head is the first lines of a text.
func head(s string) string {
	lines := strings.SplitN(s, "\n", 12)
	return strings.Join(lines[:min(len(lines), 11)], "\n")
}
