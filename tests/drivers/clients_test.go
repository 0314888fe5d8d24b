package drivers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// client is a library or a program that talks to the gateway.
type client struct {
	name    string
	present string           // a shell command that succeeds where the client is installed
	run     string           // the shell command that tries the cases
	peer    bool             // PEER of its environment is a PostgreSQL 15
	distro  bool             // the version is the distribution's, and may be another than the page's
	known   map[string]known // cases that do not pass
}

// known is a failure that is expected: detail is part of what the client says of
// it, reason what the page says.
type known struct{ detail, reason string }

// result is what a program prints of a case.
type result struct {
	Case   string
	OK     bool
	Detail string
}

// about is the first line that a program prints.
type about struct{ Client, Version string }

// limit is the time a client's cases may take together, on a busy machine.
const limit = 5 * time.Minute

// TestClients lets every client try its cases: each passes, or fails for the reason
// that the table of clients gives and the page says.
func TestClients(t *testing.T) {
	t.Parallel() // beside SQLAlchemy's suite
	var sections []section
	for _, c := range clients {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			if out, err := shell(t.Context(), nil, c.present); err != nil {
				testenv.Require(t, "drivers", fmt.Errorf("no %s: %w %s", c.name, err, out))
			}
			who, results := c.try(t)
			c.judge(t, results)
			s := section{c, who, results}
			sections = append(sections, s)
			if !*rewrite {
				s.compare(t)
			}
		})
	}
	if *rewrite && !t.Failed() {
		if len(sections) < len(clients) {
			t.Fatalf("the page needs all %d clients, and %d are here: make drivers", len(clients), len(sections))
		}
		writePage(t, sections)
	}
}

// try runs the client's program against a server of its own.
func (c client) try(t *testing.T) (about, []result) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	env := environment(serve(t))
	if c.peer {
		postgres, err := testenv.StartPostgres(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer postgres.Stop()
		env = append(env, "PEER="+postgres.DSN)
	}
	out, err := shell(ctx, env, c.run)
	if err != nil {
		t.Fatalf("%s: %v\n%s", c.run, err, out)
	}
	var who about
	var results []result
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var into any = &who
		if who.Client != "" {
			results = append(results, result{})
			into = &results[len(results)-1]
		}
		if err := json.Unmarshal(lines.Bytes(), into); err != nil {
			t.Fatalf("%s printed what is no JSON: %s", c.run, lines.Bytes())
		}
	}
	if len(results) == 0 {
		t.Fatalf("%s tried nothing", c.run)
	}
	return who, results
}

// judge compares the results with what is known of the client.
func (c client) judge(t *testing.T, results []result) {
	t.Helper()
	tried := map[string]bool{}
	for _, r := range results {
		known, isKnown := c.known[r.Case]
		switch {
		case tried[r.Case]:
			t.Errorf("%s: tried twice", r.Case)
		case !isKnown && !r.OK:
			t.Errorf("%s: %s", r.Case, r.Detail)
		case isKnown && r.OK:
			t.Errorf("%s: passes now, but is known to fail: %s", r.Case, known.reason)
		case isKnown && !strings.Contains(r.Detail, known.detail):
			t.Errorf("%s: got %s\nwant a failure with %q, because %s", r.Case, r.Detail, known.detail, known.reason)
		}
		tried[r.Case] = true
	}
	for name := range c.known {
		if !tried[name] {
			t.Errorf("%s: known to fail, but not tried", name)
		}
	}
}

// shell runs a command and returns its standard output or, if it fails, its whole output. When
// ctx ends, all processes of the command are killed.
func shell(ctx context.Context, env []string, command string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	if cmd.Env = env; env == nil {
		cmd.Env = environment("0")
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		out = append(out, stderr.Bytes()...)
	}
	return out, err
}
