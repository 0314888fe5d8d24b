package gateway_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/sqlite/sqlitetest"
)

// sentEvents are the events of a namespace, in the order of delivery: type, payload, priority, depth.
// On a bucket those of commits are put beside the answer, so it waits for them.
func (h *house) sentEvents(t *testing.T, namespace string, want int) (all []string) {
	t.Helper()
	for wait := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		listed, err := h.db.Events.List(t.Context(), eventbus.Query{Namespace: namespace})
		if err != nil {
			t.Fatal(err)
		}
		all = nil
		for _, e := range listed {
			all = append(all, fmt.Sprint(e.Type, " ", string(e.Payload), " ", e.Priority, " ", e.ChainDepth))
		}
		if len(all) >= want || time.Now().After(wait) {
			return all
		}
	}
}

// TestEnqueue: an event is sent if and only if its transaction commits.
func TestEnqueue(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *house{
		"bucket": func(t *testing.T) *house { return newHouse(t, nil) },
		"directory": func(t *testing.T) *house {
			disk, err := dir.Open(t.TempDir(), dir.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := demo.Fill(t.Context(), disk, nil); err != nil {
				t.Fatal(err)
			}
			return newHouse(t, disk)
		},
		"sqlite": func(t *testing.T) *house { return fileHouse(t, sqlitetest.Fixture(t, sqlitetest.FileV1), false) },
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			s := h.session(t, "onto")
			total := 0
			expect := func(story string, want ...string) {
				t.Helper()
				got := h.sentEvents(t, "default", total+len(want))
				slices.Sort(got)
				for _, w := range want {
					if !slices.Contains(got, w) {
						t.Errorf("%s: %q was not sent", story, w)
					}
				}
				if total += len(want); len(got) != total {
					t.Errorf("%s: %d events %q, want %d", story, len(got), got, total)
				}
			}
			must(t, s, "CREATE TABLE ev (k text PRIMARY KEY, n int)")
			id := must(t, s, `SELECT ontosql.enqueue('order.placed', '{"a": 1}')::text`)
			if len(id) != 1 || len(id[0]) != 36 {
				t.Fatalf("the id is %q", id)
			}
			expect("autocommit", `order.placed {"a":1} 100 0`)
			must(t, s, `SELECT ontosql.enqueue('x', '{}', priority => 5), ontosql.enqueue('y', '{}', 'default', 7)`)
			expect("two calls", `x {} 5 0`, `y {} 7 0`)
			must(t, s, `SELECT ontosql.enqueue(type => 'named', payload => jsonb_build_object('n', n)) FROM generate_series(1, 3) AS g(n)`)
			expect("rows", `named {"n":1} 100 0`, `named {"n":2} 100 0`, `named {"n":3} 100 0`)
			must(t, s, `SELECT ontosql.enqueue('none', '{}') FROM generate_series(1, 0)`)
			must(t, s, `SELECT ontosql.enqueue('limited', '{}') FROM generate_series(1, 5) LIMIT 2`)
			expect("LIMIT", `limited {} 100 0`, `limited {} 100 0`)

			// As PostgreSQL calls it whether or not the query around it uses what it returns.
			const two = "generate_series(1, 2) AS g(n)"
			for what, sql := range map[string]string{
				"an unused column":        `SELECT count(*) FROM (SELECT ontosql.enqueue('unused', '{}') AS id, n FROM ` + two + `) AS q`,
				"a condition":             `SELECT true FROM (SELECT ontosql.enqueue('unused', '{}') AS id, n FROM ` + two + `) AS q WHERE n > 0 OR n = -1`,
				"a part of the rows":      `SELECT n FROM (SELECT ontosql.enqueue('unused', '{}') AS id, n FROM generate_series(1, 5) AS g(n)) AS q WHERE n <= 2`,
				"WITH":                    `WITH q AS (SELECT ontosql.enqueue('unused', '{}') AS id FROM ` + two + `) SELECT count(*) FROM q`,
				"a subquery of one":       `SELECT count(*) FROM (SELECT id FROM (SELECT ontosql.enqueue('unused', '{}') AS id FROM ` + two + `) AS a) AS b`,
				"UNION ALL":               `SELECT count(*) FROM (SELECT ontosql.enqueue('unused', '{}') AS id UNION ALL SELECT ontosql.enqueue('unused', '{}')) AS q`,
				"a join":                  `SELECT count(*) FROM ` + two + ` LEFT JOIN (SELECT ontosql.enqueue('unused', '{}') AS id, m FROM generate_series(2, 3) AS h(m)) AS q ON q.m = n + 10 OR true GROUP BY ()`,
				"a used one":              `SELECT q.id IS NULL FROM (SELECT ontosql.enqueue('unused', '{}') AS id FROM generate_series(1, 5)) AS q LIMIT 2`,
				"of an expression with *": `SELECT q.* FROM (SELECT upper(ontosql.enqueue('unused', '{}')::text) AS id FROM ` + two + `) AS q`,
			} {
				must(t, s, sql)
				expect(what, `unused {} 100 0`, `unused {} 100 0`)
			}
			must(t, s, `SELECT count(*) FROM `+two+`, ontosql.enqueue('alone', '{}')`)
			expect("FROM", `alone {} 100 0`)
			refused(t, s, pgerr.FeatureNotSupported, `SELECT count(*) FROM `+two+`, LATERAL ontosql.enqueue('each', jsonb_build_object('n', n))`)
			must(t, s, "BEGIN")
			must(t, s, `INSERT INTO ev VALUES ('a', 1)`)
			must(t, s, `SELECT ontosql.enqueue('kept', '{}')`)
			must(t, s, "SAVEPOINT p")
			must(t, s, `SELECT ontosql.enqueue('dropped', '{}')`)
			must(t, s, "ROLLBACK TO p")
			must(t, s, `SELECT ontosql.enqueue('kept later', to_jsonb(ev)) FROM ev`)
			expect("before COMMIT")
			must(t, s, "COMMIT")
			expect("COMMIT", `kept {} 100 0`, `kept later {"k":"a","n":1} 100 0`)
			must(t, s, "BEGIN")
			must(t, s, `SELECT ontosql.enqueue('rolled back', '{}')`)
			must(t, s, "ROLLBACK")
			must(t, s, "BEGIN")
			must(t, s, `SELECT ontosql.enqueue('failed', '{}')`)
			refused(t, s, "22012", "SELECT 1 / 0")
			must(t, s, "COMMIT")
			expect("ROLLBACK and a failed transaction")
			refused(t, s, "22012", "SELECT ontosql.enqueue('failed', '{}'), 1 / n FROM generate_series(0, 1) AS g(n)")
			must(t, s, "SELECT 1")
			expect("a statement that fails")

			must(t, s, "BEGIN")
			must(t, s, `SELECT ontosql.enqueue('one', '{}')`)
			must(t, s, `SELECT ontosql.enqueue('two', '{}')`)
			must(t, s, "COMMIT")
			expect("events alone", `one {} 100 0`, `two {} 100 0`)

			h.ending = true
			must(t, s, `INSERT INTO ev VALUES ('b', 2) RETURNING ontosql.enqueue('ev.made', jsonb_build_object('k', k))`)
			expect("RETURNING", `ev.made {"k":"b"} 100 0`)
			must(t, s, `WITH w AS (INSERT INTO ev VALUES ('c', 3) RETURNING k) SELECT ontosql.enqueue('ev.made', to_jsonb(w)) FROM w`)
			expect("WITH", `ev.made {"k":"c"} 100 0`)
			refused(t, s, "23505", `INSERT INTO ev VALUES ('c', 3) RETURNING ontosql.enqueue('ev.made twice', '{}')`)
			expect("a refused INSERT")

			parent := must(t, s, `SELECT ontosql.enqueue('chain', '{}')::text`)[0]
			must(t, s, `SELECT ontosql.enqueue('chain', '{}', parent => '`+parent+`')`)
			must(t, s, `WITH RECURSIVE r AS (SELECT 1) SELECT ontosql.enqueue('other', '{}', 'elsewhere')`)
			expect("a parent", `chain {} 100 0`, `chain {} 100 1`)
			must(t, s, "BEGIN")
			own := must(t, s, `SELECT ontosql.enqueue('own', '{}')::text`)[0]
			for range eventbus.MaxDepth {
				own = must(t, s, `SELECT ontosql.enqueue('own', '{}', parent => '`+own+`')::text`)[0]
			}
			refused(t, s, pgerr.StatementTooComplex, `SELECT ontosql.enqueue('own', '{}', parent => '`+own+`')`)
			must(t, s, "ROLLBACK")

			for code, sql := range map[string]string{
				pgerr.ForeignKeyViolation:       `SELECT ontosql.enqueue('x', '{}', parent => gen_random_uuid())`,
				pgerr.InvalidParameterValue:     `SELECT ontosql.enqueue('x', '[1]')`,
				pgerr.UntranslatableCharacter:   `SELECT ontosql.enqueue('x', '{"a": "\u0000"}')`,
				pgerr.NullValueNotAllowed:       `SELECT ontosql.enqueue(NULL, '{}')`,
				pgerr.InvalidTextRepresentation: `SELECT ontosql.enqueue('x', 'no json')`,
				pgerr.UndefinedFunction:         `SELECT ontosql.enqueue('x')`,
			} {
				refused(t, s, code, sql)
			}
			refused(t, s, pgerr.InvalidParameterValue, `SELECT ontosql.enqueue('', '{}')`)
			if name != "sqlite" { // a key of a bucket cannot have it
				refused(t, s, pgerr.InvalidParameterValue, `SELECT ontosql.enqueue('x', '{}', '../x')`)
			}
			must(t, s, "BEGIN READ ONLY")
			refused(t, s, pgerr.ReadOnlySQLTransaction, `SELECT ontosql.enqueue('x', '{}')`)
			must(t, s, "ROLLBACK")
			refused(t, h.session(t, "onto@1"), pgerr.ReadOnlySQLTransaction, `SELECT ontosql.enqueue('x', '{}')`)
			must(t, s, "PREPARE p(text, jsonb) AS SELECT ontosql.enqueue($1, $2, priority => 1)")
			must(t, s, `EXECUTE p('prepared', '{"p": true}')`)
			must(t, s, `EXECUTE p('prepared', '{"p": true}')`)
			must(t, s, "SELECT ontosql.enqueue($1, $2, priority => $3)", "given", `{"g": [1]}`, "9")
			expect("prepared", `prepared {"p":true} 1 0`, `prepared {"p":true} 1 0`, `given {"g":[1]} 9 0`)
			answers(t, s, `SELECT pg_get_function_arguments(oid), pg_get_function_result(oid), provolatile FROM pg_proc WHERE proname = 'enqueue'`,
				"type text, payload jsonb, namespace text DEFAULT NULL::text, priority integer DEFAULT NULL::integer, parent uuid DEFAULT NULL::uuid|uuid|v")
		})
	}
}

