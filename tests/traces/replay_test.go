package traces

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestReplay plays each session to a gateway over an ontology that holds nothing yet.
func TestReplay(t *testing.T) {
	if *record {
		recordSessions(t)
	}
	files, err := filepath.Glob("sessions/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no sessions", err)
	}
	seen := map[int]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			p := &player{t: t, name: name, address: serve(t, filepath.Join(t.TempDir(), "store")), oids: oids{}, seen: seen}
			defer p.hangUp()
			p.play(file)
		})
	}
	for i, k := range known {
		if !seen[i] {
			t.Errorf("%s: known to differ because %s, and does not: %s", k.session, k.reason, k.postgres)
		}
	}
}

// player is the client's end of a session.
type player struct {
	t       *testing.T
	name    string
	address string
	conn    net.Conn
	answers *pgproto3.Frontend
	oids    oids
	seen    map[int]bool // of known
}

func (p *player) play(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	lost := false // until ReadyForQuery, what comes is not what is expected
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "F "):
			p.send(line[2:])
		case lost:
			lost = !strings.Contains(line, `"Type":"ReadyForQuery"`)
		default:
			got, err := p.receive()
			if err != nil {
				p.t.Fatalf("%s:%d: the gateway says nothing more: %v\nwant %s", file, n, err, line[2:])
			}
			if p.oids.same(line[2:], got) || p.isKnown(line[2:], got) {
				continue
			}
			p.t.Errorf("%s:%d:\ngot  %s\nwant %s", file, n, got, line[2:])
			if kind(got) != kind(line[2:]) {
				lost = !p.skip(got, line[2:])
			}
		}
	}
}

// skip reads up to ReadyForQuery, where both sides meet again; true if the expected
// frame was that.
func (p *player) skip(got, want string) (met bool) {
	for kind(got) != "ReadyForQuery" {
		var err error
		if got, err = p.receive(); err != nil {
			p.t.Fatalf("the gateway did not become ready: %v", err)
		}
	}
	return kind(want) == "ReadyForQuery"
}

func (p *player) isKnown(postgres, ours string) bool {
	for i, k := range known {
		if k.session == p.name && strings.Contains(postgres, k.postgres) && strings.Contains(ours, k.ours) {
			p.seen[i] = true
			return true
		}
	}
	return false
}

func kind(frame string) string {
	var m struct{ Type string }
	_ = json.Unmarshal([]byte(frame), &m)
	return m.Type
}

func (p *player) send(text string) {
	var m pgproto3.FrontendMessage
	switch k := kind(text); k {
	case "StartupMessage":
		p.connect()
		m = &pgproto3.StartupMessage{}
	case "Query":
		m = &pgproto3.Query{}
	case "Parse":
		m = &pgproto3.Parse{}
	case "Bind":
		m = &pgproto3.Bind{}
	case "Describe":
		m = &pgproto3.Describe{}
	case "Execute":
		m = &pgproto3.Execute{}
	case "Close":
		m = &pgproto3.Close{}
	case "Flush":
		m = &pgproto3.Flush{}
	case "Sync":
		m = &pgproto3.Sync{}
	case "CopyData":
		m = &pgproto3.CopyData{}
	case "CopyDone":
		m = &pgproto3.CopyDone{}
	case "CopyFail":
		m = &pgproto3.CopyFail{}
	case "Terminate":
		m = &pgproto3.Terminate{}
	default:
		p.t.Fatalf("no client sends %s", k)
	}
	if err := json.Unmarshal([]byte(p.oids.translate(text)), m); err != nil {
		p.t.Fatalf("%s: %v", text, err)
	}
	raw, err := m.Encode(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.conn.Write(raw); err != nil {
		p.t.Fatalf("send %s: %v", text, err)
	}
}

// patience is how long an answer may take.
const patience = testenv.Patience

func (p *player) connect() {
	p.hangUp()
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.conn, p.answers = conn, pgproto3.NewFrontend(conn, conn)
}

func (p *player) hangUp() {
	if p.conn != nil {
		p.conn.Close()
	}
}

func (p *player) receive() (string, error) {
	if err := p.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	for {
		m, err := p.answers.Receive()
		if err != nil {
			return "", err
		}
		if status, ok := m.(*pgproto3.ParameterStatus); ok && strings.HasPrefix(status.Name, "ontosql.") {
			continue // PostgreSQL has no such setting to report
		}
		return frame(m)
	}
}

// serve serves a new ontology, named onto, to the end of the test.
func serve(t *testing.T, store string) string {
	t.Helper()
	if out, err := exec.Command(program, "init", "--storage-uri", store).CombinedOutput(); err != nil {
		t.Fatalf("init: %v\n%s", err, out)
	}
	gateway := exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--db", "onto="+store, "--cache-dir", t.TempDir())
	gateway.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var log strings.Builder
	gateway.Stderr = &log
	out, err := gateway.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = gateway.Process.Signal(syscall.SIGTERM)
		if err := gateway.Wait(); err != nil {
			t.Errorf("the gateway did not drain and exit 0: %v\n%s", err, log.String())
		}
	})
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("the gateway said nothing: %v", lines.Err())
	}
	address, err := url.Parse(strings.TrimPrefix(lines.Text(), "ready "))
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", lines.Text(), err))
	}
	return address.Host
}
