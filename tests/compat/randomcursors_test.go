package compat

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const cursorsVar = "ONTOSQL_CURSORS" // a duration: how long other programs run after those of the suite

var cursorsSeed = flag.Uint64("randomcursors.seed", 0, "the one program that TestRandomCursors is to run")

// TestRandomCursors runs random conversations about cursors beside PostgreSQL: of all kinds,
// in and out of transactions, with savepoints, errors and writes between. It compares rows,
// tags, notices, errors with detail and hint, and the state of the transaction. One program of
// five has cursors whose rows fail; both sides may report that by different statements, and
// nothing is compared but that there is no internal error.
func TestRandomCursors(t *testing.T) {
	ctx := t.Context()
	dsn, gate := postgresShop(t, "compat_cursors"), serveShop(t)
	theirs, ours := connectClient(t, dsn), connectClient(t, gate)
	for _, r := range filling().requests {
		must(t, ctx, theirs.PgConn, r.sql)
		must(t, ctx, ours.PgConn, r.sql)
	}
	loose := false
	fetched := 0
	a := sessions{
		test: "TestRandomCursors", count: 60, steps: 60, only: *cursorsSeed, env: cursorsVar, theirs: dsn, ours: gate,
		begin: []step{
			simple("UPDATE shelf SET note = 'n1' WHERE name = 's1'"),
			simple("CREATE TEMP TABLE w (a int PRIMARY KEY, b text)"),
			simple("INSERT INTO w SELECT g, 'w' || g FROM generate_series(1, 5) AS g"),
		},
		program: func(seed uint64) func(byte) step {
			g := &cursorProgram{generator: &generator{Rand: rand.New(rand.NewPCG(seed, 11))}, fails: seed%5 == 0}
			loose = g.fails
			return g.step
		},
		same: func(s step, theirs, ours []string) string {
			if loose && !internalError(ours) {
				return ""
			}
			return sameLines(s, theirs, ours)
		},
		done: func(s step, theirs []string) {
			if strings.Contains(s.text(), "FETCH") && slices.ContainsFunc(theirs, func(l string) bool { return strings.HasPrefix(l, "  ") }) {
				fetched++
			}
		},
	}
	a.run(t)
	if *cursorsSeed == 0 && fetched < 100 {
		t.Errorf("%d steps fetched rows, fewer than 100", fetched)
	}
}

// cursorProgram writes the steps of one conversation.
type cursorProgram struct {
	*generator
	fails bool
	open  []string // cursors that may be there
	held  []string // those of them that are WITH HOLD
}

var cursorNames = []string{"c", "d", `"C x"`}

func (g *cursorProgram) step(status byte) step {
	g.status, g.failed = status, status == 'E'
	switch n := g.IntN(20); {
	case n < 3:
		parts := make([]string, 2+g.IntN(3))
		for i := range parts {
			parts[i] = g.statement()
		}
		return simple(parts...)
	case n < 5:
		return step{pipeline: true, requests: []request{{sql: g.statement()}}}
	case n < 6:
		return step{pipeline: true, requests: []request{{sql: g.statement()}, {sql: g.statement()}}}
	}
	return simple(g.statement())
}

func (g *cursorProgram) statement() string {
	n := g.IntN(100)
	switch {
	case g.status == 'E' && g.IntN(4) > 0:
		return g.transaction()
	case g.status == 'I' && g.IntN(3) == 0:
		return "BEGIN"
	case n < 7:
		return g.transaction()
	case n < 12 && len(g.open) > 0, n < 40 && len(g.open) == 0:
		return g.declare()
	case n < 80:
		return g.move()
	case n < 83:
		return "CLOSE " + pick(g.generator, append([]string{"ALL", "nothing"}, cursorNames...))
	case n < 87:
		return "SELECT name, is_holdable, is_binary, is_scrollable FROM pg_cursors WHERE name <> '' ORDER BY name"
	case n < 90:
		return pick(g.generator, []string{"SELECT 1 / 0", "SELECT nope", "FETCH", "DECLARE e CURSOR FOR SELECT nope", "DECLARE e CURSOR FOR INSERT INTO w VALUES (1)", "SELECT * FROM nowhere", "INSERT INTO w VALUES (1, 'again')"})
	case n < 93:
		return pick(g.generator, []string{"SET LOCAL TimeZone = 'Asia/Kolkata'", "SET TimeZone = 'UTC'", "SHOW TimeZone", "DEALLOCATE ALL", "EXPLAIN (COSTS OFF) FETCH c", "SELECT pg_listening_channels()"})
	case n < 94:
		return pick(g.generator, []string{"DISCARD TEMP", "DISCARD PLANS", "TRUNCATE w"})
	}
	return pick(g.generator, []string{
		"INSERT INTO w SELECT max(a) + 1, 'new' FROM w", "DELETE FROM w WHERE a = 3", "UPDATE w SET b = b || '.'", "DELETE FROM w",
		"SELECT count(*) FROM w", "UPDATE shelf SET note = 'now' WHERE name = 's1'", "SELECT note FROM shelf WHERE name = 's1'",
		"CREATE TEMP TABLE x AS SELECT 1 AS a", "DROP TABLE x", "DROP TABLE w", "TRUNCATE nowhere",
	})
}

