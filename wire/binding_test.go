package wire

import (
	"crypto/tls"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestMechanisms: channel binding is offered over TLS alone, and what a client makes of
// the offer is answered as PostgreSQL does.
func TestMechanisms(t *testing.T) {
	config, pool := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), Access: passwords(t, config)})
	for _, c := range []struct {
		name, mechanism, first string
		secure                 bool
		want                   string
	}{
		{"no TLS", "SCRAM-SHA-256-PLUS", "p=tls-server-end-point,,n=,r=abc", false, "FATAL 08P01: client selected an invalid SASL authentication mechanism"},
		{"no TLS, no offer", "SCRAM-SHA-256", "y,,n=,r=abc", false, "challenge"},
		{"unknown", "SCRAM-SHA-512", "n,,n=,r=abc", true, "FATAL 08P01: client selected an invalid SASL authentication mechanism"},
		{"bound", "SCRAM-SHA-256-PLUS", "p=tls-server-end-point,,n=,r=abc", true, "challenge"},
		{"plain", "SCRAM-SHA-256", "n,,n=,r=abc", true, "challenge"},
		{"downgraded", "SCRAM-SHA-256", "y,,n=,r=abc", true, "FATAL 28000: SCRAM channel binding negotiation error"},
		{"chosen and not done", "SCRAM-SHA-256-PLUS", "n,,n=,r=abc", true, "FATAL 08P01: malformed SCRAM message"},
		{"not chosen and done", "SCRAM-SHA-256", "p=tls-server-end-point,,n=,r=abc", true, "FATAL 08P01: malformed SCRAM message"},
		{"another type", "SCRAM-SHA-256-PLUS", "p=tls-unique,,n=,r=abc", true, "FATAL 08P01: unsupported SCRAM channel-binding type"},
	} {
		conn := dial(t, addr)
		want := []string{"SCRAM-SHA-256"}
		if c.secure {
			conn = tls.Client(conn, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", NextProtos: []string{alpnProtocol}})
			want = []string{"SCRAM-SHA-256-PLUS", "SCRAM-SHA-256"}
		}
		if _, err := conn.Write(packet(v3, "user\x00alice\x00\x00")); err != nil {
			t.Fatal(err)
		}
		f := pgproto3.NewFrontend(conn, conn)
		offer, err := f.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, offer.(*pgproto3.AuthenticationSASL).AuthMechanisms); diff != "" {
			t.Errorf("%s: the offer (-want +got):\n%s", c.name, diff)
		}
		f.Send(&pgproto3.SASLInitialResponse{AuthMechanism: c.mechanism, Data: []byte(c.first)})
		if err := f.Flush(); err != nil {
			t.Fatal(err)
		}
		m, err := f.Receive()
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimPrefix(describeMessage(m), "ErrorResponse ")
		if _, ok := m.(*pgproto3.AuthenticationSASLContinue); ok {
			got = "challenge"
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// TestChannelBindingMeetsTheMiddle: a man in the middle whose certificate the client
// trusts passes on what both say. The password gets him in where nothing is bound.
func TestChannelBindingMeetsTheMiddle(t *testing.T) {
	config, _ := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), Access: passwords(t, config)})
	middle, _ := certificate(t)
	log := func(to string, binding string) error {
		conn, err := pgx.Connect(t.Context(), "postgres://alice:s%C3%A9cret@"+to+"/db?sslmode=require&channel_binding="+binding)
		if err == nil {
			conn.Close(t.Context())
		}
		return err
	}
	if err := log(addr, "require"); err != nil {
		t.Errorf("without anybody between: %v", err)
	}
	between := relay(t, middle, addr)
	if err := log(between, "disable"); err != nil {
		t.Errorf("unbound, through the middle: %v", err)
	}
	if e := wantState(t, log(between, "require"), "28000"); e.Message != "SCRAM channel binding check failed" || e.Severity != "FATAL" {
		t.Errorf("bound, through the middle: got %s %q", e.Severity, e.Message)
	}
}

// relay takes the TLS of clients under its own certificate and passes on all it gets.
func relay(t *testing.T, config *tls.Config, to string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	pass := func(client net.Conn) {
		defer client.Close()
		server, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		defer server.Close()
		var request [8]byte
		if _, err := io.ReadFull(client, request[:]); err != nil {
			return
		}
		if _, err := client.Write([]byte{'S'}); err != nil {
			return
		}
		if _, err := server.Write(request[:]); err != nil {
			return
		}
		if _, err := io.ReadFull(server, request[:1]); err != nil {
			return
		}
		inner, outer := tls.Server(client, config), tls.Client(server, &tls.Config{InsecureSkipVerify: true})
		go func() { _, _ = io.Copy(outer, inner); outer.Close() }()
		_, _ = io.Copy(inner, outer)
	}
	go func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			go pass(client)
		}
	}()
	return ln.Addr().String()
}

// TestPsqlBinds: libpq's channel_binding, over TLS and without.
func TestPsqlBinds(t *testing.T) {
	psql := testenv.Psql(t)
	config, _ := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), Access: passwords(t, config)})
	for _, c := range []struct{ parameters, want string }{
		{"sslmode=require&channel_binding=require", "1\n"},
		{"sslmode=require&channel_binding=prefer", "1\n"},
		{"sslmode=require&channel_binding=disable", "1\n"},
		{"sslmode=disable&channel_binding=require", "channel binding required, but SSL not in use"},
	} {
		cmd := exec.CommandContext(t.Context(), psql, "postgres://alice@"+addr+"/db?"+c.parameters, "-XAtc", "select generate_series(1, 1)")
		cmd.Env = append(os.Environ(), "PGPASSWORD=sécret", "PGCLIENTENCODING=UTF8")
		if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), c.want) {
			t.Errorf("%s: got %q, want %q", c.parameters, out, c.want)
		}
	}
}
