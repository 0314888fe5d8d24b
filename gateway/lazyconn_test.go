package gateway_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// connections counts the connections of an engine by conn, which is one of them.
func connections(t *testing.T, conn *duckdb.Conn) (n int) {
	t.Helper()
	err := conn.Each(t.Context(), "SELECT count::BIGINT FROM duckdb_connection_count()", nil, func(b *column.Batch, i int) { n = int(b.Cols[0].I64[i]) })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// fewConnections waits until an engine has fewer connections than a number. Workers in the
// background have some for a moment.
func fewConnections(t *testing.T, conn *duckdb.Conn, than int) {
	t.Helper()
	for limit := time.Now().Add(testenv.Patience); connections(t, conn) >= than; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("there are %d connections, want fewer than %d", connections(t, conn), than)
		}
	}
}

// lookUp prepares a look-up, executes it and returns its rows.
func lookUp(t *testing.T, s wire.Session, key string) []string {
	t.Helper()
	st, err := s.Prepare(t.Context(), wire.Query{SQL: "SELECT id, name FROM customer WHERE id = $1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := st.Bind(t.Context(), [][]byte{[]byte(key)})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	rows, err := drain(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if s.Status() == wire.Idle {
		if err := s.Sync(t.Context(), false); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

// TestConnectionOfASession: a session has no connection to the engine before a statement needs
// one. That has the settings that were made before.
func TestConnectionOfASession(t *testing.T) {
	h := newHouse(t, nil)
	first := h.session(t, "onto")
	inRowStore(t, first, "SELECT id, name FROM customer WHERE id = 'c7'")
	want := lookUp(t, first, "c7")
	conn, err := h.engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const noon = "SELECT count(*), date_trunc('day', timestamptz '2024-06-01 20:00:00+00')::text FROM customer"
	days := []struct{ zone, day string }{
		{"UTC", "2024-06-01 00:00:00+00"},
		{"Asia/Kolkata", "2024-06-02 00:00:00+05:30"},
		{"America/New_York", "2024-06-01 00:00:00-04"},
		{"Asia/Tokyo", "2024-06-02 00:00:00+09"},
	}
	var sessions []wire.Session
	for i := range 40 {
		zone := days[i%len(days)].zone
		s, _, err := h.gateway.Open(t.Context(), wire.Startup{User: "tester", Database: "onto", Params: map[string]string{"TimeZone": zone}})
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, s)
		must(t, s, "SET application_name = 'quiet'")
		must(t, s, "BEGIN")
		must(t, s, "SAVEPOINT a")
		if got := lookUp(t, s, "c7"); !slices.Equal(got, want) {
			t.Errorf("in %s: %q, want %q", zone, got, want)
		}
		must(t, s, "ROLLBACK TO a")
		must(t, s, "COMMIT")
		answers(t, s, "SHOW timezone", zone)
		refused(t, s, pgerr.UndefinedColumn, "SELECT nobody FROM customer WHERE id = 'c7'")
	}
	if !rowStoreIsOff() {
		fewConnections(t, conn, len(sessions))
	}
	for i, s := range sessions {
		answers(t, s, noon, "40|"+days[i%len(days)].day)
		next := days[(i+1)%len(days)]
		must(t, s, "SET TimeZone = '"+next.zone+"'")
		answers(t, s, noon, "40|"+next.day)
	}
	if n := connections(t, conn); n <= len(sessions) {
		t.Errorf("%d sessions have asked the engine by %d connections", len(sessions), n)
	}
	for _, s := range sessions {
		s.Close()
	}
	if !rowStoreIsOff() {
		fewConnections(t, conn, len(sessions))
	}
}

// TestConnectionOfACancelledStatement: if the statement that makes the connection is cancelled, the
// next one makes it.
func TestConnectionOfACancelledStatement(t *testing.T) {
	s := newHouse(t, nil).session(t, "onto", wire.Option{Name: "TimeZone", Value: "Asia/Kolkata"})
	st, err := s.Prepare(t.Context(), wire.Query{SQL: "SELECT count(*), date_trunc('day', timestamptz '2024-06-01 20:00:00+00')::text FROM customer"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := st.Bind(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(wire.ErrCancelRequest)
	_, err = p.Next(ctx)
	if e := asError(t, err); e.Code != pgerr.QueryCanceled {
		t.Errorf("a cancelled statement: %v, want %s", err, pgerr.QueryCanceled)
	}
	p.Close()
	if err := s.Sync(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	answers(t, s, "SELECT count(*), date_trunc('day', timestamptz '2024-06-01 20:00:00+00')::text FROM customer", "40|2024-06-02 00:00:00+05:30")
}
