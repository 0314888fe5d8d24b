package gateway_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// openStream is a way to leave a result half read while other statements run.
type openStream struct {
	name  string
	reads bool // every relation is read, too
	// open reads the first of the rows 1, 2, ... and leaves the others.
	open func(f *frontend) []string
	// next reads one row more.
	next func(f *frontend) []string
	// close ends the transaction.
	close func(f *frontend)
}

// streamRows is the query of the streams: more rows than one batch of the engine has.
const streamRows = "SELECT g FROM generate_series(1, 5000) AS g"

var openStreams = []openStream{
	{
		name: "cursor", reads: true,
		open: func(f *frontend) []string {
			rows, _ := f.exchange(&pgproto3.Query{String: "BEGIN; DECLARE stream CURSOR FOR " + streamRows + "; FETCH stream"})
			return rows
		},
		next: fetchStream, close: endStream,
	},
	{
		name: "scroll cursor",
		open: func(f *frontend) []string {
			rows, _ := f.exchange(&pgproto3.Query{String: "BEGIN; DECLARE stream SCROLL CURSOR FOR " + streamRows + "; FETCH stream"})
			return rows
		},
		next: fetchStream, close: endStream,
	},
	{
		name: "cursor with hold",
		open: func(f *frontend) []string {
			rows, _ := f.exchange(&pgproto3.Query{String: "BEGIN; DECLARE stream CURSOR WITH HOLD FOR " + streamRows + "; FETCH stream"})
			return rows
		},
		next: fetchStream, close: endStream,
	},
	{
		name: "held cursor",
		open: func(f *frontend) []string {
			f.exchange(&pgproto3.Query{String: "BEGIN; DECLARE stream CURSOR WITH HOLD FOR " + streamRows + "; COMMIT; BEGIN"})
			return fetchStream(f)
		},
		next: fetchStream, close: endStream,
	},
	{
		name: "suspended portal", reads: true,
		open: func(f *frontend) []string {
			f.exchange(&pgproto3.Query{String: "BEGIN"})
			rows, _ := f.exchange(&pgproto3.Parse{Query: streamRows}, &pgproto3.Bind{DestinationPortal: "stream"},
				&pgproto3.Execute{Portal: "stream", MaxRows: 1}, &pgproto3.Sync{})
			return rows
		},
		next: func(f *frontend) []string {
			rows, _ := f.exchange(&pgproto3.Execute{Portal: "stream", MaxRows: 1}, &pgproto3.Sync{})
			return rows
		},
		close: endStream,
	},
}

func fetchStream(f *frontend) []string {
	rows, _ := f.exchange(&pgproto3.Query{String: "FETCH stream"})
	return rows
}

func endStream(f *frontend) { f.exchange(&pgproto3.Query{String: "ROLLBACK; CLOSE ALL"}) }

