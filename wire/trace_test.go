package wire

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestTraces sends the messages of testdata/traces and compares the answers.
func TestTraces(t *testing.T) {
	h := newFake()
	runTraces(t, startServer(t, Options{Handler: h}))
	if n := h.live.Load(); n != 0 {
		t.Errorf("%d statements and portals were never closed", n)
	}
}

// TestTracesOfPostgres asks PostgreSQL the same, so that the expectations are
// its own: `go test ./wire -run TestTracesOfPostgres -rewrite` records them.
func TestTracesOfPostgres(t *testing.T) {
	dsn, err := url.Parse(testenv.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	runTraces(t, dsn.Host)
}

func runTraces(t *testing.T, addr string) {
	datadriven.Walk(t, "testdata/traces", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "trace" {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			return trace(t, addr, d.Input)
		})
	})
}

// trace logs in, sends one message for each line of the script and Terminate,
// and returns the answers up to the end of the connection, one a line.
func trace(t *testing.T, addr, lines string) string {
	t.Helper()
	conn := dial(t, addr)
	f := login(t, conn)
	var script []byte
	for line := range strings.Lines(lines) {
		script = append(script, parseMessage(t, strings.TrimSpace(line))...)
	}
	script = append(script, 'X', 0, 0, 0, 4)
	if _, err := conn.Write(script); err != nil {
		t.Fatalf("send %s: %v", lines, err)
	}
	var out strings.Builder
	for {
		m, err := f.Receive()
		if err != nil {
			// A server that hangs up on unread input resets the connection.
			if reset := (*net.OpError)(nil); !errors.As(err, &reset) && !errors.Is(err, io.ErrUnexpectedEOF) {
				fmt.Fprintf(&out, "broken: %v\n", err)
			}
			return out.String()
		}
		out.WriteString(describeMessage(m) + "\n")
	}
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(testenv.Patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// login says the startup packet and reads up to the first ReadyForQuery.
func login(t *testing.T, conn net.Conn) *pgproto3.Frontend {
	t.Helper()
	f := pgproto3.NewFrontend(conn, conn)
	f.Send(&pgproto3.StartupMessage{
		ProtocolVersion: pgproto3.ProtocolVersion30,
		Parameters:      map[string]string{"user": "postgres", "client_min_messages": "error"},
	})
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	for {
		m, err := f.Receive()
		if err != nil {
			t.Fatalf("login: %v", err)
		}
		switch m := m.(type) {
		case *pgproto3.ErrorResponse:
			t.Fatalf("login: %s", describeMessage(m))
		case *pgproto3.ReadyForQuery:
			return f
		}
	}
}

// parseMessage reads the line of one message: "Parse s1 'select 1' 23", with -
// for the empty name; parameters are text:..., hex:... or null, and formats of
// parameters and results follow as p=0,1 and r=1.
func parseMessage(t *testing.T, line string) []byte {
	t.Helper()
	kind, rest, _ := strings.Cut(line, " ")
	words := strings.Fields(rest)
	name := func(i int) string {
		if i >= len(words) || words[i] == "-" {
			return ""
		}
		return words[i]
	}
	var m pgproto3.FrontendMessage
	switch kind {
	case "Query":
		m = &pgproto3.Query{String: rest}
	case "Parse":
		m = parseLine(t, rest)
	case "Bind":
		m = bindLine(t, words)
	case "Describe":
		m = &pgproto3.Describe{ObjectType: words[0][0], Name: name(1)}
	case "Close":
		m = &pgproto3.Close{ObjectType: words[0][0], Name: name(1)}
	case "Execute":
		rows, _ := strconv.Atoi(name(1))
		m = &pgproto3.Execute{Portal: name(0), MaxRows: uint32(rows)}
	case "Sync":
		m = &pgproto3.Sync{}
	case "Flush":
		m = &pgproto3.Flush{}
	case "CopyData":
		data, err := strconv.Unquote(`"` + strings.ReplaceAll(rest, `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		m = &pgproto3.CopyData{Data: []byte(data)}
	case "CopyDone":
		m = &pgproto3.CopyDone{}
	case "CopyFail":
		m = &pgproto3.CopyFail{Message: rest}
	case "Raw":
		return unhex(t, strings.ReplaceAll(rest, " ", ""))
	default:
		t.Fatalf("unknown message %q", line)
	}
	buf, err := m.Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	return buf
}

func parseLine(t *testing.T, rest string) *pgproto3.Parse {
	t.Helper()
	name, rest, _ := strings.Cut(rest, " ")
	parts := strings.Split(rest, "'")
	m := &pgproto3.Parse{Name: strings.TrimPrefix(name, "-"), Query: parts[1]}
	for _, word := range strings.Fields(parts[2]) {
		oid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		m.ParameterOIDs = append(m.ParameterOIDs, uint32(oid))
	}
	return m
}

func bindLine(t *testing.T, words []string) *pgproto3.Bind {
	t.Helper()
	m := &pgproto3.Bind{
		DestinationPortal: strings.TrimPrefix(words[0], "-"), PreparedStatement: strings.TrimPrefix(words[1], "-"),
	}
	for _, word := range words[2:] {
		switch key, value, _ := strings.Cut(strings.Replace(word, "=", ":", 1), ":"); key {
		case "text":
			m.Parameters = append(m.Parameters, []byte(value))
		case "hex":
			m.Parameters = append(m.Parameters, unhex(t, value))
		case "null":
			m.Parameters = append(m.Parameters, nil)
		case "p":
			m.ParameterFormatCodes = formatCodes(t, value)
		case "r":
			m.ResultFormatCodes = formatCodes(t, value)
		default:
			t.Fatalf("unknown part %q of Bind", word)
		}
	}
	return m
}

func formatCodes(t *testing.T, list string) []int16 {
	t.Helper()
	var codes []int16
	for _, word := range strings.Split(list, ",") {
		code, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, int16(code))
	}
	return codes
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// describeMessage leaves out what differs between programs by nature: the
// source position of errors.
func describeMessage(m pgproto3.BackendMessage) string {
	kind := strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3.")
	switch m := m.(type) {
	case *pgproto3.ErrorResponse:
		where := ""
		if strings.HasPrefix(m.Where, "COPY ") {
			where = " (" + m.Where + ")"
		}
		return fmt.Sprintf("%s %s %s: %s%s", kind, m.Severity, m.Code, m.Message, where)
	case *pgproto3.CopyData:
		return fmt.Sprintf("%s %q", kind, m.Data)
	case *pgproto3.CopyInResponse:
		return fmt.Sprintf("%s %d %v", kind, m.OverallFormat, m.ColumnFormatCodes)
	case *pgproto3.CopyOutResponse:
		return fmt.Sprintf("%s %d %v", kind, m.OverallFormat, m.ColumnFormatCodes)
	case *pgproto3.NoticeResponse:
		return fmt.Sprintf("%s %s %s: %s", kind, m.Severity, m.Code, m.Message)
	case *pgproto3.ReadyForQuery:
		return fmt.Sprintf("%s %c", kind, m.TxStatus)
	case *pgproto3.CommandComplete:
		return fmt.Sprintf("%s %s", kind, m.CommandTag)
	case *pgproto3.ParameterStatus:
		return fmt.Sprintf("%s %s=%s", kind, m.Name, m.Value)
	case *pgproto3.ParameterDescription:
		return fmt.Sprintf("%s %v", kind, m.ParameterOIDs)
	case *pgproto3.DataRow:
		for _, v := range m.Values {
			kind += describeValue(v)
		}
	case *pgproto3.RowDescription:
		for _, c := range m.Fields {
			kind += fmt.Sprintf(" %s(oid %d size %d typmod %d format %d)", c.Name, c.DataTypeOID, c.DataTypeSize, c.TypeModifier, c.Format)
		}
	}
	return kind
}

func describeValue(v []byte) string {
	if v == nil {
		return " NULL"
	}
	for _, c := range v {
		if c < ' ' || c > '~' {
			return fmt.Sprintf(" 0x%x", v)
		}
	}
	return fmt.Sprintf(" %q", v)
}
