package traps

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/internal/testenv"
)

// patience is how long the test waits for an answer.
const patience = testenv.Patience

// frames is a connection whose messages the test writes itself.
type frames struct {
	net.Conn
	*pgproto3.Frontend
	parameters map[string]string // of the ParameterStatus messages so far
	key        *pgproto3.BackendKeyData
}

// dial opens a socket without a word.
func (g *gate) dial(t *testing.T) *frames {
	t.Helper()
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return &frames{Conn: conn, Frontend: pgproto3.NewFrontend(conn, conn), parameters: map[string]string{}}
}

// open logs in.
func (g *gate) open(t *testing.T) *frames {
	t.Helper()
	f := g.dial(t)
	f.login(t)
	return f
}

func (f *frames) login(t *testing.T) {
	t.Helper()
	f.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "tester", "database": "onto"}})
	if got := f.until(t, "Ready"); got[len(got)-1] != "Ready I" {
		t.Fatalf("login: %q", got)
	}
}

// talk sends messages and returns what is answered until ReadyForQuery.
func (f *frames) talk(t *testing.T, messages ...pgproto3.FrontendMessage) []string {
	t.Helper()
	for _, m := range messages {
		f.Send(m)
	}
	return f.until(t, "Ready")
}

// until flushes what was sent and reads messages, the last of which begins so.
func (f *frames) until(t *testing.T, prefix string) (lines []string) {
	t.Helper()
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	for {
		m, err := f.Receive()
		if err != nil {
			t.Fatalf("after %q: %v", lines, err)
		}
		line := f.line(m)
		if line == "" {
			continue
		}
		if lines = append(lines, line); strings.HasPrefix(line, prefix) {
			return lines
		}
	}
}

// line is a message in a few words, "" for what comes at any time.
func (f *frames) line(m pgproto3.BackendMessage) string {
	switch m := m.(type) {
	case *pgproto3.ParameterStatus:
		f.parameters[m.Name] = m.Value
		return ""
	case *pgproto3.BackendKeyData:
		key := *m
		f.key = &key
		return ""
	case *pgproto3.NoticeResponse, *pgproto3.AuthenticationOk:
		return ""
	case *pgproto3.ReadyForQuery:
		return "Ready " + string(m.TxStatus)
	case *pgproto3.ErrorResponse:
		return "Error " + m.Code
	case *pgproto3.CommandComplete:
		return "Complete " + string(m.CommandTag)
	case *pgproto3.RowDescription:
		var cols []string
		for _, c := range m.Fields {
			cols = append(cols, fmt.Sprintf("%s %d/%d", c.Name, c.DataTypeOID, c.Format))
		}
		return "Columns " + strings.Join(cols, ", ")
	case *pgproto3.ParameterDescription:
		return fmt.Sprintf("Parameters %d", m.ParameterOIDs)
	case *pgproto3.DataRow:
		var cells []string
		for _, v := range m.Values {
			cells = append(cells, string(v))
		}
		return "Row " + strings.Join(cells, "|")
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3.")
}

// expect compares an answer with the one that PostgreSQL gives.
func expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-wanted +got):\n%s", what, diff)
	}
}

var sync = &pgproto3.Sync{}

func parse(name, sql string, oids ...uint32) *pgproto3.Parse {
	return &pgproto3.Parse{Name: name, Query: sql, ParameterOIDs: oids}
}

// bind binds parameters given as text.
func bind(statement string, args ...string) *pgproto3.Bind {
	b := &pgproto3.Bind{PreparedStatement: statement}
	for _, a := range args {
		b.Parameters = append(b.Parameters, []byte(a))
	}
	return b
}

func execute(rows uint32) *pgproto3.Execute { return &pgproto3.Execute{MaxRows: rows} }

func describeStatement(name string) *pgproto3.Describe {
	return &pgproto3.Describe{ObjectType: 'S', Name: name}
}

func describePortal(name string) *pgproto3.Describe {
	return &pgproto3.Describe{ObjectType: 'P', Name: name}
}

func simple(sql string) *pgproto3.Query { return &pgproto3.Query{String: sql} }
