package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// client is a pgx connection to a server of the house.
func (h *house) client(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), h.serve(t)+"&default_query_exec_mode=simple_protocol")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(t.Context()) })
	return conn
}

func say(t *testing.T, c *pgx.Conn, sql string) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// TestNotify sends between sessions: at COMMIT, once, in order, to who listens, the
// sender included, and nothing of what was rolled back.
func TestNotify(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	listener, sender := h.client(t), h.client(t)
	say(t, listener, "LISTEN news")
	say(t, listener, "BEGIN; LISTEN gossip; ROLLBACK")
	say(t, sender, "LISTEN news")
	say(t, sender, "BEGIN; NOTIFY news, 'never'; ROLLBACK")
	say(t, sender, "BEGIN; NOTIFY news, 'a'; NOTIFY gossip, 'x'; SAVEPOINT s; NOTIFY news, 'undone'; ROLLBACK TO s; NOTIFY news, 'a'; SELECT pg_notify('news', 'b'); COMMIT")
	for who, c := range map[string]*pgx.Conn{"the listener": listener, "the sender": sender} {
		for _, want := range []string{"a", "b"} {
			n, err := c.WaitForNotification(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n.Channel != "news" || n.Payload != want || n.PID != sender.PgConn().PID() {
				t.Errorf("%s heard %+v, want %q from %d", who, n, want, sender.PgConn().PID())
			}
		}
	}
	say(t, listener, "UNLISTEN *")
	say(t, sender, "NOTIFY news, 'c'")
	say(t, listener, "LISTEN \"end\"")
	say(t, sender, "NOTIFY \"end\"")
	if n, err := listener.WaitForNotification(t.Context()); err != nil || n.Channel != "end" || n.Payload != "" {
		t.Errorf("after UNLISTEN the listener heard %+v, %v", n, err)
	}
	// What rows say is sent when the statement is through, unless it fails.
	say(t, listener, "LISTEN rows")
	if _, err := sender.Exec(t.Context(), "SELECT pg_notify('rows', 'never ' || n), 1 / (n - 1) FROM generate_series(1, 2) n"); err == nil {
		t.Error("a division by zero succeeded")
	}
	say(t, sender, "BEGIN; SELECT pg_notify('rows', 'undone ' || n) FROM generate_series(1, 2) n; ROLLBACK")
	say(t, sender, "SELECT pg_notify('rows', 'row ' || n) FROM (SELECT * FROM generate_series(1, 2) ORDER BY 1) s(n)")
	for _, want := range []string{"row 1", "row 2"} {
		if n, err := listener.WaitForNotification(t.Context()); err != nil || n.Payload != want {
			t.Errorf("the listener heard %+v, %v, want %q", n, err, want)
		}
	}
	for sql, code := range map[string]string{
		"SELECT pg_notify('', 'x')": "22023", "SELECT pg_notify('" + strings.Repeat("c", 64) + "', '')": "22023",
		"SELECT pg_notify('c', '" + strings.Repeat("x", 8000) + "')": "22023",
	} {
		if _, err := sender.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), code) {
			t.Errorf("%.40s: %v, want %s", sql, err, code)
		}
	}
}

// TestNotificationsWaitForTheEndOfATransaction holds them back from a client that is in
// the middle of one.
func TestNotificationsWaitForTheEndOfATransaction(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	var heard []string
	config, err := pgx.ParseConfig(h.serve(t) + "&default_query_exec_mode=simple_protocol")
	if err != nil {
		t.Fatal(err)
	}
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { heard = append(heard, n.Payload) }
	listener, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close(t.Context())
	sender := h.client(t)
	say(t, listener, "LISTEN c")
	say(t, listener, "BEGIN")
	say(t, sender, "NOTIFY c, 'one'")
	say(t, listener, "SELECT 1")
	if len(heard) > 0 {
		t.Errorf("within its transaction it heard %q", heard)
	}
	say(t, listener, "COMMIT")
	if !slices.Equal(heard, []string{"one"}) {
		t.Errorf("after its transaction it has heard %q", heard)
	}
}

