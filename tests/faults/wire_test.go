package faults

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/internal/testenv"
)

// raw is a connection without a driver between the test and the bytes.
type raw struct {
	net.Conn
	*pgproto3.Frontend
}

func (g *gateway) raw(t *testing.T) *raw {
	t.Helper()
	conn, err := net.DialTimeout("tcp", g.address, testenv.Patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(testenv.Patience))
	return &raw{conn, pgproto3.NewFrontend(conn, conn)}
}

// login starts a session and reads up to ReadyForQuery.
func (r *raw) login(t *testing.T) *raw {
	t.Helper()
	r.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "tester", "database": "onto"}})
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	if e := r.untilReady(t); e != nil {
		t.Fatalf("login: %s", e.Message)
	}
	return r
}

// write sends bytes as they are.
func (r *raw) write(t *testing.T, b []byte) {
	t.Helper()
	if _, err := r.Write(b); err != nil {
		t.Fatal(err)
	}
}

// untilReady reads up to ReadyForQuery and returns the error on the way, if
// any.
func (r *raw) untilReady(t *testing.T) *pgproto3.ErrorResponse {
	t.Helper()
	var found *pgproto3.ErrorResponse
	for {
		m, err := r.Receive()
		if err != nil {
			t.Fatalf("wait for ReadyForQuery: %v", err)
		}
		switch m := m.(type) {
		case *pgproto3.ErrorResponse:
			e := *m
			found = &e
		case *pgproto3.ReadyForQuery:
			return found
		}
	}
}

// untilClosed reads to the end of the connection and returns the last error.
func (r *raw) untilClosed(t *testing.T) *pgproto3.ErrorResponse {
	t.Helper()
	var found *pgproto3.ErrorResponse
	for {
		m, err := r.Receive()
		if e, ok := m.(*pgproto3.ErrorResponse); ok {
			last := *e
			found = &last
		}
		if err != nil {
			var late net.Error
			if errors.As(err, &late) && late.Timeout() {
				t.Errorf("the gateway leaves the connection open")
			}
			return found
		}
	}
}

// message is a frontend message with any body, its length right.
func message(kind byte, body ...byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4)), body...)
}

// announced is the head of a message that promises length bytes.
func announced(kind byte, length uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{kind}, length)
}

