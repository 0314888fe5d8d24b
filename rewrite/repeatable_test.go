package rewrite

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/macros"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// TestRepeatable asks of statements whether their answers may be kept, and the
// engine whether it agrees.
func TestRepeatable(t *testing.T) {
	calls := volatileCalls(t)
	for sql, want := range map[string]bool{
		"SELECT * FROM customer": true,
		"SELECT tier, count(*), sum(balance), round(avg(age), 2) FROM customer GROUP BY tier":                          true,
		"SELECT upper(name), text(age), coalesce(tier, '-') FROM customer WHERE name LIKE 'a%' ESCAPE '!'":             true,
		"SELECT to_char(launched, 'YYYY-MM'), extract(year FROM launched), to_char(price, '999.9') FROM product":       true,
		"SELECT to_date(name, 'YYYY-MM-DD'), to_timestamp(name, 'YYYY'), to_timestamp(id) FROM product":                true,
		"SELECT format('%s %I', name, tier), make_interval(days => 3), pg_typeof(age) FROM customer":                   true,
		"SELECT mode() WITHIN GROUP (ORDER BY tier), percentile_disc(0.5) WITHIN GROUP (ORDER BY age) FROM customer":   true,
		"SELECT row_to_json(c), to_jsonb(c) FROM customer c":                                                           true,
		"SELECT json_agg(c), count(c) FROM customer c":                                                                 true,
		"SELECT x, n FROM information_schema._pg_expandarray(ARRAY[1, 2]), customer":                                   true,
		"SELECT * FROM customer, json_each('{\"a\":1}'), json_each_text('{}') t(k, v), jsonb_each_text(attrs) u(k, v)": true,
		"SELECT launched::timestamp AT TIME ZONE 'Europe/Oslo', launched + interval '1 day' FROM product":              true,
		"SELECT extract(year FROM launched) FROM product":                                                              true,
		"SELECT row_number() OVER (ORDER BY id) FROM customer":                                                         true,
		"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY balance) FROM customer":                                    true,
		"SELECT key FROM customer, jsonb_each(attrs)":                                                                  true,
		"SELECT age(launched, DATE '2026-01-01') FROM product":                                                         true,
		"SELECT * FROM as_of.customer(4 + 6) JOIN history.customer h USING (id)":                                       true,
		"WITH c AS (SELECT id FROM customer) SELECT count(*) FROM c, generate_series(1, 3)":                            true,
		"SELECT id FROM customer WHERE random() < 0.5":                                                                 false,
		"SELECT gen_random_uuid(), id FROM customer":                                                                   false,
		"SELECT id FROM customer ORDER BY random()":                                                                    false,
		"SELECT count(*) FROM customer LIMIT 1 + (random() * 3)::int":                                                  false,
		"SELECT id FROM customer WHERE age > (SELECT max(pg_catalog.random()) FROM product)":                           false,
		"WITH c AS (SELECT random() AS x) SELECT * FROM c, customer":                                                   false,
		"SELECT * FROM customer WHERE id = current_user":                                                               true,
		"SELECT * FROM product WHERE launched < current_date":                                                          false,
		"SELECT * FROM product WHERE launched < now()":                                                                 false,
		"SELECT * FROM product WHERE launched < 'yesterday'":                                                           false,
		"SELECT * FROM product WHERE launched::timestamptz < clock_timestamp() - interval '1 day'":                     false,
		"SELECT age(launched) FROM product":                                                                            false,
		"SELECT current_setting('TimeZone'), id FROM customer":                                                         true,
		"SELECT set_config('TimeZone', 'UTC', false) FROM customer":                                                    false,
		"SELECT ontosql.commit_outcome('42-9f3c1d2e') FROM customer":                                                   false,
		"SELECT 'pg_class'::regclass = 1259, id FROM customer":                                                         true,
		"SELECT * FROM customer TABLESAMPLE system (10)":                                                               false,
		"SELECT * FROM customer TABLESAMPLE system (10) REPEATABLE (1)":                                                true,
		"SELECT format_type(25, -1), id FROM customer":                                                                 true,
		"SELECT current_database(), current_schemas(true), version(), id FROM customer":                                true,
		"SELECT age('7'::xid), id FROM customer":                                                                       true,
		"SELECT current_setting(name), id FROM customer":                                                               false,
		"SELECT pg_postmaster_start_time(), inet_client_addr(), id FROM customer":                                      true,
		"SELECT pg_backend_pid(), txid_current(), id FROM customer":                                                    true,
		"SELECT * FROM as_of.customer(current_user)":                                                                   false,
		"SELECT * FROM as_of.customer(now()::text)":                                                                    false,
		"SELECT * FROM as_of.customer(CURRENT_TIMESTAMP::text)":                                                        false,
		"SELECT * FROM as_of.customer((random() * 3)::int)":                                                            false,
	} {
		sc, out, err := rewritetest.Bind(sql, nil)
		switch {
		case sc == nil:
			t.Errorf("%s: %v", sql, err)
		case sc.Repeatable != want:
			t.Errorf("%s: repeatable is %t, want %t", sql, sc.Repeatable, want)
		case want && calls(out):
			t.Errorf("%s is said to be repeatable and asks the engine for %s", sql, out)
		}
	}
}

// volatileCalls reports of SQL that this room prints whether it calls, by itself
// or in a macro, a function that is volatile for the engine.
func volatileCalls(t *testing.T) func(sql string) bool {
	t.Helper()
	engine, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	conn, err := engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	volatile := map[string]bool{}
	const ask = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE stability <> 'CONSISTENT'"
	if err := conn.Each(t.Context(), ask, nil, func(b *column.Batch, i int) { volatile[string(b.Cols[0].Str[i])] = true }); err != nil {
		t.Fatal(err)
	}
	delete(volatile, "error") // ends the statement
	bodies := map[string]string{}
	for _, m := range macros.Macros() {
		head, body, _ := strings.Cut(strings.TrimPrefix(m, "CREATE OR REPLACE MACRO "), ") AS ")
		name, _, _ := strings.Cut(head, "(")
		bodies[name] = body
	}
	word := regexp.MustCompile(`[a-z_][a-z0-9_.]*\(`)
	var calls func(sql string) bool
	calls = func(sql string) bool {
		return slices.ContainsFunc(word.FindAllString(sql, -1), func(w string) bool {
			w = strings.TrimSuffix(w, "(")
			return volatile[w] || bodies[w] != "" && calls(bodies[w])
		})
	}
	return calls
}

// TestVolatileFunctionsAreMarked holds the tables against what the engine says of
// the functions that they call.
func TestVolatileFunctionsAreMarked(t *testing.T) {
	calls := volatileCalls(t)
	marked := 0
	for _, table := range []map[string][]functions.Signature{functions.ByName, functions.Operators} {
		for _, overloads := range table {
			for _, s := range overloads {
				if got := calls(expression.CallText(&s, make([]scope.Expr, len(s.Args))) + s.Wrap); got != s.Volatile {
					t.Errorf("%s: marked volatile is %t, by what it calls in the engine it is %t", s.Name, s.Volatile, got)
				}
				if s.Volatile {
					marked++
				}
				if s.Volatile != macros.Volatile[s.Name] {
					t.Errorf("%s: marked volatile is %t, among those that a macro may not call twice it is %t", s.Name, s.Volatile, !s.Volatile)
				}
			}
		}
	}
	if marked == 0 {
		t.Error("no function is marked volatile, random() at least is")
	}
}
