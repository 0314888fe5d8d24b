package gateway_test

import (
	"fmt"
	"log/slog"
	"net"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/wire"
)

// frontend is a client that sends messages as it likes.
type frontend struct {
	t *testing.T
	*pgproto3.Frontend
}

// serve starts a server of the house and returns its address, as a URL.
func (h *house) serve(t *testing.T) string {
	t.Helper()
	server := wire.New(wire.Options{Handler: h.gateway, Logger: slog.New(slog.DiscardHandler)})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(t.Context(), listener) }()
	t.Cleanup(func() {
		_ = server.Shutdown(t.Context())
		<-served
	})
	return fmt.Sprintf("postgres://tester@%s/onto?sslmode=disable", listener.Addr())
}

// dial connects to a server of the house.
func (h *house) dial(t *testing.T) *frontend {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), h.serve(t))
	if err != nil {
		t.Fatal(err)
	}
	hijacked, err := conn.Hijack()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hijacked.Conn.Close() })
	return &frontend{t, hijacked.Frontend}
}

// exchange sends messages and returns the rows' first columns and the other
// answers up to as many ReadyForQuery as there are Syncs and Queries.
func (f *frontend) exchange(messages ...pgproto3.FrontendMessage) (rows []string, answers []string) {
	f.t.Helper()
	pending := 0
	for _, m := range messages {
		f.Send(m)
		switch m.(type) {
		case *pgproto3.Sync, *pgproto3.Query:
			pending++
		}
	}
	if err := f.Flush(); err != nil {
		f.t.Fatal(err)
	}
	for pending > 0 {
		m, err := f.Receive()
		if err != nil {
			f.t.Fatalf("the server went away after %q: %v", answers, err)
		}
		switch m := m.(type) {
		case *pgproto3.DataRow:
			rows = append(rows, string(m.Values[0]))
		case *pgproto3.CommandComplete:
			answers = append(answers, string(m.CommandTag))
		case *pgproto3.PortalSuspended:
			answers = append(answers, "suspended")
		case *pgproto3.ErrorResponse:
			answers = append(answers, m.Code+" "+m.Message)
		case *pgproto3.ReadyForQuery:
			pending--
		}
	}
	return rows, answers
}

// TestHalfReadPortals reads portals in pieces with other statements in between,
// as drivers with a fetch size do.
func TestHalfReadPortals(t *testing.T) {
	f := newHouse(t, nil).dial(t)
	for _, c := range []struct {
		total   int
		fetches []uint32
	}{
		{total: 50, fetches: []uint32{3, 1, 10, 0}},
		{total: 30000, fetches: []uint32{2048, 1, 2047, 2049, 0}},
		{total: 5000, fetches: []uint32{4999, 5000}},
	} {
		f.exchange(&pgproto3.Query{String: "BEGIN"})
		f.exchange(
			&pgproto3.Parse{Query: fmt.Sprintf("SELECT i::text FROM generate_series(1, %d) AS g(i)", c.total)},
			&pgproto3.Bind{DestinationPortal: "p"}, &pgproto3.Sync{})
		var all []string
		for _, limit := range c.fetches {
			rows, answers := f.exchange(&pgproto3.Execute{Portal: "p", MaxRows: limit}, &pgproto3.Sync{})
			want := "suspended"
			if limit == 0 || len(all)+int(limit) > c.total {
				want = fmt.Sprintf("SELECT %d", len(rows))
			}
			if !slices.Equal(answers, []string{want}) {
				t.Errorf("%d rows, Execute %d after %d of them: %q, want %s", c.total, limit, len(all), answers, want)
			}
			all = append(all, rows...)
			if other, _ := f.exchange(&pgproto3.Query{String: "SELECT count(*) FROM customer"}); !slices.Equal(other, []string{"40"}) {
				t.Errorf("a statement beside the portal answered %q", other)
			}
		}
		for i, v := range all {
			if v != fmt.Sprint(i+1) {
				t.Fatalf("%d rows in pieces of %v: row %d is %s", c.total, c.fetches, i+1, v)
			}
		}
		if len(all) != c.total {
			t.Errorf("%d rows in pieces of %v gave %d rows", c.total, c.fetches, len(all))
		}
		f.exchange(&pgproto3.Query{String: "COMMIT"})
	}
}