// TestMalformedMessages sends what no client sends. The process must live, other
// sessions too, and nothing is allocated for a promise.
func TestMalformedMessages(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	witness := g.connect(t, "onto")
	parse := message('P', []byte("\x00SELECT $1::text\x00\x00\x00")...)
	sync := message('S')
	for _, test := range []struct {
		name  string
		bytes []byte
		code  string // SQLSTATE of the error; the session continues after it
		fatal bool   // the session ends with it
	}{
		// Length -1 means NULL; every other negative length is invalid.
		{"Bind with a parameter of length -2", join(parse, message('B', 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe), sync), "08P01", false},
		{"Bind that promises 65535 parameters", join(parse, message('B', 0, 0, 0, 0, 0xff, 0xff), sync), "08P01", false},
		{"Bind with a parameter beyond its end", join(parse, message('B', 0, 0, 0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff), sync), "08P01", false},
		{"Bind without a body", join(parse, message('B'), sync), "08P01", false},
		{"Bind with one format too many", join(parse, message('B', 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0), sync), "08P01", false},
		{"Bind with an unknown format", join(parse, message('B', 0, 0, 0, 1, 0, 9, 0, 1, 0, 0, 0, 0, 0, 0), sync), "22023", false},
		{"Bind of a statement that is not there", join(message('B', []byte("\x00nosuch\x00\x00\x00\x00\x00\x00\x00")...), sync), "26000", false},
		{"Execute of a portal that is not there", join(message('E', []byte("nosuch\x00\x00\x00\x00\x00")...), sync), "34000", false},
		{"Describe of nothing", join(message('D', []byte("X\x00")...), sync), "08P01", false},
		{"Parse without its end", join(message('P', []byte("\x00SELECT 1")...), sync), "08P01", false},
		{"Parse with a negative count of types", join(message('P', []byte("\x00SELECT 1\x00\xff\xff")...), sync), "08P01", false},
		{"two statements in one Parse", join(message('P', []byte("\x00SELECT 1; SELECT 2\x00\x00\x00")...), sync), "42601", false},
		{"Query without its end", message('Q', []byte("SELECT 1")...), "08P01", false},
		{"Query with bytes behind its end", message('Q', []byte("SELECT 1\x00SELECT 2\x00")...), "08P01", false},
		{"Query that is not UTF-8", message('Q', []byte("SELECT '\xff\xfe'\x00")...), "22021", false},
		{"Query with half a character", message('Q', []byte("SELECT '\xc3'\x00")...), "22021", false},
		{"Query with an overlong slash", message('Q', []byte("SELECT '\xc0\xaf'\x00")...), "22021", false},
		{"Query with a surrogate", message('Q', []byte("SELECT '\xed\xa0\x80'\x00")...), "22021", false},
		{"Parse that is not UTF-8", join(message('P', []byte("\x00SELECT '\xff'\x00\x00\x00")...), sync), "22021", false},
		{"parameter that is not UTF-8", join(parse, message('B', 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0xff, 0, 0), message('E', 0, 0, 0, 0, 0), sync), "22021", false},
		{"parameter with NUL", join(parse, message('B', 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 'a', 0, 0, 0), message('E', 0, 0, 0, 0, 0), sync), "22021", false},
		{"unknown message", message('~', 1, 2, 3), "08P01", true},
		{"length below its own size", announced('Q', 3), "08P01", true},
		{"length with the sign bit", announced('Q', 0xfffffff0), "08P01", true},
		{"1 GiB announced", announced('Q', 1<<30), "54000", true},
		{"password out of turn", message('p', []byte("secret\x00")...), "08P01", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := g.raw(t).login(t)
			r.write(t, test.bytes)
			var e *pgproto3.ErrorResponse
			if test.fatal {
				e = r.untilClosed(t)
			} else {
				e = r.untilReady(t)
			}
			if e == nil || e.Code != test.code {
				t.Fatalf("the gateway answers %+v, want SQLSTATE %s", e, test.code)
			}
			if test.fatal != (e.Severity == "FATAL") {
				t.Errorf("severity %s of %s %q, want FATAL: %t", e.Severity, e.Code, e.Message, test.fatal)
			}
			if !test.fatal {
				r.write(t, message('Q', []byte("SELECT 'still here'\x00")...))
				if e := r.untilReady(t); e != nil {
					t.Errorf("the next query: %s %s", e.Code, e.Message)
				}
			}
		})
	}
	witness.answers(t, `SELECT 1`, "1")
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// TestBeforeLogin sends what comes before a session, or what should not.
func TestBeforeLogin(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	witness := g.connect(t, "onto")
	startup := func(version uint32, pairs string) []byte {
		body := append(binary.BigEndian.AppendUint32(nil, version), pairs...)
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4)), body...)
	}
	before := residentKiB(t, g)
	for _, test := range []struct {
		name  string
		bytes []byte
		code  string // "" is a close without a word, PostgreSQL's answer to what is no startup packet
	}{
		{"1 GiB announced", binary.BigEndian.AppendUint32(nil, 1<<30), ""},
		{"2 GiB announced and more", []byte{0xff, 0xff, 0xff, 0xff, 0, 3, 0, 0}, ""},
		{"10,005 bytes announced", binary.BigEndian.AppendUint32(nil, 10_005), ""},
		{"length 0", []byte{0, 0, 0, 0}, ""},
		{"length 7", []byte{0, 0, 0, 7, 0, 3, 0}, ""},
		{"protocol 2", startup(2<<16, "user\x00u\x00\x00"), "0A000"},
		{"protocol 4", startup(4<<16, "user\x00u\x00\x00"), "0A000"},
		{"no user", startup(3<<16, "database\x00onto\x00\x00"), "28000"},
		{"no terminator", startup(3<<16, "user\x00u\x00database\x00onto\x00"), "08P01"},
		{"a name without a value", startup(3<<16, "user\x00"), "08P01"},
		{"a user that is not UTF-8", startup(3<<16, "user\x00\xff\x00\x00"), "22021"},
		{"a database that is not UTF-8", startup(3<<16, "user\x00u\x00database\x00\xff\x00\x00"), "22021"},
		{"replication", startup(3<<16, "user\x00u\x00replication\x00database\x00\x00"), "0A000"},
		{"an HTTP request", []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), ""},
		{"a cancel request for nobody", append([]byte{0, 0, 0, 16, 4, 210, 22, 46}, 1, 2, 3, 4, 5, 6, 7, 8), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := g.raw(t)
			r.write(t, test.bytes)
			e := r.untilClosed(t)
			switch {
			case test.code == "" && e != nil:
				t.Errorf("the gateway answers %s %s, want no answer", e.Code, e.Message)
			case test.code != "" && (e == nil || e.Code != test.code || e.Severity != "FATAL"):
				t.Errorf("the gateway answers %+v, want FATAL %s", e, test.code)
			}
		})
	}
	// A message length that is announced but never sent allocates no memory.
	for range 100 {
		g.raw(t).write(t, binary.BigEndian.AppendUint32(nil, 1<<30))
		g.raw(t).write(t, binary.BigEndian.AppendUint32(nil, 9_000))
	}
	witness.answers(t, `SELECT 1`, "1")
	if grown := residentKiB(t, g) - before; grown > 64<<10 {
		t.Errorf("200 connections that announced up to 1 GiB cost %d KiB of memory, want next to nothing", grown)
	}
}

