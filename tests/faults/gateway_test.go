package faults

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// wrongSecret is a secret key that no server knows. Like the right one it must
// never be printed.
const wrongSecret = "wrong-secret-key-of-the-tests"

// log is what a process has written so far.
type log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// gateway is a running "ontosql serve".
type gateway struct {
	cmd     *exec.Cmd
	address string // host:port
	log     *log
	exited  chan struct{}
}

// environ is the environment of the program: nothing of the developer's own
// but what finds programs and, through testenv.S3, the AWS credentials.
func environ(t *testing.T, extra ...string) []string {
	env := []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	for _, pair := range os.Environ() {
		if strings.HasPrefix(pair, "AWS_") {
			env = append(env, pair)
		}
	}
	return append(env, extra...)
}

// serve starts a gateway that must end with exit code 0 at the end of the test.
// Its environment is environ and env.
func serve(t *testing.T, env []string, args ...string) *gateway {
	t.Helper()
	g := launch(t, env, args...)
	t.Cleanup(func() {
		g.signal(t, syscall.SIGTERM)
		if code := g.wait(t); code != 0 {
			t.Errorf("after SIGTERM the gateway exited with %d, want 0; its log:\n%s", code, g.log)
		}
	})
	return g
}

// launch is serve for tests that end the gateway themselves; one that is left
// is killed.
func launch(t *testing.T, env []string, args ...string) *gateway {
	t.Helper()
	g := &gateway{log: &log{}, exited: make(chan struct{})}
	g.cmd = exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	g.cmd.Dir = t.TempDir()
	g.cmd.Env = environ(t, env...)
	g.cmd.Stderr = g.log
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	g.cmd.Stdout = w
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	go func() {
		_ = g.cmd.Wait()
		close(g.exited)
	}()
	t.Cleanup(func() {
		_ = g.cmd.Process.Kill()
		<-g.exited
		out.Close()
		checkLog(t, g.log.String())
	})
	_ = out.SetReadDeadline(time.Now().Add(testenv.Patience))
	line, err := bufio.NewReader(out).ReadString('\n')
	where, ok := strings.CutPrefix(strings.TrimSpace(line), "ready postgres://")
	if err != nil || !ok {
		t.Fatalf("serve %q said %q (%v), want a line that begins with ready; its log:\n%s", args, line, err, g.log)
	}
	g.address, _, _ = strings.Cut(where, "/")
	return g
}

func (g *gateway) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := g.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatalf("signal %s: %v", s, err)
	}
}

// wait is the exit code of a gateway that ends.
func (g *gateway) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-g.exited:
	case <-time.After(testenv.Patience):
		t.Fatalf("the gateway does not end; its log:\n%s", g.log)
	}
	return g.cmd.ProcessState.ExitCode()
}

// checkLog holds every log against what no log may say.
func checkLog(t *testing.T, text string) {
	t.Helper()
	for _, never := range []string{testenv.S3SecretKey, wrongSecret, "panic", "goroutine ", "statement failed for no known reason"} {
		if strings.Contains(text, never) {
			t.Errorf("%q stands in the log of a process:\n%s", never, text)
		}
	}
}

// outcome is what a command did.
type outcome struct {
	code           int
	stdout, stderr string
}

// command runs the program to its end in a new empty directory.
func command(t *testing.T, env []string, args ...string) outcome {
	t.Helper()
	return commandIn(t, t.TempDir(), "", env, args...)
}

// commandIn runs it in a directory, with stdin.
func commandIn(t *testing.T, dir, stdin string, env []string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	cmd.Env = environ(t, env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("ontosql %q: %v", args, err)
	}
	got := outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	checkLog(t, got.stdout+got.stderr)
	return got
}

// check holds an outcome against an exit code and what it must say on stderr,
// or on stdout when the code is 0.
func (o outcome) check(t *testing.T, code int, says ...string) {
	t.Helper()
	said := o.stderr
	if code == 0 {
		said = o.stdout
	}
	ok := o.code == code
	for _, text := range says {
		ok = ok && strings.Contains(said, text)
	}
	if !ok {
		t.Errorf("exit code %d, want %d and words %q; it said\nstdout:\n%s\nstderr:\n%s", o.code, code, says, o.stdout, o.stderr)
	}
}
