package crash

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ontosql/ontosql/internal/testenv"
)

// patience is how long a server may take for what takes no time on an idle
// machine.
const patience = testenv.Patience

// server is a running "ontosql serve".
type server struct {
	cmd     *exec.Cmd
	address string // host:port
	log     *testenv.Output
	exited  chan struct{}
}

// serve starts a server on the store and waits until it is ready. The caller
// kills it or terminates it.
func serve(s *store, lease, lockTimeout time.Duration) (*server, error) {
	args := append([]string{
		"serve", "--listen", "127.0.0.1:0", "--cache-dir", s.cache, "--auto-compact",
		"--s3-lease-ttl-ms", strconv.FormatInt(lease.Milliseconds(), 10),
		"--s3-lock-timeout-ms", strconv.FormatInt(lockTimeout.Milliseconds(), 10),
	}, s.args...)
	v := &server{cmd: exec.Command(program, args...), log: &testenv.Output{}, exited: make(chan struct{})}
	v.cmd.Env = []string{"HOME=" + s.cache, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	for _, pair := range os.Environ() {
		if strings.HasPrefix(pair, "AWS_") {
			v.cmd.Env = append(v.cmd.Env, pair)
		}
	}
	v.cmd.Stderr = v.log
	v.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	v.cmd.Stdout = w
	err = v.cmd.Start()
	w.Close()
	if err != nil {
		return nil, err
	}
	go func() {
		_ = v.cmd.Wait()
		close(v.exited)
	}()
	_ = out.SetReadDeadline(time.Now().Add(patience))
	line, err := bufio.NewReader(out).ReadString('\n')
	where, ok := strings.CutPrefix(strings.TrimSpace(line), "ready postgres://")
	if err != nil || !ok {
		v.kill()
		return nil, fmt.Errorf("serve %q said %q (%w), want a line that begins with ready; its log:\n%s", args, line, err, v.log)
	}
	v.address, _, _ = strings.Cut(where, "/")
	return v, nil
}

// kill sends SIGKILL. It returns when the process has ended: its system calls on a directory
// have then completed or will never run.
func (v *server) kill() {
	_ = v.cmd.Process.Kill()
	<-v.exited
}

// terminate is SIGTERM; the server must end well.
func (v *server) terminate() error {
	if err := v.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-v.exited:
	case <-time.After(patience):
		v.kill()
		return fmt.Errorf("the server did not end %s after SIGTERM; its log:\n%s", patience, v.log)
	}
	if code := v.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("exit code %d after SIGTERM, want 0; the log:\n%s", code, v.log)
	}
	return v.checkLog()
}

// checkLog fails on what no log may say.
func (v *server) checkLog() error {
	text := v.log.String()
	for _, never := range []string{"panic", "goroutine ", "statement failed for no known reason"} {
		if strings.Contains(text, never) {
			return fmt.Errorf("%q stands in the log of a server:\n%s", never, text)
		}
	}
	return nil
}

// connect opens a session; settings are "name=value" for its start.
func (v *server) connect(ctx context.Context, settings ...string) (*pgx.Conn, error) {
	host, port, _ := strings.Cut(v.address, ":")
	config, err := pgx.ParseConfig(fmt.Sprintf("host=%s port=%s dbname=onto user=tester sslmode=disable", host, port))
	if err != nil {
		return nil, err
	}
	// No named statements: pgx deallocates those before the next statement after
	// an error, and an end of the connection there looks like one in the statement.
	config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		config.RuntimeParams[name] = value
	}
	return pgx.ConnectConfig(ctx, config)
}
