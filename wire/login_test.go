package wire

import (
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
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
	"github.com/ontosql/ontosql/auth/hba"
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

// passwords is the access of alice by her password.
func passwords(t *testing.T, config *tls.Config) Access {
	t.Helper()
	return Access{Rules: rules(t, "host all all all scram-sha-256"), Users: usersFile(t), TLS: config}
}

// rules are those of an hba file.
func rules(t *testing.T, text string) *hba.Rules {
	t.Helper()
	r, err := hba.Parse("pg_hba.conf", text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// usersFile holds alice with the password "sécret".
func usersFile(t *testing.T) *auth.Users {
	t.Helper()
	path := filepath.Join(t.TempDir(), "users")
	verifier, err := auth.NewVerifier("sécret")
	if err != nil {
		t.Fatal(err)
	}
	if err := auth.Add(path, "alice", verifier, false); err != nil {
		t.Fatal(err)
	}
	users, err := auth.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return users
}

func TestScramLogin(t *testing.T) {
	config, pool := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), Access: passwords(t, config)})
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
	conn := dial(t, startServer(t, Options{Handler: newFake(), Access: passwords(t, nil)}))
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

func TestPsql(t *testing.T) {
	psql := testenv.Psql(t)
	config, _ := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), Access: passwords(t, config)})
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