// besideStream are statements of every kind that may run while a stream is open, each
// in the transaction of the stream. All of them succeed.
var besideStream = []string{
	"SELECT count(*) FROM customer",
	"SELECT count(*) FROM history.customer",
	"SELECT count(*) FROM changes.customer",
	"SELECT count(*) FROM as_of.customer(now() - interval '1 hour')",
	"SELECT count(*) FROM customer FOR SYSTEM_TIME AS OF '1'",
	"SELECT 1",
	"SELECT DISTINCT 1",
	"VALUES (1)",
	"TABLE customer",
	"SELECT set_config('TimeZone', 'Asia/Tokyo', true)",
	"SELECT set_config('TimeZone', zone, true) FROM (VALUES ('Asia/Tokyo'), ('UTC')) v (zone)",
	"SELECT pg_notify('a', 'b')",
	"SELECT pg_notify(c, 'b') FROM (VALUES ('a'), ('b')) v (c)",
	"SELECT pg_export_snapshot()",
	"SELECT pg_advisory_xact_lock(1)",
	"SELECT pg_try_advisory_lock(3)",
	"SELECT pg_advisory_unlock_all()",
	"SELECT pg_sleep(0)",
	"SELECT pg_get_indexdef('customer_pkey'::regclass)",
	"SELECT 'customer'::regclass",
	"SELECT has_table_privilege('customer', 'SELECT')",
	"SELECT ontosql.commit_outcome('7-00000000')",
	"EXPLAIN SELECT count(*) FROM customer",
	"EXPLAIN ANALYZE SELECT count(*) FROM customer",
	"EXPLAIN SELECT * FROM pg_cursors",
	"EXPLAIN ANALYZE SELECT * FROM pg_locks",
	"EXPLAIN INSERT INTO shelf VALUES ('explained', 1)",
	"INSERT INTO shelf VALUES ('a', 1)",
	"INSERT INTO shelf SELECT 'b' || g, g FROM generate_series(1, 3) g",
	"INSERT INTO shelf VALUES ('a', 1) ON CONFLICT (name) DO UPDATE SET height = 2 RETURNING name",
	"UPDATE shelf SET height = 2 RETURNING name",
	"MERGE INTO shelf USING (VALUES ('a')) v (n) ON name = n WHEN NOT MATCHED THEN INSERT VALUES (n, 1)",
	"COPY customer TO STDOUT",
	"COPY (SELECT * FROM pg_cursors) TO STDOUT",
	"COPY (SELECT * FROM pg_settings) TO STDOUT (FORMAT csv)",
	"CREATE TABLE made (id text PRIMARY KEY, v bigint)",
	"CREATE TABLE made AS SELECT 'x' || g AS id, g AS v FROM generate_series(1, 3) g",
	"ALTER TABLE shelf ADD COLUMN depth bigint",
	"ALTER TABLE shelf ALTER COLUMN height TYPE text",
	"COMMENT ON TABLE shelf IS 'a shelf'",
	"DROP TABLE IF EXISTS nothing",
	"CREATE SCHEMA IF NOT EXISTS public",
	"DECLARE second CURSOR FOR SELECT * FROM customer",
	"DECLARE second SCROLL CURSOR FOR SELECT * FROM pg_cursors",
	"DECLARE second CURSOR WITH HOLD FOR SELECT * FROM pg_locks",
	"DECLARE second CURSOR FOR SELECT g FROM generate_series(1, 3) g; FETCH second; FETCH stream; FETCH second; MOVE second; CLOSE second",
	"PREPARE prepared AS SELECT count(*) FROM customer; EXECUTE prepared; DEALLOCATE prepared",
	"PREPARE prepared (int) AS SELECT $1; EXECUTE prepared (1 + 1); DEALLOCATE ALL",
	"PREPARE prepared AS SELECT * FROM pg_cursors; EXECUTE prepared; DEALLOCATE prepared",
	"SET TIME ZONE 'Asia/Tokyo'",
	"SET LOCAL TimeZone = 'Asia/Tokyo'",
	"SET search_path = history",
	"SET DateStyle = 'German'",
	"SET ontosql.as_of = '1'",
	"RESET TimeZone",
	"SET LOCAL TimeZone = 'Asia/Tokyo'; RESET ALL",
	"SHOW ALL",
	"SHOW TimeZone",
	"LISTEN a; NOTIFY a; UNLISTEN *",
	"LOCK TABLE customer IN ACCESS SHARE MODE",
	"SET CONSTRAINTS ALL DEFERRED",
	"DISCARD PLANS",
	"DISCARD SEQUENCES",
	"SAVEPOINT s; SET LOCAL TimeZone = 'Asia/Tokyo'; ROLLBACK TO s; RELEASE s",
	"SAVEPOINT s; INSERT INTO shelf VALUES ('s', 1); SELECT count(*) FROM shelf; ROLLBACK TO s; SELECT count(*) FROM shelf",
	"SAVEPOINT s; INSERT INTO shelf VALUES ('s', 1); RELEASE s; SELECT count(*) FROM shelf",
	"SAVEPOINT s; CREATE TABLE made (id text PRIMARY KEY); ROLLBACK TO s; SELECT count(*) FROM shelf",
}

