package faults

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strings"
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