// TestMemoryBeforeLogin: a connection that has not logged in costs 64 KiB at most,
// however far its client went before it fell silent.
func TestMemoryBeforeLogin(t *testing.T) {
	t.Parallel()
	const clients, most = 400, 64 // KiB each
	users := filepath.Join(t.TempDir(), "users")
	if err := os.WriteFile(users, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cert, key := certificate(t)
	// What handshakes leave behind is collected soon: it is no connection's.
	g := serve(t, []string{"GOGC=50"}, "--cache-dir", t.TempDir(), "--storage-uri", demoDir, "--auth", "scram", "--users", users,
		"--tls-cert", cert, "--tls-key", key, "--max-connections", strconv.Itoa(clients))
	user := append(binary.BigEndian.AppendUint32(nil, 3<<16), "user\x00u\x00\x00"...)
	user = append(binary.BigEndian.AppendUint32(nil, uint32(len(user)+4)), user...)
	unended := append(binary.BigEndian.AppendUint32(nil, 10_004), make([]byte, 9_999)...)
	record := append([]byte{23, 3, 3, 0x41, 0}, make([]byte, 1<<14+255)...) // of TLS, without its last byte
	for _, c := range []struct {
		name string
		say  func(r *raw)
	}{
		{"nothing", func(*raw) {}},
		{"all but the end of a startup packet", func(r *raw) { r.write(t, unended) }},
		{"the promise of a proof", func(r *raw) { r.write(t, append(user, announced('p', 1_000)...)) }},
		{"that they want TLS", func(r *raw) { r.requestTLS(t) }},
		{"half a ClientHello", func(r *raw) {
			hello := clientHello()
			r.requestTLS(t)
			r.write(t, hello[:len(hello)/2])
		}},
		{"a ClientHello and nothing after it", func(r *raw) {
			r.requestTLS(t)
			r.write(t, clientHello())
			r.hear(t, 100)
		}},
		{"a ClientHello at once", func(r *raw) {
			r.write(t, clientHello())
			r.hear(t, 100)
		}},
		{"nothing after a handshake", func(r *raw) { r.secured(t, nil) }},
		{"nothing after a handshake of TLS 1.2", func(r *raw) { r.secured(t, &tls.Config{MaxVersion: tls.VersionTLS12}) }},
		{"all but the end of a startup packet, and of a record", func(r *raw) {
			r.secured(t, nil).write(t, unended)
			r.write(t, record)
		}},
		{"the promise of a proof, in a record without an end", func(r *raw) {
			secured := r.secured(t, nil)
			secured.write(t, user)
			secured.hear(t, 1)
			secured.write(t, announced('p', 1_000))
			r.write(t, record)
		}},
	} {
		before := residentKiB(t, g)
		var silent []*raw
		for range clients {
			r := g.raw(t)
			silent = append(silent, r)
			c.say(r)
		}
		// The last of them is answered when all have been taken: there is no room for more.
		e := g.raw(t).untilClosed(t)
		if e == nil || e.Code != "53300" {
			t.Errorf("after %d clients that said %s one more hears %+v, want 53300", clients, c.name, e)
		}
		if grown := residentKiB(t, g) - before; grown > clients*most {
			t.Errorf("%d clients that said %s cost %d KiB, want %d at most", clients, c.name, grown, clients*most)
		}
		for _, r := range silent {
			r.leave(t)
		}
	}
}

// leave ends the connection and waits until the gateway has ended it too, which frees its place.
func (r *raw) leave(t *testing.T) {
	t.Helper()
	_ = r.SetDeadline(time.Now().Add(testenv.Patience))
	if err := r.Conn.(*net.TCPConn).CloseWrite(); err != nil && !errors.Is(err, syscall.ENOTCONN) {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r.Conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the gateway leaves the connection open")
	}
	r.Close()
}

// requestTLS sends SSLRequest and expects the answer S.
func (r *raw) requestTLS(t *testing.T) {
	t.Helper()
	r.write(t, []byte{0, 0, 0, 8, 4, 210, 22, 47})
	if answer := r.hear(t, 1); answer[0] != 'S' {
		t.Fatalf("a request for TLS is answered with %q, want S", answer)
	}
}

// secured is TLS over the connection, with settings of a test.
func (r *raw) secured(t *testing.T, config *tls.Config) *raw {
	t.Helper()
	if config == nil {
		config = &tls.Config{}
	}
	config.InsecureSkipVerify = true
	r.requestTLS(t)
	conn := tls.Client(r.Conn, config)
	if err := conn.Handshake(); err != nil {
		t.Fatal(err)
	}
	return &raw{conn, pgproto3.NewFrontend(conn, conn)}
}

// hear reads that many bytes.
func (r *raw) hear(t *testing.T, n int) []byte {
	t.Helper()
	heard := make([]byte, n)
	if _, err := io.ReadFull(r.Conn, heard); err != nil {
		t.Fatal(err)
	}
	return heard
}

// clientHello is what a client says first when it begins TLS at once.
func clientHello() []byte {
	here, there := net.Pipe()
	go func() {
		_ = tls.Client(here, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"postgresql"}}).Handshake()
	}()
	hello := make([]byte, 1<<14)
	n, _ := there.Read(hello)
	here.Close()
	return hello[:n]
}