// TestStatementsBesideAnOpenStream runs every kind of statement, and reads every relation of
// the catalog, while a result is half read. Each is answered, and the result continues.
func TestStatementsBesideAnOpenStream(t *testing.T) {
	for name, o := range map[string]houseOptions{"plain": {}, "cached": {mirror: 1 << 30, results: 1 << 24}} {
		t.Run(name, func(t *testing.T) {
			if o.mirror == 0 {
				asksNoMirror(t)
			}
			f := buildHouse(t, nil, o).dial(t)
			f.exchange(&pgproto3.Query{String: "CREATE TABLE shelf (name text PRIMARY KEY, height bigint)"})
			f.exchange(&pgproto3.Query{String: "INSERT INTO shelf VALUES ('first', 1)"})
			reads := append(f.relationReads(), f.functionCalls()...)
			for _, stream := range openStreams {
				for _, sql := range reads {
					if stream.reads {
						f.besideStream(stream, sql, f.simple)
					}
				}
				for _, sql := range besideStream {
					f.besideStream(stream, sql, f.simple)
					f.besideStream(stream, sql, f.extended)
				}
			}
		})
	}
}

// besideStream runs a string of statements while a stream is open.
func (f *frontend) besideStream(stream openStream, sql string, run func(sql string) []string) {
	f.t.Helper()
	defer stream.close(f)
	if rows := stream.open(f); !slices.Equal(rows, []string{"1"}) {
		f.t.Fatalf("before %s the %s gave %q, want 1", sql, stream.name, rows)
	}
	answers := run(sql)
	if failed := slices.IndexFunc(answers, isFailure); failed >= 0 {
		f.t.Errorf("%s beside an open %s answered %q", sql, stream.name, answers[failed])
		return
	}
	want := []string{"2"}
	if strings.Contains(sql, "FETCH stream") {
		want = []string{"3"}
	}
	if rows := stream.next(f); !slices.Equal(rows, want) {
		f.t.Errorf("after %s the %s gave %q, want %q", sql, stream.name, rows, want)
	}
}

// simple runs a string of statements by one Query.
func (f *frontend) simple(sql string) []string {
	_, answers := f.exchange(&pgproto3.Query{String: sql})
	return answers
}

// extended runs each statement of a string by Parse, Bind, Describe and Execute, those
// that return rows in two parts.
func (f *frontend) extended(sql string) (answers []string) {
	for _, one := range strings.Split(sql, "; ") {
		messages := []pgproto3.FrontendMessage{
			&pgproto3.Parse{Query: one}, &pgproto3.Describe{ObjectType: 'S'},
			&pgproto3.Bind{}, &pgproto3.Describe{ObjectType: 'P'},
		}
		switch first, _, _ := strings.Cut(one, " "); first {
		case "SELECT", "VALUES", "TABLE", "SHOW", "EXPLAIN":
			messages = append(messages, &pgproto3.Execute{MaxRows: 1})
		}
		_, more := f.exchange(append(messages, &pgproto3.Execute{}, &pgproto3.Sync{})...)
		answers = append(answers, more...)
	}
	return answers
}

func isFailure(answer string) bool {
	code, _, _ := strings.Cut(answer, " ")
	return len(code) == 5 && strings.ContainsAny(code, "0123456789")
}

// relationReads reads every relation that the catalog lists.
func (f *frontend) relationReads() []string {
	f.t.Helper()
	rows, answers := f.exchange(&pgproto3.Query{String: `SELECT format('SELECT * FROM %I.%I', nspname, relname)
		FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind IN ('r', 'v', 'm', 'p', 'f') ORDER BY 1`})
	for _, known := range []string{"pg_catalog.pg_cursors", "pg_catalog.pg_settings", "ontosql.commits", "information_schema.tables"} {
		if !slices.Contains(rows, "SELECT * FROM "+known) {
			f.t.Fatalf("the catalog lists no %s: %q", known, answers)
		}
	}
	return rows
}

// functionCalls calls every function that the catalog lists without arguments, or with
// an OID alone, and that answers.
func (f *frontend) functionCalls() (calls []string) {
	f.t.Helper()
	rows, _ := f.exchange(&pgproto3.Query{String: `SELECT DISTINCT format('SELECT %I.%I(%s)', nspname, proname, CASE WHEN pronargs = 1 THEN '0' END)
		FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
		WHERE prokind = 'f' AND NOT proretset AND (pronargs = 0 OR pronargs = 1 AND proargtypes[0] = 'oid'::regtype) ORDER BY 1`})
	for _, call := range rows {
		if _, answers := f.exchange(&pgproto3.Query{String: call}); !slices.ContainsFunc(answers, isFailure) {
			calls = append(calls, call)
		}
	}
	if len(calls) < 50 {
		f.t.Fatalf("of the functions %q only %q answer", rows, calls)
	}
	return calls
}

