package wire

import (
	"errors"
	"io"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// TestHalfOpenConnectionsArePushedOut: a new connection takes the place of the oldest one that has
// not logged in, wherever that one is.
func TestHalfOpenConnectionsArePushedOut(t *testing.T) {
	var log journal
	addr := startServer(t, Options{Handler: newFake(), Logger: log.logger(), Access: passwords(t, nil), MaxHalfOpen: 2})
	for name, first := range map[string][]byte{
		"nothing":               nil,
		"half a startup packet": packet(v3, "user\x00alice\x00\x00")[:9],
		"no password":           packet(v3, "user\x00alice\x00\x00"),
	} {
		oldest := dial(t, addr)
		if _, err := oldest.Write(first); err != nil {
			t.Fatal(err)
		}
		f := pgproto3.NewFrontend(oldest, oldest)
		if name == "no password" {
			if _, err := f.Receive(); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if got := enter(t, addr, "alice db", nil); got != "in" {
				t.Errorf("a login beside %s: %s", name, got)
			}
		}
		dial(t, addr)
		dial(t, addr)
		m, err := f.Receive()
		if err != nil {
			t.Fatalf("after %s: %v, want an error message", name, err)
		}
		if got := describeMessage(m); got != "ErrorResponse FATAL 53300: sorry, too many clients already" {
			t.Errorf("after %s the oldest is told %s", name, got)
		}
		if _, err := io.Copy(io.Discard, oldest); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("after %s the oldest stays open", name)
		}
	}
	log.has(t, "a half-open connection was pushed out", "remote=127.0.0.1:", "limit=2")
	if n := strings.Count(log.String(), "pushed out"); n != 1 {
		t.Errorf("%d lines of the log say so, want one in ten seconds:\n%s", n, log.String())
	}
}

// TestTimeout: who does not log in is disconnected, and the log says so.
func TestTimeout(t *testing.T) {
	var log journal
	addr := startServer(t, Options{Handler: newFake(), Logger: log.logger(), Access: passwords(t, nil), StartupTimeout: 100 * time.Millisecond})
	conn := dial(t, addr)
	if _, err := conn.Write(packet(v3, "user\x00alice\x00database\x00db\x00\x00")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Fatal(err)
	}
	log.has(t, "login failed", "user=alice", "database=db", "authentication timed out")
}

// TestDelays: failures are counted by address, delay more and more, and are forgotten.
func TestDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a attempts
		here, there := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
		for i, want := range []time.Duration{0, 0, 0, 250, 500, 1000, 2000, 4000, 8000, 8000, 8000} {
			if got := a.delay(here); got != want*time.Millisecond {
				t.Errorf("after %d failures: %v, want %v ms", i, got, int64(want))
			}
			a.failed(here)
		}
		if got := a.delay(there); got != 0 {
			t.Errorf("another address waits %v", got)
		}
		for _, want := range []time.Duration{500, 0, 0} {
			time.Sleep(halfLife)
			if got := a.delay(here); got != want*time.Millisecond {
				t.Errorf("later: %v, want %v ms", got, int64(want))
			}
		}
	})
	var a attempts
	near, far := netip.MustParseAddr("2001:db8:1::1"), netip.MustParseAddr("2001:db8:2::1")
	for range 4 {
		near = near.Next()
		a.failed(near)
	}
	if a.delay(near.Next()) == 0 || a.delay(far) != 0 {
		t.Errorf("the subnet waits %v, another one %v; want only the first", a.delay(near.Next()), a.delay(far))
	}
	for address := netip.MustParseAddr("10.0.0.0"); address.As4()[1] < 2; address = address.Next() {
		a.failed(address)
	}
	if len(a.of) != maxAddresses || a.order.Len() != maxAddresses || a.delay(near) != 0 {
		t.Errorf("%d addresses are kept, want %d, and not the oldest", len(a.of), maxAddresses)
	}
}

// TestFailedLoginsAreDelayed, and logged without what they sent.
func TestFailedLoginsAreDelayed(t *testing.T) {
	var log journal
	addr := startServer(t, Options{Handler: newFake(), Logger: log.logger(), Access: passwords(t, nil)})
	for range 4 {
		enter(t, addr, "mallory db", nil)
	}
	start := time.Now()
	if got := enter(t, addr, "alice db", nil); got != "in" {
		t.Errorf("the right password after failures: %s", got)
	}
	if took := time.Since(start); took < 500*time.Millisecond {
		t.Errorf("a login after four failures took %v, want half a second at least", took)
	}
	log.has(t, "login failed", "user=mallory", `password authentication failed for user \"mallory\": the role does not exist`)
	if strings.Contains(log.String(), "sécret") {
		t.Errorf("the log has the password:\n%s", log.String())
	}
}

// TestRepeated: what happens too often is counted.
func TestRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log journal
		r := repeated{log: log.logger(), message: "again", lines: 2}
		for i := range 100 {
			r.add("i", i)
		}
		time.Sleep(2 * logInterval)
		r.add("i", 100)
		r.flush()
		want := []string{"i=0", "i=1", "more=98", "i=100"}
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		for i, line := range lines {
			if len(lines) != len(want) || !strings.HasSuffix(line, want[i]) {
				t.Fatalf("got\n%swant %v", log.String(), want)
			}
		}
	})
}
