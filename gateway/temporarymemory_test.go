package gateway_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/wire"
)

// held is what the engine has in memory, in bytes, and the number of its tables.
func held(t *testing.T, h *house) (bytes, tables int64) {
	t.Helper()
	conn, err := h.engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const query = "SELECT CAST((SELECT sum(memory_usage_bytes) FROM duckdb_memory()) AS BIGINT), (SELECT count(*) FROM duckdb_tables() WHERE NOT internal)"
	err = conn.Each(t.Context(), query, nil, func(b *column.Batch, i int) { bytes, tables = b.Cols[0].I64[i], b.Cols[1].I64[i] })
	if err != nil {
		t.Fatal(err)
	}
	return bytes, tables
}

// slack is how much more memory than before the engine may have, for its caches and catalog.
const slack = 16 << 20

// TestTwoHundredSessionsWithTemporaryTables writes temporary tables in 200 sessions, which end
// in all states of a transaction, and finds that the engine has neither their tables nor their
// rows.
func TestTwoHundredSessionsWithTemporaryTables(t *testing.T) {
	h := newHouse(t, shop(t))
	must(t, h.session(t, "onto"), "SELECT count(*) FROM shelf")
	memory, tables := held(t, h)
	var sessions []wire.Session
	for i := range 200 {
		s := h.session(t, "onto")
		sessions = append(sessions, s)
		for _, sql := range []string{
			"CREATE TEMP TABLE t (a int PRIMARY KEY, b text)",
			"INSERT INTO t SELECT g, repeat('x', 200) || g FROM generate_series(1, 2000) AS g",
			"CREATE TEMP TABLE u AS SELECT * FROM t",
			"BEGIN",
			"UPDATE t SET b = b || '.' WHERE a % 2 = 0",
			"SAVEPOINT s",
			"DELETE FROM t WHERE a > 1000",
		} {
			if _, err := run(t, s, sql); err != nil {
				t.Fatalf("session %d: %s: %v", i, sql, err)
			}
		}
		ends := [][]string{
			{"COMMIT"},
			{"ROLLBACK TO s", "COMMIT"},
			{"ROLLBACK"},
			{"TRUNCATE t", "DROP TABLE u"},
			{},
			{"DECLARE c CURSOR FOR SELECT * FROM t ORDER BY a", "FETCH 3 FROM c"},
			{"DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT * FROM u ORDER BY a", "COMMIT", "FETCH 3 FROM c"},
		}
		for _, sql := range ends[i%len(ends)] {
			if _, err := run(t, s, sql); err != nil {
				t.Fatalf("session %d: %s: %v", i, sql, err)
			}
		}
	}
	if _, n := held(t, h); n < tables+200 {
		t.Errorf("200 sessions have %d tables", n-tables)
	}
	for _, s := range sessions {
		s.Close()
	}
	after, left := held(t, h)
	if left != tables {
		t.Errorf("the sessions have left %d tables", left-tables)
	}
	if after > memory+slack {
		t.Errorf("the engine has %d bytes, and had %d before the sessions", after, memory)
	}
}

// TestASessionKilledWhileItWrites ends sessions that write a temporary table: by the server, and
// by a client that is gone.
func TestASessionKilledWhileItWrites(t *testing.T) {
	h := newHouse(t, shop(t))
	dsn := h.serve(t)
	admin := h.session(t, "onto")
	must(t, admin, "SELECT count(*) FROM shelf")
	memory, tables := held(t, h)
	for _, sql := range []string{
		"INSERT INTO t SELECT g, repeat('x', 50) || g FROM generate_series(1, 100000000) AS g",
		"CREATE TEMP TABLE u AS SELECT g, repeat('x', 50) || g AS b FROM generate_series(1, 100000000) AS g",
		"UPDATE t SET b = (SELECT count(*)::text FROM generate_series(1, 1000000000) AS g WHERE g % 7 = t.a)",
	} {
		for _, terminate := range []bool{true, false} {
			c, err := pgconn.Connect(t.Context(), dsn)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Exec(t.Context(), "CREATE TEMP TABLE t (a int PRIMARY KEY, b text); INSERT INTO t SELECT g, 'b' FROM generate_series(1, 100) AS g").ReadAll(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := c.Exec(t.Context(), sql).ReadAll()
				ended <- err
			}()
			time.Sleep(300 * time.Millisecond) // the statement is at work
			if terminate {
				must(t, admin, fmt.Sprintf("SELECT pg_terminate_backend(%d)", c.PID()))
			} else if err := c.Conn().Close(); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err == nil {
				t.Fatalf("%s was done before the session was killed", sql)
			}
			h.waitFor(t, "the tables of a killed session are gone", func() bool {
				after, left := held(t, h)
				return left == tables && after <= memory+slack
			})
		}
	}
}