// TestEnqueueRunsAgain: a statement that is run again after a conflict sends the events of the run that
// commits.
func TestEnqueueRunsAgain(t *testing.T) {
	h := newHouse(t, nil)
	h.ending = true
	must(t, h.session(t, "onto"), "CREATE TABLE counter (k text PRIMARY KEY, n int)")
	must(t, h.session(t, "onto"), "INSERT INTO counter VALUES ('a', 0)")
	const writers, times = 4, 5
	var all sync.WaitGroup
	for range writers {
		s := h.session(t, "onto")
		all.Go(func() {
			for range times {
				if _, err := ask(t, s, "UPDATE counter SET n = n + 1 WHERE k = 'a' RETURNING ontosql.enqueue('counted', jsonb_build_object('n', n))"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got := h.sentEvents(t, "default", writers*times)
	for n := 1; n <= writers*times; n++ {
		if i := slices.Index(got, fmt.Sprintf(`counted {"n":%d} 100 0`, n)); i < 0 {
			t.Errorf("no event of %d", n)
		}
	}
	if len(got) != writers*times {
		t.Errorf("%d events, want %d", len(got), writers*times)
	}
}

// TestEnqueueWithTheWorkspace: events are of the ontology, which cannot commit together with ordinary
// tables.
func TestEnqueueWithTheWorkspace(t *testing.T) {
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	must(t, s, "CREATE SCHEMA w")
	must(t, s, "CREATE TABLE w.t (n int)")
	for _, both := range [][]string{
		{`SELECT ontosql.enqueue('x', '{}')`, "INSERT INTO w.t VALUES (1)"},
		{"INSERT INTO w.t VALUES (1)", `SELECT ontosql.enqueue('x', '{}')`},
	} {
		must(t, s, "BEGIN")
		must(t, s, both[0])
		refused(t, s, pgerr.FeatureNotSupported, both[1])
		must(t, s, "ROLLBACK")
	}
	refused(t, s, pgerr.FeatureNotSupported, `INSERT INTO w.t VALUES (1) RETURNING ontosql.enqueue('x', '{}')`)
	answers(t, s, "SELECT count(*) FROM w.t", "0")
	if got := h.sentEvents(t, "default", 0); len(got) > 0 {
		t.Errorf("sent: %q", got)
	}
}