func (g *cursorProgram) transaction() string {
	sql := g.control()
	if strings.HasPrefix(sql, "COMMIT") || sql == "ROLLBACK" {
		g.open = slices.Clone(g.held)
	}
	return sql
}

// control begins, ends and divides transactions.
func (g *cursorProgram) control() string {
	if g.status == 'I' {
		return pick(g.generator, []string{"BEGIN", "BEGIN", "BEGIN ISOLATION LEVEL REPEATABLE READ", "BEGIN READ ONLY", "COMMIT", "SAVEPOINT a"})
	}
	if g.status == 'E' {
		return pick(g.generator, []string{"ROLLBACK", "COMMIT", "ROLLBACK TO a", "ROLLBACK TO a", "ROLLBACK TO b", "RELEASE a"})
	}
	return pick(g.generator, []string{"COMMIT", "COMMIT", "ROLLBACK", "SAVEPOINT a", "SAVEPOINT b", "SAVEPOINT a", "ROLLBACK TO a", "ROLLBACK TO b", "RELEASE a", "RELEASE b", "COMMIT AND CHAIN", "BEGIN"})
}

// cursorQueries are queries whose rows have an order.
var cursorQueries = []string{
	"SELECT g, 'r' || g FROM generate_series(1, 9) AS g", "SELECT * FROM w ORDER BY a", "SELECT a, b, w::text FROM w ORDER BY a DESC", "SELECT sku, title, price, day, tags FROM item ORDER BY sku",
	"SELECT s.name, t.places FROM shelf s JOIN stands t ON t.right_key = s.name ORDER BY 1, 2", "SELECT name, note FROM shelf ORDER BY name", "SELECT count(*) FROM item",
	"SELECT 1 WHERE false", "VALUES (1, 'a'), (2, NULL), (3, 'c')", "SELECT FROM generate_series(1, 4)", "SELECT g FROM generate_series(1, 5000) AS g", "SELECT '2024-01-01 10:00+00'::timestamptz + g * interval '1 day' FROM generate_series(1, 3) AS g",
	"SELECT sum(a) FROM w GROUP BY a ORDER BY a", "WITH q AS (SELECT a FROM w) SELECT a FROM q UNION ALL SELECT 99 ORDER BY 1", "SELECT ARRAY[g, g + 1], repeat('x', g) FROM generate_series(1, 4) AS g", "SELECT a FROM w ORDER BY a LIMIT 2 OFFSET 1",
}

// windowQueries are those that PostgreSQL cannot run backwards.
var windowQueries = []string{
	"SELECT g, row_number() OVER (ORDER BY g) FROM generate_series(1, 9) AS g", "SELECT a, b, row_number() OVER (ORDER BY a) FROM w", "SELECT sku, title, rank() OVER (ORDER BY sku) FROM item",
	"SELECT name, count(*) OVER (ORDER BY name) FROM shelf", "SELECT count(*) FROM item", "SELECT row_number() OVER (ORDER BY g) FROM generate_series(1, 5000) AS g",
}

// failingQueries fail at a row.
var failingQueries = []string{
	"SELECT g, 1 / (g - 3) FROM generate_series(1, 9) AS g", "SELECT 10 / (a - 4), b FROM w ORDER BY a", "SELECT (5 - g)::text::int / (5 - g) FROM generate_series(1, 9) AS g", "SELECT ('x' || b)::int FROM w", "SELECT 1 / (g - 4000), row_number() OVER (ORDER BY g) FROM generate_series(1, 5000) AS g",
}

func (g *cursorProgram) declare() string {
	scroll := pick(g.generator, []string{"SCROLL ", "SCROLL ", "SCROLL ", "NO SCROLL ", ""})
	query := pick(g.generator, cursorQueries)
	if scroll == "" {
		query = pick(g.generator, windowQueries)
	}
	if g.fails && g.IntN(2) == 0 {
		query = pick(g.generator, failingQueries)
	}
	words := pick(g.generator, []string{"", "", "", "INSENSITIVE ", "ASENSITIVE "})
	hold := pick(g.generator, []string{"", "", "WITH HOLD ", "WITH HOLD ", "WITHOUT HOLD "})
	name := pick(g.generator, cursorNames)
	g.open = append(g.open, name)
	if hold == "WITH HOLD " {
		g.held = append(g.held, name)
	}
	return "DECLARE " + name + " " + words + scroll + "CURSOR " + hold + "FOR " + query
}

func (g *cursorProgram) move() string {
	n := pick(g.generator, []int{0, 1, 2, 3, 5, 100, -1, -2, -3, 2500})
	how := pick(g.generator, []string{
		"", "NEXT ", "PRIOR ", "FIRST ", "LAST ", fmt.Sprintf("ABSOLUTE %d ", n), fmt.Sprintf("RELATIVE %d ", n), fmt.Sprintf("%d ", n), fmt.Sprintf("%d ", n), "ALL ",
		"FORWARD ", fmt.Sprintf("FORWARD %d ", n), "FORWARD ALL ", "BACKWARD ", fmt.Sprintf("BACKWARD %d ", n), "BACKWARD ALL ",
	})
	name := pick(g.generator, cursorNames)
	if len(g.open) > 0 && g.IntN(12) > 0 {
		name = pick(g.generator, g.open)
	}
	return pick(g.generator, []string{"FETCH ", "FETCH ", "FETCH ", "MOVE "}) + how + pick(g.generator, []string{"FROM ", "IN ", ""}) + name
}
