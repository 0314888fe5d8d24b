package traces

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// TestRandomCursors has a session declare cursors and move them in all directions, at
// random, with queries about the session itself, settings, writes, savepoints and
// suspended portals in between. Every frame of the answers must be the same.
func TestRandomCursors(t *testing.T) {
	sides := []string{newPostgres(t), serve(t, filepath.Join(t.TempDir(), "store")), serve(t, "sqlite:///"+filepath.Join(t.TempDir(), "onto.db"))}
	for _, address := range sides {
		if _, err := converse(address, []pgproto3.FrontendMessage{&pgproto3.Query{String: itemTable}}); err != nil {
			t.Fatal(err)
		}
	}
	for seed := range seeds(longPrograms) {
		program := randomCursorProgram(seed)
		var want []string
		for i, address := range sides {
			said, err := converse(address, program)
			switch {
			case err != nil:
				t.Fatalf("program %d: %v\n%s", seed, err, told(program))
			case i == 0:
				want = said
			default:
				if difference := firstDifference(want, said); difference != "" {
					t.Errorf("program %d, store %d:\n%s%s", seed, i, told(program), difference)
				}
			}
		}
	}
}

// randomCursorProgram makes the messages of a program. It leaves no transaction open.
func randomCursorProgram(seed uint64) (program []pgproto3.FrontendMessage) {
	r := rand.New(rand.NewPCG(seed, 21))
	ask := func(sql string) { program = append(program, &pgproto3.Query{String: sql}) }
	ask("BEGIN")
	ask(randomDeclare(r, "c"))
	for range 4 + r.IntN(16) {
		switch n := r.IntN(24); {
		case n < 12:
			ask(randomFetch(r))
		case n < 15:
			ask(randomDeclare(r, pick(r, "c", "d", "e")))
		case n == 15: // a portal with a row limit, and the same again
			program = append(program,
				&pgproto3.Parse{Query: randomCursorQuery(r)}, &pgproto3.Bind{DestinationPortal: "d"}, &pgproto3.Execute{Portal: "d", MaxRows: uint32(r.IntN(4))}, &pgproto3.Sync{})
		case n == 16:
			program = append(program, &pgproto3.Execute{Portal: pick(r, "c", "d", "e"), MaxRows: uint32(r.IntN(4))}, &pgproto3.Sync{})
		default:
			ask(pick(r,
				"SELECT name, statement, is_holdable, is_binary, is_scrollable FROM pg_cursors ORDER BY name",
				"SELECT count(*) FROM pg_cursors", "SELECT name FROM pg_prepared_statements ORDER BY 1", "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'",
				"SELECT setting FROM pg_settings WHERE name = 'TimeZone'", "SELECT count(*) FROM pg_stat_activity WHERE pid = pg_backend_pid()",
				"SELECT pg_try_advisory_xact_lock(1)", "SELECT set_config('TimeZone', 'Asia/Tokyo', true)", "SELECT 'item'::regclass",
				"SET TIME ZONE 'Europe/Paris'", "SET LOCAL TimeZone = 'UTC'", "RESET TimeZone", "SHOW TimeZone", "SELECT timestamptz '2024-07-01 12:00+00'",
				"INSERT INTO item (sku, stock) VALUES ('a', 1) ON CONFLICT (sku) DO UPDATE SET stock = item.stock + 1 RETURNING stock", "UPDATE item SET stock = stock + 1 WHERE sku = 'b'", "SELECT count(*) FROM item",
				"COPY (SELECT g FROM generate_series(1, 2) AS g) TO STDOUT", "SAVEPOINT a", "ROLLBACK TO a", "RELEASE a", "COMMIT; BEGIN", "COMMIT AND CHAIN", "ROLLBACK; BEGIN", "SELECT 1 / (count(*) - count(*)) FROM item",
				"CLOSE c", "CLOSE d", "CLOSE ALL", "PREPARE p AS SELECT count(*) FROM pg_cursors", "EXECUTE p", "DEALLOCATE ALL", "DISCARD PLANS",
			))
		}
	}
	ask("ROLLBACK")
	ask("CLOSE ALL")
	return program
}

// randomDeclare is a DECLARE with SCROLL or NO SCROLL. Without either, whether a cursor scrolls
// depends on PostgreSQL's plan.
func randomDeclare(r *rand.Rand, name string) string {
	return fmt.Sprintf("DECLARE %s %s CURSOR %sFOR %s", name, pick(r, "SCROLL", "SCROLL", "NO SCROLL"), pick(r, "", "", "WITH HOLD "), randomCursorQuery(r))
}

func randomCursorQuery(r *rand.Rand) string {
	return pick(r,
		fmt.Sprintf("SELECT g FROM generate_series(1, %d) g", pick(r, 0, 1, 3, 7, 7, 3000)),
		"SELECT g, g::text || 'x', ARRAY[g] FROM generate_series(1, 7) g", "VALUES (1, 'a'), (2, NULL), (3, 'c')", "SELECT 1 WHERE false", "SELECT FROM generate_series(1, 3)",
		"SELECT sku, stock FROM item WHERE sku <> 'a' ORDER BY sku", "SELECT setting FROM pg_settings WHERE name = 'server_encoding'",
	)
}

// randomFetch moves a cursor.
func randomFetch(r *rand.Rand) string {
	n := r.IntN(9) - 3
	direction := pick(r, "", "", "NEXT FROM ", "PRIOR FROM ", "FIRST FROM ", "LAST FROM ", "ALL FROM ", "FORWARD FROM ", "FORWARD ALL FROM ", "BACKWARD FROM ", "BACKWARD ALL FROM ",
		fmt.Sprintf("%d FROM ", n), fmt.Sprintf("FORWARD %d FROM ", n), fmt.Sprintf("BACKWARD %d FROM ", n), fmt.Sprintf("ABSOLUTE %d FROM ", n), fmt.Sprintf("RELATIVE %d FROM ", n))
	return pick(r, "FETCH ", "FETCH ", "MOVE ") + direction + pick(r, "c", "c", "c", "d", "e")
}
