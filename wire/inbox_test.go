package wire

import (
	"crypto/tls"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/pgerr"
)

// overBoth runs a test with a client in the clear and one over TLS, whose reading is
// interrupted on another layer.
func overBoth(t *testing.T, h *fake, run func(t *testing.T, s *Server, conn net.Conn)) {
	cert, pool := certificate(t)
	for _, name := range []string{"plain", "TLS"} {
		t.Run(name, func(t *testing.T) {
			s, addr := startServerWith(t, Options{Handler: h, Access: Access{TLS: cert}})
			conn := dial(t, addr)
			if name == "TLS" {
				conn = tls.Client(conn, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", NextProtos: []string{alpnProtocol}})
			}
			run(t, s, conn)
		})
	}
}

// expect reads messages up to one of the type wanted.
func expect[M pgproto3.BackendMessage](t *testing.T, f *pgproto3.Frontend) M {
	t.Helper()
	for {
		m, err := f.Receive()
		if err != nil {
			t.Fatalf("waiting for a %T: %v", *new(M), err)
		}
		if wanted, ok := m.(M); ok {
			return wanted
		}
	}
}

// TestWokenInTheMiddleOfAMessage: a session that has read a part of a message looks up
// from it for a notification, and loses nothing of it.
func TestWokenInTheMiddleOfAMessage(t *testing.T) {
	h := newFake()
	notify := make(chan func(uint32, string, string), 1)
	h.open = func(s Startup) ([]Option, error) { notify <- s.Notify; return nil, nil }
	overBoth(t, h, func(t *testing.T, _ *Server, conn net.Conn) {
		f := login(t, conn)
		tell := recv(t, notify, "the session to open")
		message := parseMessage(t, "Query select generate_series(1, 3)")
		for cut := range message {
			if _, err := conn.Write(message[:cut]); err != nil {
				t.Fatal(err)
			}
			tell(1, "news", "")
			expect[*pgproto3.NotificationResponse](t, f)
			if _, err := conn.Write(message[cut:]); err != nil {
				t.Fatal(err)
			}
			if tag := expect[*pgproto3.CommandComplete](t, f); string(tag.CommandTag) != "SELECT 3" {
				t.Fatalf("cut after %d bytes, the statement answered %s, want SELECT 3", cut, tag.CommandTag)
			}
			expect[*pgproto3.ReadyForQuery](t, f)
		}
	})
}

// beginsToReadAhead waits until a session's client is read while it works.
func beginsToReadAhead(t *testing.T, s *Server) {
	t.Helper()
	for end := time.Now().Add(testenv.Patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		s.watch.mu.Lock()
		for in := range s.watch.seen {
			in.mu.Lock()
			ahead := in.ahead != nil
			in.mu.Unlock()
			if ahead {
				s.watch.mu.Unlock()
				return
			}
		}
		s.watch.mu.Unlock()
	}
	t.Fatal("nobody is read ahead")
}

// TestClientIsSeenToLeaveAgain: that the client is read during one long statement, and
// by the session itself between them, ends with none of them.
func TestClientIsSeenToLeaveAgain(t *testing.T) {
	h := newFake()
	overBoth(t, h, func(t *testing.T, s *Server, conn net.Conn) {
		f := login(t, conn)
		for range 5 {
			f.Send(&pgproto3.Query{String: "select pg_sleep(100)"})
			f.Send(&pgproto3.Query{String: "select generate_series(1, 1)"})
			if err := f.Flush(); err != nil {
				t.Fatal(err)
			}
			recv(t, h.running, "the statement to run")
			beginsToReadAhead(t, s)
			h.wake <- struct{}{}
			recv(t, h.causes, "the statement to end")
			expect[*pgproto3.ReadyForQuery](t, f)
			expect[*pgproto3.ReadyForQuery](t, f)
		}
		f.Send(&pgproto3.Query{String: "select pg_sleep(100)"})
		if err := f.Flush(); err != nil {
			t.Fatal(err)
		}
		recv(t, h.running, "the statement to run")
		conn.Close()
		if cause := recv(t, h.causes, "the statement to end"); !errors.Is(cause, ErrClientGone) {
			t.Errorf("the context ended with %v, want ErrClientGone", cause)
		}
	})
}

// TestShutdownInTheMiddleOfAMessage: a client that says the rest of nothing keeps no
// server from ending.
func TestShutdownInTheMiddleOfAMessage(t *testing.T) {
	overBoth(t, newFake(), func(t *testing.T, s *Server, conn net.Conn) {
		f := login(t, conn)
		message := parseMessage(t, "Query select generate_series(1, 3)")
		if _, err := conn.Write(message[:len(message)-1]); err != nil {
			t.Fatal(err)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if e := expect[*pgproto3.ErrorResponse](t, f); e.Code != pgerr.AdminShutdown {
			t.Errorf("the client was told %s, want 57P01", describeMessage(e))
		}
	})
}
