package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// TestActivityFollowsASession looks at a session from another one after each of
// its steps.
func TestActivityFollowsASession(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	watcher := h.session(t, "onto")
	s, _, err := h.gateway.Open(t.Context(), wire.Startup{
		User: "worker", Database: "onto", PID: 4711, Params: map[string]string{"application_name": "first"},
		Remote: &net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 5999},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	expect := func(when, columns, want string) {
		t.Helper()
		got := must(t, watcher, "SELECT "+columns+" FROM pg_stat_activity WHERE pid = 4711")
		if !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %s is %q, want %q", when, columns, got, want)
		}
	}
	const now = "state, query, wait_event_type, wait_event, xact_start IS NULL, query_start IS NULL"
	expect("before its first statement", now, "idle||Client|ClientRead|true|true")
	expect("at any time", "datname, usename, application_name, client_addr, client_hostname, client_port, leader_pid, backend_xid, backend_xmin, query_id, backend_type, "+
		"datid = (SELECT oid FROM pg_database WHERE datname = 'onto'), usesysid = (SELECT oid FROM pg_roles WHERE rolname = 'worker'), backend_start <= state_change",
		"onto|worker|first|192.0.2.7|NULL|5999|NULL|NULL|NULL|NULL|client backend|true|true|true")

	must(t, s, "SET application_name = 'second'")
	expect("after SET", "application_name, query", "second|SET application_name = 'second'")

	p := portalOf(t, s, "SELECT * FROM generate_series(1, 100000)")
	if _, err := p.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect("in the middle of its rows", now, "active|SELECT * FROM generate_series(1, 100000)|NULL|NULL|false|false")
	expect("in the middle of its rows", "xact_start <= query_start, query_start <= state_change, state_change <= now()", "true|true|true")
	p.Close()
	if err := s.Sync(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	expect("after them", now, "idle|SELECT * FROM generate_series(1, 100000)|Client|ClientRead|true|false")

	must(t, s, "BEGIN")
	expect("after BEGIN", now, "idle in transaction|BEGIN|Client|ClientRead|false|false")
	began := must(t, watcher, "SELECT xact_start FROM pg_stat_activity WHERE pid = 4711")
	must(t, s, "SELECT 1")
	expect("in the transaction", "state, query", "idle in transaction|SELECT 1")
	if later := must(t, watcher, "SELECT xact_start FROM pg_stat_activity WHERE pid = 4711"); !slices.Equal(began, later) {
		t.Errorf("the transaction began at %s, and a statement later at %s", began, later)
	}
	refused(t, s, pgerr.DivisionByZero, "SELECT 1/0")
	expect("after an error", "state, query", "idle in transaction (aborted)|SELECT 1/0")
	must(t, s, "ROLLBACK")
	expect("after ROLLBACK", "state, xact_start IS NULL", "idle|true")
}

// TestActivityTellsWhatIsWaitedFor has a session wait for a lock that another has, by a
// key that is written and by one that is computed, and then for time to pass.
func TestActivityTellsWhatIsWaitedFor(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	waiting, other := h.client(t), h.session(t, "onto")
	must(t, other, "SELECT pg_advisory_lock(7)")
	for sql, want := range map[string]string{
		"SELECT pg_advisory_lock(7)":                   "Lock|advisory",
		"SELECT pg_advisory_lock(length('seven') + 2)": "Lock|advisory",
		"SELECT pg_sleep(1000000)":                     "Timeout|PgSleep",
	} {
		ended := make(chan error, 1)
		go func() {
			_, err := waiting.Exec(context.WithoutCancel(t.Context()), sql)
			ended <- err
		}()
		h.waitFor(t, sql+" to wait for "+want, func() bool {
			return slices.Equal(must(t, other, "SELECT wait_event_type, wait_event FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()"), []string{want})
		})
		must(t, other, fmt.Sprintf("SELECT pg_cancel_backend(%d)", waiting.PgConn().PID()))
		var refusal *pgconn.PgError
		if err := <-ended; !errors.As(err, &refusal) || refusal.Code != pgerr.QueryCanceled {
			t.Errorf("%s was cancelled and says %v", sql, err)
		}
	}
}

// TestActivityOverTheWire reads what the server itself knows of a client.
func TestActivityOverTheWire(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	a, b := h.dial(t), h.dial(t)
	a.exchange(&pgproto3.Query{String: "SELECT 'a'"})
	got, _ := b.exchange(&pgproto3.Query{String: "SELECT concat_ws('|', client_addr, client_port > 0, state, query) FROM pg_stat_activity ORDER BY state DESC"})
	if len(got) != 2 || got[0] != "127.0.0.1|t|idle|SELECT 'a'" || !strings.HasPrefix(got[1], "127.0.0.1|t|active|SELECT concat_ws") {
		t.Errorf("pg_stat_activity has %q, want the idle session and this one", got)
	}
}

// TestLiveRowsAreTheMoments repeats a statement between changes of its rows, and next to a
// cursor over the same relation, which keeps its rows.
func TestLiveRowsAreTheMoments(t *testing.T) {
	asksNoMirror(t)
	s := keeper(t, nil).session(t, "onto")
	const (
		ask  = "SELECT a.setting || ' ' || b.source FROM pg_settings a JOIN pg_settings b USING (name) WHERE name = 'application_name'"
		left = "FETCH ALL FROM c"
	)
	must(t, s, "SET application_name = first")
	if got := must(t, s, ask); !slices.Equal(got, []string{"first session"}) {
		t.Errorf("%s is %q", ask, got)
	}
	must(t, s, "BEGIN")
	must(t, s, "DECLARE c CURSOR FOR SELECT setting FROM pg_settings WHERE name IN ('application_name', 'allow_system_table_mods') ORDER BY name")
	answers(t, s, "FETCH 1 FROM c", "off")
	must(t, s, "SET application_name = second")
	if got := must(t, s, ask); !slices.Equal(got, []string{"second session"}) {
		t.Errorf("after SET, %s is %q", ask, got)
	}
	if got := must(t, s, left); !slices.Equal(got, []string{"first"}) {
		t.Errorf("the cursor ends with %q", got)
	}
	must(t, s, "COMMIT")
}