// TestEndsOfAnOpenStream ends the transaction, or changes what the engine's connection
// is set to, while a result is half read.
func TestEndsOfAnOpenStream(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, nil).dial(t)
	for _, stream := range openStreams {
		for _, end := range []string{
			"SET LOCAL TimeZone = 'Asia/Tokyo'; COMMIT", "SET TIME ZONE 'Asia/Tokyo'; ROLLBACK", "SET LOCAL TimeZone = 'Asia/Tokyo'; COMMIT AND CHAIN; ROLLBACK",
			"SET LOCAL TimeZone = 'Asia/Tokyo'; ROLLBACK; BEGIN; SELECT * FROM pg_cursors; COMMIT",
		} {
			stream.open(f)
			if answers := f.simple(end); slices.ContainsFunc(answers, isFailure) {
				t.Errorf("%s beside an open %s answered %q", end, stream.name, answers)
			}
			stream.close(f)
		}
	}
}

// TestATimeZoneSetByAFetchedRow has the rows of a cursor, and of a query, change the time
// zone that they are read in: every row arrives.
func TestATimeZoneSetByAFetchedRow(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, nil).dial(t)
	const query = "SELECT set_config('TimeZone', CASE g % 2 WHEN 0 THEN 'UTC' ELSE 'Asia/Tokyo' END, true) || ' ' || g FROM generate_series(1, 5000) AS g"
	f.exchange(&pgproto3.Query{String: "BEGIN"})
	rows, answers := f.exchange(&pgproto3.Query{String: query})
	if len(rows) != 5000 || rows[0] != "Asia/Tokyo 1" || rows[4999] != "UTC 5000" {
		t.Errorf("the query gave %d rows, %q", len(rows), answers)
	}
	f.exchange(&pgproto3.Query{String: "DECLARE c CURSOR FOR " + query})
	for _, fetch := range []string{"FETCH 3 c", "FETCH 4000 c", "FETCH ALL c"} {
		more, answers := f.exchange(&pgproto3.Query{String: fetch})
		if slices.ContainsFunc(answers, isFailure) {
			t.Errorf("%s answered %q", fetch, answers)
		}
		rows = append(rows, more...)
	}
	if len(rows) != 10000 || !slices.Equal(rows[:5000], rows[5000:]) {
		t.Errorf("the cursor gave %d rows, want those of the query", len(rows)-5000)
	}
}

// TestExecuteOfAScrollCursor reads a cursor whose rows are kept by Execute, whole and in
// parts, with FETCH in between.
func TestExecuteOfAScrollCursor(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, nil).dial(t)
	f.exchange(&pgproto3.Query{String: "BEGIN; DECLARE c SCROLL CURSOR FOR " + streamRows})
	rows, answers := f.exchange(&pgproto3.Execute{Portal: "c", MaxRows: 2}, &pgproto3.Sync{})
	fetched, _ := f.exchange(&pgproto3.Query{String: "FETCH c"})
	if rows = append(rows, fetched...); !slices.Equal(rows, []string{"1", "2", "3"}) {
		t.Errorf("Execute and FETCH gave %q, %q", rows, answers)
	}
	rows, answers = f.exchange(&pgproto3.Execute{Portal: "c"}, &pgproto3.Sync{})
	if len(rows) != 4997 || rows[4996] != "5000" || !slices.Equal(answers, []string{"SELECT 4997"}) {
		t.Errorf("Execute of the rest gave %d rows, %q", len(rows), answers)
	}
	if rows, _ = f.exchange(&pgproto3.Query{String: "FETCH BACKWARD 2 c"}); !slices.Equal(rows, []string{"5000", "4999"}) {
		t.Errorf("FETCH BACKWARD gave %q", rows)
	}
}