// TestReturnedInPieces: the tag counts the rows that came with it, as that of a query.
func TestReturnedInPieces(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, shop(t)).dial(t)
	rows, answers := f.exchange(
		&pgproto3.Parse{Query: "INSERT INTO shelf (name, height) VALUES ('a', 1), ('b', 2), ('c', 3) RETURNING name"},
		&pgproto3.Bind{}, &pgproto3.Execute{MaxRows: 1}, &pgproto3.Execute{}, &pgproto3.Execute{}, &pgproto3.Sync{})
	if !slices.Equal(rows, []string{"a", "b", "c"}) || !slices.Equal(answers, []string{"suspended", "INSERT 0 2", "INSERT 0 0"}) {
		t.Errorf("the rows %q came with %q", rows, answers)
	}
}

func TestDeallocateReachesPreparedStatements(t *testing.T) {
	asksNoMirror(t)
	f := newHouse(t, nil).dial(t)
	parse := func() string {
		_, answers := f.exchange(&pgproto3.Parse{Name: "s1", Query: "SELECT 1"}, &pgproto3.Sync{})
		return fmt.Sprint(answers)
	}
	for _, c := range []struct{ sql, answer string }{
		{"DEALLOCATE s1", "[DEALLOCATE]"},
		{"DEALLOCATE ALL", "[DEALLOCATE ALL]"},
		{"DISCARD ALL", "[DISCARD ALL]"},
	} {
		if got := parse(); got != "[]" {
			t.Fatalf("before %s: Parse of s1 answered %s", c.sql, got)
		}
		if _, answers := f.exchange(&pgproto3.Query{String: c.sql}); fmt.Sprint(answers) != c.answer {
			t.Errorf("%s answered %q, want %s", c.sql, answers, c.answer)
		}
	}
	if _, answers := f.exchange(&pgproto3.Query{String: "DEALLOCATE s1"}); fmt.Sprint(answers) != `[26000 prepared statement "s1" does not exist]` {
		t.Errorf("DEALLOCATE of what is not there answered %q", answers)
	}
}

// TestAHalfReadPortalThatFails moves the rows of a half read portal away up to one that cannot
// be computed: the next statement gets the error, and the session continues.
func TestAHalfReadPortalThatFails(t *testing.T) {
	f := newHouse(t, nil).dial(t)
	f.exchange(&pgproto3.Query{String: "BEGIN"})
	f.exchange(
		&pgproto3.Parse{Query: "SELECT (1 / (400000 - i))::text FROM generate_series(1, 500000) AS g(i)"},
		&pgproto3.Bind{DestinationPortal: "p"}, &pgproto3.Execute{Portal: "p", MaxRows: 1}, &pgproto3.Sync{})
	if _, answers := f.exchange(&pgproto3.Query{String: "SELECT count(*) FROM customer"}); fmt.Sprint(answers) != "[22012 division by zero]" {
		t.Errorf("the statement beside it answered %q", answers)
	}
	if _, answers := f.exchange(&pgproto3.Query{String: "ROLLBACK"}); fmt.Sprint(answers) != "[ROLLBACK]" {
		t.Errorf("ROLLBACK answered %q", answers)
	}
	if rows, _ := f.exchange(&pgproto3.Query{String: "SELECT count(*) FROM customer"}); !slices.Equal(rows, []string{"40"}) {
		t.Errorf("afterwards a statement answered %q", rows)
	}
}

// TestSyncBehindAString sends Sync right behind a string of two statements: the first is
// not committed before the second has failed.
func TestSyncBehindAString(t *testing.T) {
	f := newHouse(t, shop(t)).dial(t)
	_, answers := f.exchange(&pgproto3.Query{String: "INSERT INTO shelf VALUES ('half', 1); SELECT nothing"}, &pgproto3.Sync{})
	if !slices.Equal(answers, []string{"INSERT 0 1", `42703 column "nothing" does not exist`}) {
		t.Fatalf("the string answered %q", answers)
	}
	if rows, _ := f.exchange(&pgproto3.Query{String: "SELECT 1 FROM shelf"}); len(rows) > 0 {
		t.Errorf("of a string that failed %q was committed", rows)
	}
}
