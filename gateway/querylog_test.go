package gateway_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/gateway"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/wire"
)

// TestStatementsAreLogged runs statements of every kind over the wire and reads
// what the log says of each.
func TestStatementsAreLogged(t *testing.T) {
	asksNoMirror(t)
	h := openHouse(t, nil, false)
	f := h.dial(t)
	f.exchange(&pgproto3.Query{String: "SET application_name = 'log'"})
	f.exchange(&pgproto3.Query{String: "SELECT id FROM customer ORDER BY id LIMIT 3"})
	f.exchange(&pgproto3.Query{String: "INSERT INTO customer (id, name, tier, balance) SELECT 'n' || n, 'New', 'gold', n FROM generate_series(1, 4) AS g(n)"})
	f.exchange(&pgproto3.Query{String: "SELECT 1; SELECT 1/0"})
	f.exchange(&pgproto3.Query{String: "SELECT nosuch FROM customer"})
	f.exchange(&pgproto3.Query{String: "SELEKT 1"})
	f.exchange(&pgproto3.Query{String: "BEGIN"})
	f.exchange( // a portal that is left half read
		&pgproto3.Parse{Query: "SELECT g::text FROM generate_series(1, $1::int) AS g"},
		&pgproto3.Bind{DestinationPortal: "p", Parameters: [][]byte{[]byte("9000")}},
		&pgproto3.Execute{Portal: "p", MaxRows: 7}, &pgproto3.Execute{Portal: "p", MaxRows: 5},
		&pgproto3.Close{ObjectType: 'P', Name: "p"}, &pgproto3.Sync{})
	f.exchange(&pgproto3.Query{String: "COMMIT"})
	f.exchange(&pgproto3.Query{String: "SHOW server_version"})

	got, _ := f.exchange(&pgproto3.Query{String: `SELECT query || ' | ' || row_count || ' | ' || source || ' | ' || coalesce(sqlstate, 'fine')
		FROM ontosql.statements WHERE application_name = 'log' AND usename = 'tester' ORDER BY statement_id`})
	want := []string{
		"SELECT id FROM customer ORDER BY id LIMIT 3 | 3 | files | fine",
		"INSERT INTO customer (id, name, tier, balance) SELECT 'n' || n, 'New', 'gold', n FROM generate_series(1, 4) AS g(n) | 4 | none | fine",
		"SELECT 1 | 1 | none | fine",
		"SELECT 1/0 | 0 | none | 22012",
		"SELECT nosuch FROM customer | 0 | none | 42703",
		"SELEKT 1 | 0 | none | 42601",
		"BEGIN | 0 | none | fine",
		"SELECT g::text FROM generate_series(1, $1::int) AS g | 12 | none | fine",
		"COMMIT | 0 | none | fine",
		"SHOW server_version | 1 | none | fine",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ontosql.statements (-want +got):\n%s", diff)
	}
	again, _ := f.exchange(&pgproto3.Query{String: "SELECT row_count::text FROM ontosql.statements ORDER BY statement_id DESC LIMIT 1"})
	if !slices.Equal(again, []string{fmt.Sprint(len(want))}) {
		t.Errorf("the statement that read the log is in it with %q rows, want %d", again, len(want))
	}
}

// TestStatementsAreMeasured compares what the log says of a statement with what
// the client and the store saw of it. No mirror asks the store meanwhile.
func TestStatementsAreMeasured(t *testing.T) {
	asksNoMirror(t)
	h := openHouse(t, nil, false)
	f := h.dial(t)
	before := h.bucket.Status().Total()
	began := time.Now()
	f.exchange(&pgproto3.Query{String: "SELECT id FROM customer"})
	took := time.Since(began)
	after := h.bucket.Status().Total()
	rows, _ := f.exchange(&pgproto3.Query{String: `SELECT concat_ws('|', requests, request_bytes, bytes_sent, cached,
		started_at BETWEEN now() - interval '1 minute' AND now(), duration_ms > 0, duration_ms < 60000) FROM ontosql.statements ORDER BY statement_id DESC LIMIT 1`})
	// A DataRow of one text column has 11 bytes besides the text: c1 ... c40.
	const bytes = 40*11 + 9*2 + 31*3
	want := fmt.Sprintf("%d|%d|%d|f|t|t|t", after.Requests-before.Requests, after.Bytes-before.Bytes, bytes)
	if !slices.Equal(rows, []string{want}) {
		t.Errorf("the log says %q of a cold read that took %v, want %q", rows, took, want)
	}
	if after.Requests == before.Requests {
		t.Error("the cold read asked the store for nothing")
	}
}