// residentKiB is how much memory the process has.
func residentKiB(t *testing.T, g *gateway) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.cmd.Process.Pid))
	if err != nil {
		t.Skipf("no /proc to read the memory of a process from: %v", err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	var kib int
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}

// TestHalfMessages leaves in the middle of things.
func TestHalfMessages(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	for _, part := range [][]byte{
		{},
		{'Q'},
		{'Q', 0, 0},
		announced('Q', 100), append(announced('Q', 100), "SELECT"...),
		message('P', []byte("\x00SELECT 1\x00\x00\x00")...),
		message('Q', []byte("SELECT * FROM history.customer a, history.customer b, history.customer c\x00")...),
	} {
		r := g.raw(t).login(t)
		r.write(t, part)
		r.Close()
	}
	c := g.connect(t, "onto")
	waitFor(t, "the sessions of clients that left to end", func() bool {
		rows, err := c.ask(t, `SELECT count(*) FROM pg_stat_activity WHERE datname = 'onto' AND pid <> pg_backend_pid()`)
		return err == nil && rows[0] == "0"
	})
}

// TestTooManyConnections fills the gateway.
func TestTooManyConnections(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir, "--max-connections", "2")
	a, b := g.connect(t, "onto"), g.connect(t, "onto")
	_, err := g.dial(t, "onto")
	wantError(t, "the third connection of two", err, "53300", "too many")
	a.answers(t, `SELECT 1`, "1")
	if err := b.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "a place to become free", func() bool { _, err := g.dial(t, "onto"); return err == nil })
}

// TestParameters sends parameters that are no values of their types.
func TestParameters(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	c := g.connect(t, "onto")
	for _, test := range []struct{ sql, value, code, says string }{
		{`SELECT $1::int`, "abc", "22P02", `invalid input syntax for type integer: "abc"`},
		{`SELECT $1::int`, "99999999999", "22003", "out of range"},
		{`SELECT $1::bool`, "perhaps", "22P02", "boolean"},
		{`SELECT $1::date`, "2025-02-30", "22008", "2025-02-30"},
		{`SELECT $1::uuid`, "x", "22P02", "uuid"},
		{`SELECT $1::numeric`, "1e", "22P02", "numeric"},
		{`SELECT $1::int[]`, "{1,", "22P02", "malformed array literal"},
		{`SELECT * FROM as_of.customer($1)`, "nonsense", "22023", `invalid point "nonsense"`},
		{`SELECT * FROM customer FOR SYSTEM_TIME AS OF $1`, "nonsense", "22023", `invalid point "nonsense"`},
		{`SELECT * FROM customer WHERE commit_id = $1`, "x", "22P02", "bigint"},
		{`SELECT $2::int`, "1", "42P18", "parameter $1"},
		{`SELECT $2::int, $1::text`, "1", "08P01", "parameters"},
	} {
		result := c.ExecParams(t.Context(), test.sql, [][]byte{[]byte(test.value)}, nil, nil, nil).Read()
		wantError(t, fmt.Sprintf("%s with %q", test.sql, test.value), result.Err, test.code, test.says)
	}
	var state *pgconn.PgError
	_, err := c.Prepare(t.Context(), "s", `SELECT 1; SELECT 2`, nil)
	if !errors.As(err, &state) || state.Code != "42601" || !strings.Contains(state.Message, "multiple commands") {
		t.Errorf("two statements in one Parse: %s, want 42601 about multiple commands", describe(err))
	}
	c.answers(t, `SELECT 'still here'`, "still here")
}
