// Package dbt runs dbt, unmodified, with the postgres adapter: the example that the project
// ships, and a project that uses each command and materialization, whose tables are compared
// with those that PostgreSQL 15 has afterwards.
//
//	make drivers   # installs dbt below .tools
//
// Without dbt the tests are skipped; they fail where ONTOSQL_TEST_REQUIRE names "drivers".
package dbt

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
)

// program is the program.
var program string

func TestMain(m *testing.M) {
	os.Exit(testenv.Main("tests/dbt", func(built, _ string) (int, error) {
		program = built
		return m.Run(), nil
	}))
}

// python is the Python that has dbt.
func python(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../.tools/drivers/dbt/bin/python")
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		testenv.Require(t, "drivers", fmt.Errorf("no dbt: %w", err))
	}
	return path
}

// freePort is a port of which the kernel says that it is free.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// gateway is the program as it serves. It can be killed and started again.
type gateway struct {
	args []string
	cmd  *exec.Cmd
	log  bytes.Buffer
}

// start starts the program and waits until clients can connect.
func (g *gateway) start(t *testing.T) {
	t.Helper()
	g.cmd = exec.Command(program, g.args...)
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	g.cmd.Stderr = &g.log
	out, err := g.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "ready ") {
		t.Fatalf("the gateway said %q: %s", lines.Text(), g.log.String())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
}

// kill ends the program as a crash does.
func (g *gateway) kill() {
	_ = g.cmd.Process.Kill()
	_ = g.cmd.Wait()
}

// stop ends the program in order.
func (g *gateway) stop(t *testing.T) {
	t.Helper()
	_ = g.cmd.Process.Signal(syscall.SIGTERM)
	if err := g.cmd.Wait(); err != nil {
		t.Errorf("the gateway did not drain and exit 0: %v", err)
	}
	if strings.Contains(g.log.String(), "internal error") {
		t.Errorf("the gateway met an internal error:\n%s", g.log.String())
	}
}

// runner is a process that runs commands of dbt in a copy of a project.
type runner struct {
	dir string
	in  io.WriteCloser
	out *bufio.Scanner
	log bytes.Buffer // what dbt says of failures
}

// outcome is what became of a command.
type outcome struct {
	Success bool
	Error   string
	Nodes   map[string][2]string // status and message
}

// newRunner copies a project and starts the process. env tells where to connect.
func newRunner(t *testing.T, project string, env ...string) *runner {
	t.Helper()
	path := python(t)
	r := &runner{dir: filepath.Join(t.TempDir(), "project")}
	if err := os.CopyFS(r.dir, os.DirFS(project)); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("run.py")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Dir = r.dir
	cmd.Env = append(append(os.Environ(), "DBT_PROFILES_DIR=.", "DO_NOT_TRACK=1", "NO_COLOR=1", "TZ=UTC"), env...)
	cmd.Stderr = &r.log
	if r.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.out = bufio.NewScanner(out)
	r.out.Buffer(nil, 16<<20)
	t.Cleanup(func() {
		_ = r.in.Close()
		_ = cmd.Wait()
	})
	return r
}

// begin sends a command.
func (r *runner) begin(t *testing.T, args ...string) {
	t.Helper()
	line, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	r.log.Reset()
	if _, err := r.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
}

// end waits for the outcome of a command.
func (r *runner) end(t *testing.T) outcome {
	t.Helper()
	var said []string
	for r.out.Scan() {
		line := r.out.Text()
		if !strings.HasPrefix(line, `{"command": `) {
			said = append(said, line)
			continue
		}
		var o outcome
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatal(err)
		}
		o.Error = strings.Join(append(said, o.Error), "\n")
		return o
	}
	t.Fatalf("dbt has ended: %v\n%s", r.out.Err(), r.log.String())
	return outcome{}
}

// run runs a command that must succeed.
func (r *runner) run(t *testing.T, args ...string) outcome {
	t.Helper()
	r.begin(t, args...)
	o := r.end(t)
	if !o.Success {
		t.Fatalf("dbt %s failed:\n%s", strings.Join(args, " "), o.Error)
	}
	return o
}
