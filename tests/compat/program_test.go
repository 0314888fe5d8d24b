package compat

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes the statements of one client, which starts with an empty shop: in and out of
// transactions, valid and invalid. A statement has one fault at most, because the order in
// which PostgreSQL reports several is undefined.
type generator struct {
	*rand.Rand
	onConflict string    // ontosql.on_conflict; PostgreSQL is given the clause
	fresh      int       // keys given out that no statement had before
	status     byte      // of the transaction, as far as it is known
	failed     bool      // it was when the step began
	savepoints []string  // that were made in it
	prepared   []request // executions of prepared statements
}

func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 6)), fresh: 100}
	g.onConflict = pick(g, []string{"error", "error", "error", "error", "update", "nothing"})
	return g
}

// pick is one of the values.
func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

// some are n different ones of the values, or all.
func some[T any](g *generator, from []T, n int) (out []T) {
	for _, i := range g.Perm(len(from))[:min(n, len(from))] {
		out = append(out, from[i])
	}
	return out
}

// filling is what every program begins with.
func filling() step {
	return simple(
		"INSERT INTO item (sku, title, stock, price, sold, day, tags) SELECT n, 'T' || n, n * 2, n + 0.5, n % 2 = 0, '2024-01-31'::date + n::int, jsonb_build_object('a', n) FROM generate_series(1, 6) AS n",
		"INSERT INTO shelf VALUES ('s1', 1, 'n1'), ('s2', 2, NULL), ('s3', 3, 'x'), ('s4', 4, 'n4')",
		"INSERT INTO stands VALUES (1, 's1', 'a', 1, NULL), (1, 's1', 'b', 2, '2024-02-02'), (2, 's3', 'a', 3, '2024-02-01'), (3, 's9', 'a', 4, NULL)",
		"INSERT INTO owns VALUES ('s1', 1, 0.5), ('s2', 1, NULL), ('s3', 4, 0.25)",
	)
}

// step is the next thing a client sends, who knows the status of the transaction.
func (g *generator) step(status byte) step {
	g.status, g.failed = status, status == 'E'
	n := g.IntN(100)
	if status == 'E' {
		n /= 2
	}
	switch {
	case n < 3:
		return simple(pick(g, []string{
			"SET LOCAL TimeZone = 'Asia/Kolkata'", "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "SET TRANSACTION READ ONLY", "SET TRANSACTION READ WRITE",
		}))
	case n < 26:
		return simple(g.control())
	case n < 36:
		parts := make([]string, 2+g.IntN(3))
		for i := range parts {
			parts[i] = g.statement()
			if g.IntN(5) == 0 {
				parts[i] = g.control()
			}
		}
		return simple(parts...)
	case n < 39 && g.onConflict == "error":
		return g.copy()
	case n < 46:
		return g.pipeline(2 + g.IntN(3))
	case n < 60:
		return g.pipeline(1)
	}
	return simple(g.statement())
}

// statement reads or writes.
func (g *generator) statement() string {
	switch n := g.IntN(100); {
	case n < 24:
		return g.read()
	case n < 27:
		return g.nonsense()
	case n < 55:
		return g.insert()
	case n < 60:
		return g.insertSelect()
	case n < 88:
		return g.update()
	}
	return g.merge()
}

// control begins, ends and divides transactions.
func (g *generator) control() string {
	switch n := g.IntN(100); {
	case n < 8: // in every state of the transaction
		return pick(g, []string{"BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT a", "RELEASE a", "ROLLBACK TO a", "COMMIT AND NO CHAIN"})
	case n < 10 && !g.failed:
		return pick(g, []string{"COMMIT AND CHAIN", "ROLLBACK AND CHAIN"})
	case n < 16:
		return pick(g, []string{
			"SHOW transaction_isolation", "SHOW transaction_read_only", "SHOW TimeZone", "SET TimeZone = 'Europe/Berlin'", "SET TimeZone = 'UTC'",
		})
	case g.status == 'I':
		g.status, g.savepoints = 'T', nil
		return pick(g, []string{
			"BEGIN", "BEGIN", "BEGIN", "BEGIN WORK", "START TRANSACTION", "BEGIN ISOLATION LEVEL SERIALIZABLE", "START TRANSACTION ISOLATION LEVEL REPEATABLE READ",
			"BEGIN READ ONLY", "BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE",
		})
	case n < 50:
		g.savepoints = nil
		if !g.failed && g.IntN(6) == 0 { // what a failed one is followed by is PostgreSQL's secret
			return pick(g, []string{"COMMIT AND CHAIN", "ROLLBACK AND CHAIN", "END AND CHAIN"})
		}
		g.status = 'I'
		return pick(g, []string{"COMMIT", "COMMIT", "END", "COMMIT WORK", "COMMIT", "ROLLBACK", "ABORT"})
	case n < 72 && g.status == 'T' || len(g.savepoints) == 0:
		name := pick(g, []string{"a", "a", "b", "c", "\"A\""})
		g.savepoints = append(g.savepoints, name)
		return "SAVEPOINT " + name
	}
	name := pick(g, append([]string{"none"}, g.savepoints...))
	if g.status == 'T' && g.IntN(3) == 0 {
		return pick(g, []string{"RELEASE ", "RELEASE SAVEPOINT "}) + name
	}
	g.status = 'T'
	return pick(g, []string{"ROLLBACK TO ", "ROLLBACK TO SAVEPOINT ", "ROLLBACK WORK TO SAVEPOINT "}) + name
}