// TestAdvisoryLocks has two sessions meet at locks.
func TestAdvisoryLocks(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	a, b := h.client(t), h.client(t)
	ask := func(c *pgx.Conn, sql, want string) {
		t.Helper()
		var got string
		if err := c.QueryRow(t.Context(), "SELECT ("+sql+")::text").Scan(&got); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	say(t, a, "SELECT pg_advisory_lock(7)")
	say(t, a, "SELECT pg_advisory_lock(7)")
	ask(b, "SELECT pg_try_advisory_lock(7)", "false")
	ask(b, "SELECT pg_try_advisory_lock(0, 7)", "true") // the other key space
	ask(b, "SELECT count(*)::text FROM pg_locks WHERE locktype = 'advisory' AND granted", "2")
	ask(a, "SELECT pg_advisory_unlock(7)", "true")
	ask(b, "SELECT pg_try_advisory_lock(7)", "false") // it was taken twice
	ask(a, "SELECT pg_advisory_unlock(7)", "true")
	ask(a, "SELECT pg_advisory_unlock(7)", "false")
	ask(b, "SELECT pg_try_advisory_lock(7)", "true")

	var bound bool // as the integers that the parameters are described to be
	if err := b.QueryRow(t.Context(), "SELECT pg_try_advisory_lock($1) AND pg_advisory_unlock($1::bigint) AND pg_try_advisory_xact_lock($2, $3)", int64(1)<<40, 3, 4).Scan(&bound); err != nil || !bound {
		t.Errorf("locks of parameters: %v, %v", bound, err)
	}

	say(t, b, "SET lock_timeout = '50ms'")
	say(t, a, "BEGIN; SELECT pg_advisory_xact_lock(8)")
	if _, err := b.Exec(t.Context(), "SELECT pg_advisory_lock(8)"); err == nil || !strings.Contains(err.Error(), "55P03") {
		t.Errorf("a wait beyond lock_timeout: %v, want 55P03", err)
	}
	if _, err := b.Exec(t.Context(), "SELECT pg_advisory_lock(length(current_database()) * 0 + 8)"); err == nil || !strings.Contains(err.Error(), "55P03") {
		t.Errorf("a wait beyond lock_timeout for a computed lock: %v, want 55P03", err)
	}
	say(t, b, "RESET lock_timeout")
	got := make(chan error, 1)
	go func() {
		_, err := b.Exec(t.Context(), "SELECT pg_advisory_lock(4 + length('four'))")
		got <- err
	}()
	for {
		var waiting int
		if err := a.QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE NOT granted").Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		if waiting == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	// b has 7 and waits for 8: a, which has 8, must not wait for 7.
	if _, err := a.Exec(t.Context(), "SELECT pg_advisory_lock(7)"); err == nil || !strings.Contains(err.Error(), "40P01") {
		t.Errorf("two sessions that wait for each other: %v, want 40P01", err)
	}
	say(t, a, "ROLLBACK") // which gives back 8
	if err := <-got; err != nil {
		t.Errorf("the one that waited: %v", err)
	}
	ask(a, "SELECT pg_try_advisory_lock_shared(8)", "false")
	b.Close(t.Context())
	for {
		var free bool
		if err := a.QueryRow(t.Context(), "SELECT pg_try_advisory_lock(8)").Scan(&free); err != nil {
			t.Fatal(err)
		}
		if free { // the locks of a session are free after it has ended
			break
		}
		time.Sleep(time.Millisecond)
	}
	ask(a, "SELECT pg_try_advisory_lock_shared(8)", "true")
}

// TestSessionsEndEachOther cancels a statement and ends a session by SQL.
func TestSessionsEndEachOther(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	a, b := h.client(t), h.client(t)
	ended := make(chan error, 1)
	go func() {
		_, err := b.Exec(t.Context(), "SELECT count(*) FROM generate_series(1, 8000000) x, generate_series(1, 8000000) y")
		ended <- err
	}()
	for { // it may not run yet
		if _, err := a.Exec(t.Context(), "SELECT pg_cancel_backend($1)", int32(b.PgConn().PID())); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(err.Error(), "57014") {
				t.Fatalf("a cancelled statement ended with %v", err)
			}
		case <-time.After(10 * time.Millisecond):
			continue
		}
		break
	}
	say(t, b, "SELECT 1")
	say(t, a, "SELECT pg_terminate_backend("+fmt.Sprint(b.PgConn().PID())+")")
	if _, err := b.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Error("the session goes on after pg_terminate_backend")
	}
	c := h.client(t)
	say(t, a, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = "+fmt.Sprint(c.PgConn().PID()))
	if _, err := c.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Error("the session goes on after pg_terminate_backend of its row in pg_stat_activity")
	}
	for range 2 { // a statement that cancels itself, and again: no answer is kept
		own := "SELECT sum(x) FROM generate_series(1, 8000000) x, generate_series(1, 8000000) y, (SELECT pg_cancel_backend(pid) AS ended FROM pg_stat_activity WHERE pid = pg_backend_pid()) me WHERE ended"
		if _, err := a.Exec(t.Context(), own); err == nil || !strings.Contains(err.Error(), "57014") {
			t.Errorf("a statement that cancels itself ended with %v", err)
		}
	}
	var none int
	if err := a.QueryRow(t.Context(), "SELECT count(*) FROM (SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid < 0) gone").Scan(&none); err != nil || none != 0 {
		t.Errorf("no process: %v, %v", none, err)
	}
	var was bool
	if err := a.QueryRow(t.Context(), "SELECT pg_terminate_backend(0)").Scan(&was); err != nil || was {
		t.Errorf("a process that is not there: %v, %v", was, err)
	}
}
