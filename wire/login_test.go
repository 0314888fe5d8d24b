package wire

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/auth"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/pgerr"
)

// packet is a startup packet or request: length, code, body.
func packet(code uint32, body string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return append(binary.BigEndian.AppendUint32(b, code), body...)
}

const v3 = pgproto3.ProtocolVersion30

// answer sends raw bytes and returns the first answer, or "closed".
func answer(t *testing.T, addr string, raw []byte) string {
	t.Helper()
	conn := dial(t, addr)
	if _, err := conn.Write(raw); err != nil {
		t.Fatal(err)
	}
	m, err := pgproto3.NewFrontend(conn, conn).Receive()
	if err != nil {
		return "closed"
	}
	if v, ok := m.(*pgproto3.NegotiateProtocolVersion); ok {
		return strings.TrimSpace("negotiate " + strings.Join(v.UnrecognizedOptions, " "))
	}
	return describeMessage(m)
}

func TestStartupPackets(t *testing.T) {
	addr := startServer(t, Options{Handler: newFake()})
	for _, c := range []struct {
		name string
		raw  []byte
		want string
	}{
		{"plain", packet(v3, "user\x00u\x00\x00"), "AuthenticationOk"},
		{"protocol 3.2", packet(3<<16|2, "user\x00u\x00\x00"), "negotiate"},
		{"protocol option", packet(v3, "user\x00u\x00_pq_.x\x001\x00\x00"), "negotiate _pq_.x"},
		{"protocol 2.0", packet(2<<16, "user\x00u\x00\x00"), "ErrorResponse FATAL 0A000: unsupported frontend protocol 2.0: server supports 3.0 to 3.0"},
		{"no user", packet(v3, "database\x00d\x00\x00"), "ErrorResponse FATAL 28000: no PostgreSQL user name specified in startup packet"},
		{"empty", packet(v3, ""), "ErrorResponse FATAL 08P01: invalid startup packet layout: expected terminator as last byte"},
		{"no terminator", packet(v3, "user\x00u\x00"), "ErrorResponse FATAL 08P01: invalid startup packet layout: expected terminator as last byte"},
		{"key without end", packet(v3, "user\x00u\x00da"), "ErrorResponse FATAL 08P01: invalid startup packet layout: expected terminator as last byte"},
		{"bytes after the end", packet(v3, "user\x00u\x00\x00x\x00"), "ErrorResponse FATAL 08P01: invalid startup packet layout: expected terminator as last byte"},
		{"bad UTF-8", packet(v3, "user\x00\xff\x00\x00"), `ErrorResponse FATAL 22021: invalid byte sequence for encoding "UTF8": 0xff`},
		{"replication", packet(v3, "user\x00u\x00replication\x00database\x00\x00"), "ErrorResponse FATAL 0A000: replication connections are not supported"},
		{"no replication", packet(v3, "user\x00u\x00replication\x00off\x00\x00"), "AuthenticationOk"},
		{"bad options", packet(v3, "user\x00u\x00options\x00-F\x00\x00"), "ErrorResponse FATAL 42601: invalid command-line argument for server process: -F"},
		{"http", []byte("GET / HTTP/1.1\r\n\r\n"), "closed"},
		{"1 GiB announced", []byte{0x40, 0, 0, 0, 0, 3, 0, 0}, "closed"},
		{"too short", []byte{0, 0, 0, 7, 0, 3, 0}, "closed"},
		{"negative length", []byte{0xff, 0xff, 0xff, 0xff, 0, 3, 0, 0}, "closed"},
		{"over 10,000 bytes", packet(v3, "user\x00"+strings.Repeat("u", 10_000)+"\x00\x00"), "closed"},
		{"direct TLS without TLS", []byte{0x16, 3, 1, 0, 5, 1, 2, 3}, "closed"},
		{"cancel of nobody", packet(cancelRequestCode, "\x00\x00\x00\x01abcd"), "closed"},
		{"short cancel", packet(cancelRequestCode, "\x00\x00"), "closed"},
	} {
		if got := answer(t, addr, c.raw); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestEncryptionRequestsComeOnce(t *testing.T) {
	conn := dial(t, startServer(t, Options{Handler: newFake()}))
	for _, code := range []uint32{gssEncRequestCode, sslRequestCode} {
		if _, err := conn.Write(packet(code, "")); err != nil {
			t.Fatal(err)
		}
		var b [1]byte
		if _, err := io.ReadFull(conn, b[:]); err != nil || b[0] != 'N' {
			t.Fatalf("request %d: got %q, %v; want N", code, b, err)
		}
	}
	if _, err := conn.Write(packet(sslRequestCode, "")); err != nil {
		t.Fatal(err)
	}
	m, err := pgproto3.NewFrontend(conn, conn).Receive()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := describeMessage(m), "ErrorResponse FATAL 0A000: unsupported frontend protocol 1234.5679: server supports 3.0 to 3.0"; got != want {
		t.Errorf("second SSLRequest: got %s, want %s", got, want)
	}
}

func TestStartupTimeout(t *testing.T) {
	conn := dial(t, startServer(t, Options{Handler: newFake(), StartupTimeout: 50 * time.Millisecond}))
	if _, err := io.ReadAll(conn); err != nil {
		t.Errorf("a silent client was not hung up on: %v", err)
	}
}

// TestSlowStartup drips a startup packet: each byte is in time, all together are not.
func TestSlowStartup(t *testing.T) {
	conn := dial(t, startServer(t, Options{Handler: newFake(), StartupTimeout: 50 * time.Millisecond}))
	over := make(chan struct{})
	go func() {
		defer close(over)
		if _, err := io.ReadAll(conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("a slow client was not hung up on: %v", err)
		}
	}()
	for _, b := range packet(v3, "user\x00"+strings.Repeat("u", 9_000)+"\x00\x00") {
		select {
		case <-over:
			return
		case <-time.After(time.Millisecond):
			_, _ = conn.Write([]byte{b}) // the end is seen by the reader
		}
	}
	t.Error("the whole of a startup packet was waited for")
	conn.Close()
	<-over
}

func TestParseOptions(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Option
		err  string
	}{
		{"", nil, ""},
		{"  ", nil, ""},
		{"-c a=b", []Option{{"a", "b"}}, ""},
		{" -ca=b  --c-d=e=f\t-c ontosql.as_of=42", []Option{{"a", "b"}, {"c_d", "e=f"}, {"ontosql.as_of", "42"}}, ""},
		{`-c search_path=a,\ b\\c`, []Option{{"search_path", `a, b\c`}}, ""},
		{`-c a=\`, []Option{{"a", ""}}, ""},
		{"-c", nil, "invalid command-line argument for server process: -c"},
		{"-c a", nil, "-c a requires a value"},
		{"--a", nil, "--a requires a value"},
		{"word", nil, "invalid command-line argument for server process: word"},
	} {
		got, err := parseOptions(c.text)
		if message := ""; err != nil || c.err != "" {
			if e := (*pgerr.Error)(nil); errors.As(err, &e) {
				message = e.Message
			}
			if message != c.err {
				t.Errorf("%q: got error %v, want %q", c.text, err, c.err)
			}
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", c.text, diff)
		}
	}
}

func TestStartupReachesTheHandler(t *testing.T) {
	h := newFake()
	seen := make(chan Startup, 1)
	h.open = func(s Startup) ([]Option, error) { seen <- s; return nil, nil }
	addr := startServer(t, Options{Handler: h})
	conn := connect(t, addr, "options=-c%20ontosql.as_of%3D42&application_name=test")
	s := <-seen
	if s.User != "alice" || s.Database != "db" || s.PID != conn.PgConn().PID() || s.TLS != nil || s.Remote == nil {
		t.Errorf("got %+v", s)
	}
	if diff := cmp.Diff([]Option{{"ontosql.as_of", "42"}}, s.Options); diff != "" {
		t.Errorf("options: (-want +got)\n%s", diff)
	}
	if s.Params["application_name"] != "test" {
		t.Errorf("params: %v", s.Params)
	}
}

// certificate is self-signed for 127.0.0.1.
func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, pool
}

// usersFile holds alice with the password "sécret".
func usersFile(t *testing.T) *auth.Users {
	t.Helper()
	path := filepath.Join(t.TempDir(), "users")
	verifier, err := auth.NewVerifier("sécret")
	if err != nil {
		t.Fatal(err)
	}
	if err := auth.Add(path, "alice", verifier); err != nil {
		t.Fatal(err)
	}
	users, err := auth.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return users
}

func TestScramLogin(t *testing.T) {
	config, pool := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), Auth: usersFile(t), TLS: config})
	for _, c := range []struct{ name, user, password, code string }{
		{"good", "alice", "sécret", ""},
		{"wrong password", "alice", "secret", pgerr.InvalidPassword},
		{"no password", "alice", "", pgerr.InvalidPassword},
		{"unknown user", "bob", "sécret", pgerr.InvalidPassword},
	} {
		for _, secure := range []bool{false, true} {
			cfg, err := pgx.ParseConfig("postgres://" + addr + "/db?sslmode=disable")
			if err != nil {
				t.Fatal(err)
			}
			cfg.User, cfg.Password = c.user, c.password
			if secure {
				cfg.TLSConfig = &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}
			}
			conn, err := pgx.ConnectConfig(t.Context(), cfg)
			if c.code == "" {
				if err != nil {
					t.Errorf("%s, TLS %v: %v", c.name, secure, err)
					continue
				}
				if _, err := conn.Exec(t.Context(), "select generate_series(1, 3)"); err != nil {
					t.Errorf("%s, TLS %v: %v", c.name, secure, err)
				}
				conn.Close(t.Context())
				continue
			}
			e := wantState(t, err, c.code)
			if want := `password authentication failed for user "` + c.user + `"`; e.Message != want || e.Severity != "FATAL" {
				t.Errorf("%s, TLS %v: got %s %q, want FATAL %q", c.name, secure, e.Severity, e.Message, want)
			}
		}
	}
}

func TestBytesBeforeLoginAreBounded(t *testing.T) {
	conn := dial(t, startServer(t, Options{Handler: newFake(), Auth: usersFile(t)}))
	if _, err := conn.Write(packet(v3, "user\x00alice\x00\x00")); err != nil {
		t.Fatal(err)
	}
	f := pgproto3.NewFrontend(conn, conn)
	if _, err := f.Receive(); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte{'p', 0x40, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	m, err := f.Receive()
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := m.(*pgproto3.ErrorResponse); !ok || e.Code != pgerr.ProgramLimitExceeded {
		t.Errorf("1 GiB announced before login: got %s, want 54000", describeMessage(m))
	}
}

func TestDirectTLS(t *testing.T) {
	config, pool := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), TLS: config})
	for _, protocols := range [][]string{{alpnProtocol}, nil} {
		conn, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: pool, NextProtos: protocols})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.Write(packet(v3, "user\x00u\x00\x00")); err != nil {
			t.Fatal(err)
		}
		m, err := pgproto3.NewFrontend(conn, conn).Receive()
		if err != nil {
			t.Fatal(err)
		}
		want := "AuthenticationOk"
		if protocols == nil {
			want = "ErrorResponse FATAL 08P01: received direct SSL connection request without ALPN protocol negotiation extension"
		}
		if got := describeMessage(m); got != want {
			t.Errorf("ALPN %v: got %s, want %s", protocols, got, want)
		}
	}
}

func TestRequireTLS(t *testing.T) {
	config, _ := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), TLS: config, RequireTLS: true})
	_, err := pgx.Connect(t.Context(), "postgres://alice@"+addr+"/db?sslmode=disable")
	wantState(t, err, pgerr.InvalidAuthorizationSpec)
	conn, err := pgx.Connect(t.Context(), "postgres://alice@"+addr+"/db?sslmode=require")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close(context.Background())
}

func TestPsql(t *testing.T) {
	psql := testenv.Psql(t)
	config, _ := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), Auth: usersFile(t), TLS: config})
	run := func(password, sslmode string) (string, error) {
		cmd := exec.CommandContext(t.Context(), psql, "postgres://alice@"+addr+"/db?sslmode="+sslmode,
			"-XAt", "-c", "select generate_series(1, 3)", "-c", "do notice", "-c", failingSQL)
		cmd.Env = append(os.Environ(), "PGPASSWORD="+password, "PGCLIENTENCODING=UTF8")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, sslmode := range []string{"disable", "require"} {
		want := "1\n2\n3\nWARNING:  beware\nDO\nERROR:  division by zero\n"
		if got, _ := run("sécret", sslmode); got != want {
			t.Errorf("%s: got\n%swant\n%s", sslmode, got, want)
		}
		if got, err := run("wrong", sslmode); err == nil || !strings.Contains(got, `password authentication failed for user "alice"`) {
			t.Errorf("%s with a wrong password: %v\n%s", sslmode, err, got)
		}
	}
}

// TestLongHandshake: a client's part of a handshake is as long as it needs to be, and no
// longer, however much of a ClientHello package crypto/tls would take.
func TestLongHandshake(t *testing.T) {
	config, pool := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), TLS: config})
	for _, c := range []struct {
		names int // of protocols in the ClientHello, 100 bytes each
		ok    bool
	}{{0, true}, {60, true}, {120, false}, {600, false}} {
		protocols := []string{alpnProtocol}
		for i := range c.names {
			protocols = append(protocols, fmt.Sprintf("%099d", i))
		}
		for _, direct := range []bool{false, true} {
			socket := dial(t, addr)
			if !direct {
				requestTLS(t, socket)
			}
			err := tls.Client(socket, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", NextProtos: protocols}).Handshake()
			if c.ok != (err == nil) {
				t.Errorf("a ClientHello of %d00 bytes and more, direct %v: %v, want it taken: %v", c.names, direct, err, c.ok)
			}
		}
	}
}

// requestTLS asks for TLS and is told to begin.
func requestTLS(t *testing.T, conn net.Conn) {
	t.Helper()
	if _, err := conn.Write(packet(sslRequestCode, "")); err != nil {
		t.Fatal(err)
	}
	var answer [1]byte
	if _, err := io.ReadFull(conn, answer[:]); err != nil || answer[0] != 'S' {
		t.Fatalf("SSLRequest: got %q, %v; want S", answer, err)
	}
}

// TestHalfOpenTLS: clients that stop in the middle of TLS, or go on a byte at a time, are
// hung up on when their time is over. Until then they keep nobody from logging in.
func TestHalfOpenTLS(t *testing.T) {
	config, pool := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), Auth: usersFile(t), TLS: config, StartupTimeout: time.Second})
	client := &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", NextProtos: []string{alpnProtocol}}
	hello := clientHello(client)
	startup := packet(v3, "user\x00alice\x00\x00")
	over := map[string]chan struct{}{}
	for name, c := range map[string]struct {
		secured     bool // after a handshake
		first, drip []byte
	}{
		"SSLRequest":                                {first: packet(sslRequestCode, "")},
		"half a ClientHello":                        {first: append(packet(sslRequestCode, ""), hello[:len(hello)/2]...)},
		"half of one at once":                       {first: hello[:len(hello)/2]},
		"a ClientHello":                             {first: append(packet(sslRequestCode, ""), hello...)},
		"a ClientHello, drop by drop":               {first: packet(sslRequestCode, ""), drip: hello},
		"garbage instead of Finished, drop by drop": {first: hello, drip: append([]byte{23, 3, 3, 0x40, 0}, make([]byte, 1<<14)...)},
		"a handshake":                               {secured: true},
		"a startup packet, drop by drop":            {secured: true, drip: packet(v3, "user\x00"+strings.Repeat("u", 9_000)+"\x00\x00")},
		"half a SCRAM exchange":                     {secured: true, first: startup},
		"a proof, drop by drop":                     {secured: true, first: startup, drip: append([]byte{'p', 0, 0, 3, 232}, make([]byte, 996)...)},
	} {
		conn := dial(t, addr)
		if c.secured {
			requestTLS(t, conn)
			conn = tls.Client(conn, client)
		}
		if _, err := conn.Write(c.first); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		over[name] = ended
		go func() {
			defer close(ended)
			// The server's close may find bytes unread, and resets the connection.
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: the connection was not closed", name)
			}
		}()
		go func() {
			for _, b := range c.drip {
				select {
				case <-ended:
					return
				case <-time.After(5 * time.Millisecond):
					_, _ = conn.Write([]byte{b}) // the end is seen by the reader
				}
			}
		}()
	}
	cfg, err := pgx.ParseConfig("postgres://alice@" + addr + "/db?sslmode=require")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Password = "sécret"
	conn, err := pgx.ConnectConfig(t.Context(), cfg)
	if err != nil {
		t.Fatalf("log in beside them: %v", err)
	}
	conn.Close(t.Context())
	for _, ended := range over {
		<-ended
	}
}

// clientHello is what a client says first.
func clientHello(config *tls.Config) []byte {
	here, there := net.Pipe()
	go func() { _ = tls.Client(here, config).Handshake() }()
	hello := make([]byte, 1<<14)
	n, _ := there.Read(hello)
	here.Close()
	return hello[:n]
}

// TestDeafTLS: a client that asks for much and reads nothing is hung up on at a shutdown,
// though the word that ends TLS has no room on its way either.
func TestDeafTLS(t *testing.T) {
	config, pool := certificate(t)
	server, addr := startServerWith(t, Options{Handler: newFake(), TLS: config, DrainTime: 100 * time.Millisecond})
	conn := tls.Client(dial(t, addr), &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", NextProtos: []string{alpnProtocol}})
	query := "select generate_series(1, 100000000)\x00" // a gigabyte
	for _, b := range [][]byte{packet(v3, "user\x00u\x00\x00"), append(binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(4+len(query))), query...)} {
		if _, err := conn.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.ReadFull(conn, make([]byte, 64<<10)); err != nil {
		t.Fatalf("read the first rows: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		t.Errorf("shutdown: %v", err)
	}
}

// TestTLSEndsWithAWord hears that the server has said all it had to, from a session that
// the client ended, one that was refused, and a CancelRequest. TLS 1.2 shows on the
// socket what a record is.
func TestTLSEndsWithAWord(t *testing.T) {
	const alertRecord = 21
	config, pool := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), TLS: config})
	for name, send := range map[string][]byte{
		"Terminate":     append(packet(v3, "user\x00u\x00\x00"), 'X', 0, 0, 0, 4),
		"a bad startup": packet(2<<16, "user\x00u\x00\x00"),
		"CancelRequest": packet(cancelRequestCode, "\x00\x00\x00\x01\x00\x00\x00\x02"),
	} {
		socket := &overheard{Conn: dial(t, addr)}
		conn := tls.Client(socket, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", NextProtos: []string{alpnProtocol}, MaxVersion: tls.VersionTLS12})
		if _, err := conn.Write(send); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(conn); err != nil {
			t.Fatalf("after %s reading ends with %v", name, err)
		}
		last := byte(0)
		for rest := socket.heard.Bytes(); len(rest) >= 5; {
			last = rest[0]
			rest = rest[min(len(rest), 5+(int(rest[3])<<8|int(rest[4]))):]
		}
		if last != alertRecord {
			t.Errorf("after %s the last record is of type %d, want an alert (%d)", name, last, alertRecord)
		}
	}
}

// overheard keeps what is read from a connection.
type overheard struct {
	net.Conn
	heard bytes.Buffer
}

func (o *overheard) Read(b []byte) (int, error) {
	n, err := o.Conn.Read(b)
	o.heard.Write(b[:n])
	return n, err
}