// read sees what the transaction wrote and what was committed. Its rows have an
// order.
func (g *generator) read() string {
	n := 1 + g.IntN(6)
	return pick(g, []string{
		"SELECT * FROM item ORDER BY sku DESC LIMIT 5",
		"SELECT count(*), count(price), sum(stock), min(title), max(day), bool_and(sold) FROM item",
		"SELECT * FROM shelf ORDER BY name DESC LIMIT 5",
		"SELECT count(*), sum(height), max(note) FROM shelf",
		"SELECT i.title, s.height, t.places FROM stands t JOIN item i ON i.sku = t.left_key JOIN shelf s ON s.name = t.right_key ORDER BY 1, 2, 3 LIMIT 5",
		"WITH tall AS (SELECT name FROM shelf WHERE height > 2) SELECT count(*) FROM tall",
		"SELECT left_key, right_key, slot, places, since FROM stands ORDER BY 1 DESC, 2, 3 LIMIT 5",
		"SELECT sku FROM item i WHERE NOT EXISTS (SELECT 1 FROM stands s WHERE s.left_key = i.sku) ORDER BY sku LIMIT 3",
		"SELECT sold, count(*) FROM item GROUP BY sold ORDER BY sold",
		fmt.Sprintf("SELECT * FROM item WHERE sku = %d", n),
		fmt.Sprintf("SELECT title, stock FROM item WHERE sku IN (%d, %d, 101, 102) ORDER BY sku", n, n+2),
		fmt.Sprintf("SELECT * FROM shelf WHERE name = 's%d'", n),
		fmt.Sprintf("SELECT * FROM stands WHERE left_key = %d AND right_key = 's1' ORDER BY slot", n),
		"SELECT o.left_key, o.right_key, o.share, s.note, i.price FROM owns o LEFT JOIN shelf s ON s.name = o.left_key LEFT JOIN item i ON i.sku = o.right_key ORDER BY 1, 2",
		"SELECT s.name, count(t.slot), sum(t.places) FROM shelf s LEFT JOIN stands t ON t.right_key = s.name GROUP BY s.name ORDER BY s.name",
		"SELECT sku, tags -> 'a', tags ->> 'n' FROM item WHERE tags IS NOT NULL ORDER BY sku LIMIT 6",
		"SELECT sku, (SELECT max(places) FROM stands WHERE left_key = sku), rank() OVER (ORDER BY stock NULLS FIRST, sku) FROM item ORDER BY sku LIMIT 6",
		"SELECT name FROM shelf UNION SELECT right_key FROM stands ORDER BY 1",
	})
}

// nonsense has a fault that is found before anything runs.
func (g *generator) nonsense() string {
	return pick(g, []string{
		"SELECT 1 / 0", "SELECT nope FROM item", "INSERT INTO nowhere VALUES (1)", "SELEC 1", "INSERT INTO item (sku, nope) VALUES (1, 2)",
		"INSERT INTO shelf VALUES ('a', 1, 'b', 'c')", "INSERT INTO shelf (name, name) VALUES ('a', 'b')", "INSERT INTO shelf (name, height) VALUES ('a')",
		"INSERT INTO shelf (name, height) VALUES ('v', 1), ('w')", "SHOW transaction_isolation_", "",
		"UPDATE nowhere SET a = 1", "UPDATE item SET nope = 1", "UPDATE item SET stock = 1, stock = 2", "UPDATE item SET (stock, title) = (1)", "UPDATE shelf SET note = 'x' WHERE nope = 1",
		"UPDATE item SET stock = 1 WHERE title", "INSERT INTO shelf VALUES ('s1', 1) ON CONFLICT (height) DO NOTHING", "INSERT INTO shelf VALUES ('s1', 1) ON CONFLICT DO UPDATE SET height = 1",
		"INSERT INTO shelf VALUES ('s1', 1) ON CONFLICT (name) DO UPDATE SET height = height", "INSERT INTO stands VALUES (1, 's1', 'a', 1) ON CONFLICT (left_key) DO NOTHING",
		"MERGE INTO shelf USING item ON name = title WHEN MATCHED THEN UPDATE SET nope = 1", "MERGE INTO shelf s USING item i ON true WHEN NOT MATCHED THEN INSERT (name) VALUES (s.name)",
		"RELEASE nothing", "ROLLBACK TO nothing", "INSERT INTO shelf VALUES ('x', 1) RETURNING nope", "SELECT * FROM item WHERE sku = 'x'",
	})
}

// returning is a RETURNING, or none.
func (g *generator) returning(tab shopTable) string {
	if g.IntN(3) > 0 {
		return ""
	}
	return " RETURNING " + pick(g, tab.shown)
}

// key returns the key values of a row: one of a few, so that rows conflict, or a new one.
func (g *generator) key(tab shopTable, fresh bool) []string {
	n, m := 1+g.IntN(9), 1+g.IntN(6)
	if fresh {
		g.fresh++
		n, m = g.fresh, g.fresh
	}
	shelf, slot := fmt.Sprintf("'s%d'", m), pick(g, []string{"'a'", "'b'", "'ü'"})
	switch tab.name {
	case "item":
		return []string{fmt.Sprint(n)}
	case "shelf":
		return []string{shelf}
	case "owns":
		return []string{shelf, fmt.Sprint(n)}
	}
	if !fresh {
		n = 1 + g.IntN(3)
	}
	return []string{fmt.Sprint(n), shelf, slot}
}

// conflictMark marks the place of the ON CONFLICT clause that PostgreSQL needs where ontosql
// has the setting ontosql.on_conflict.
const conflictMark = "/*on conflict "

// forServer is a statement as one side is to have it: the mark and what it holds
// are a comment for ontosql.
func forServer(sql string, postgres bool) string {
	if !postgres {
		return sql
	}
	return strings.ReplaceAll(strings.ReplaceAll(sql, conflictMark, "  ON CONFLICT "), "*/", "  ")
}