// TestStatementsOfOthers: the text of a statement is its user's and a
// superuser's, in the log and in pg_stat_activity.
func TestStatementsOfOthers(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	g := gateway.New(gateway.Options{Databases: gateway.Fixed{h.db}, Logger: slog.New(slog.DiscardHandler)})
	open := func(user string, pid uint32) wire.Session {
		s, _, err := g.Open(t.Context(), wire.Startup{User: user, Authenticated: true, Database: "onto", PID: pid, Params: map[string]string{"application_name": "app of " + user}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	ann, bob := open("ann", 1), open("bob", 2)
	must(t, ann, "SELECT 'of ann', $1::text", "a secret")
	must(t, bob, "SELECT 'of bob'")
	for _, c := range []struct {
		who  wire.Session
		name string
		want []string
	}{
		{ann, "ann", []string{"ann|SELECT 'of ann', $1::text|app of ann", "bob|<insufficient privilege>|app of bob"}},
		{bob, "bob", []string{"ann|<insufficient privilege>|app of ann", "bob|SELECT 'of bob'|app of bob"}},
	} {
		if got := must(t, c.who, "SELECT usename, query, application_name FROM ontosql.statements WHERE statement_id <= 2 ORDER BY 1"); !slices.Equal(got, c.want) {
			t.Errorf("%s sees %q in the log, want %q", c.name, got, c.want)
		}
	}
	all := must(t, h.session(t, "onto"), "SELECT query FROM ontosql.statements WHERE statement_id <= 2 ORDER BY 1")
	if want := []string{"SELECT 'of ann', $1::text", "SELECT 'of bob'"}; !slices.Equal(all, want) {
		t.Errorf("a superuser sees %q, want %q", all, want)
	}
	got := must(t, bob, "SELECT query, state, backend_start, query_start, wait_event, backend_type, usesysid = (SELECT oid FROM pg_roles WHERE rolname = 'ann') FROM pg_stat_activity WHERE usename = 'ann'")
	if want := []string{"<insufficient privilege>|NULL|NULL|NULL|NULL|NULL|true"}; !slices.Equal(got, want) {
		t.Errorf("bob sees ann in pg_stat_activity as %q, want %q", got, want)
	}
}

// TestLongStatementsAreCutBetweenCharacters fills the 1,024 bytes so that a
// character lies across their end.
func TestLongStatementsAreCutBetweenCharacters(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	for ahead := range 5 {
		must(t, s, "SELECT '"+strings.Repeat("x", ahead)+strings.Repeat("\U0001F600", 400)+"'")
		got := must(t, s, "SELECT query FROM ontosql.statements ORDER BY statement_id DESC LIMIT 1")[0]
		if !utf8.ValidString(got) || len(got) > 1024 || len(got) <= 1020 || !strings.HasSuffix(got, "\U0001F600") {
			t.Errorf("with %d bytes ahead of the long characters the log has %d bytes that end in %q", ahead, len(got), got[len(got)-6:])
		}
	}
}

// TestLogHoldsTheNewest runs more statements than the log has room for.
func TestLogHoldsTheNewest(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	for i := range 1010 {
		if i%2 == 0 {
			must(t, s, "SHOW server_version")
		} else {
			refused(t, s, "42601", "nonsense")
		}
	}
	got := must(t, s, "SELECT count(*), min(statement_id), max(statement_id), count(sqlstate) FROM ontosql.statements")
	if want := []string{"1000|11|1010|500"}; !slices.Equal(got, want) {
		t.Errorf("count, oldest, newest and failed are %q, want %q", got, want)
	}
}

// TestLogOfAClientThatLeaves closes the connection in the middle of a result.
func TestLogOfAClientThatLeaves(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	conn, err := pgconn.Connect(t.Context(), h.serve(t))
	if err != nil {
		t.Fatal(err)
	}
	rows := conn.ExecParams(t.Context(), "SELECT repeat('x', 1000) FROM generate_series(1, 50000000)", nil, nil, nil, nil)
	if !rows.NextRow() {
		t.Fatal("there is no row")
	}
	conn.Conn().Close()
	limit := time.Now().Add(testenv.Patience)
	for {
		got := must(t, s, "SELECT sqlstate, row_count > 0, row_count < 50000000, bytes_sent > 1000 FROM ontosql.statements WHERE query LIKE 'SELECT repeat%'")
		if slices.Equal(got, []string{"08006|true|true|true"}) {
			return
		}
		if len(got) > 0 || time.Now().After(limit) {
			t.Fatalf("the log has %q of a client that left", got)
		}
		time.Sleep(time.Millisecond)
	}
}
