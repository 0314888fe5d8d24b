package histories

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// process is a process of ours, which is killed when this one dies.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *os.File
	exited chan struct{}
}

// launch starts a program whose stderr is appended to the file log.
func launch(log, program string, env []string, args ...string) (*process, error) {
	errs, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer errs.Close()
	out, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	p := &process{cmd: exec.Command(program, args...), stdout: out, exited: make(chan struct{})}
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = env, w, errs
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if p.stdin, err = p.cmd.StdinPipe(); err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		out.Close()
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// signal sends s; it is no error if the process has ended.
func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

// kill sends SIGKILL and waits until the process has ended.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.exited
}

// wait is the exit code of a process that ends.
func (p *process) wait() (int, error) {
	select {
	case <-p.exited:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(testenv.Patience):
		p.kill()
		return -1, fmt.Errorf("it did not end in %s", testenv.Patience)
	}
}

// participant is a process of a history that is started again after a kill.
type participant struct {
	name  string
	start func() error // sets current; the previous process has ended

	mu      sync.Mutex
	current *process
}

func (p *participant) process() *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current
}

func (p *participant) set(c *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current = c
}

// environ is the environment of a child: nothing of the developer's own but
// what finds programs and the AWS credentials of the S3 server. A child that is
// killed leaves its temporary files, so they are in home too.
func environ(home string, extra ...string) []string {
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + home}
	for _, pair := range os.Environ() {
		if strings.HasPrefix(pair, "AWS_") {
			env = append(env, pair)
		}
	}
	return append(env, extra...)
}
