// Package process handles events by running a program for each. The program gets the event as one
// line of JSON on its standard input. Its exit status says whether the event is done.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/worker"
)

// Options configures a Handler.
type Options struct {
	Path   string
	Args   []string
	Stdout io.Writer // gets the standard output of the programs, unless Emit is set
	Stderr io.Writer // gets their standard error
	// Emit reads events to be sent from the standard output: a line of JSON for each (ParseLine).
	Emit bool
}

// Handler runs a program for each event. Its environment has EVENT_ID, EVENT_TYPE, EVENT_NAMESPACE and
// EVENT_ATTEMPTS in addition.
type Handler struct{ o Options }

var _ worker.Handler = (*Handler)(nil)

// New returns a Handler. Programs that run at the same time do not mix their writes.
func New(o Options) *Handler {
	var mu sync.Mutex
	o.Stdout, o.Stderr = &locked{mu: &mu, to: o.Stdout}, &locked{mu: &mu, to: o.Stderr}
	return &Handler{o}
}

const (
	// grace is how long a program that must end may take after SIGTERM.
	grace = 5 * time.Second
	// maxOutput is the number of bytes of events that a program may send.
	maxOutput = 16 << 20
)

// FailedError is a program that did not end with exit status 0.
type FailedError struct {
	Err  error
	Line string // the last one of its standard error, "" for none
}

func (e *FailedError) Error() string {
	if e.Line == "" {
		return e.Err.Error()
	}
	return e.Line
}

func (e *FailedError) Unwrap() error { return e.Err }

// Handle implements worker.Handler. The error of a program that failed is a *FailedError. The program
// has a process group of its own, so that a signal from the terminal does not reach it; when ctx ends
// the group gets SIGTERM, and SIGKILL later.
func (h *Handler) Handle(ctx context.Context, d *eventbus.Delivery) ([]eventbus.New, error) {
	text, err := worker.Text(d)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, h.o.Path, h.o.Args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = append(os.Environ(),
		"EVENT_ID="+d.ID, "EVENT_TYPE="+d.Type, "EVENT_NAMESPACE="+d.Namespace, "EVENT_ATTEMPTS="+strconv.FormatInt(d.Attempts, 10))
	cmd.Stdin = bytes.NewReader(append(text, '\n'))
	said := &lastLine{to: h.o.Stderr}
	out := &bounded{most: maxOutput}
	cmd.Stdout, cmd.Stderr = h.o.Stdout, said
	if h.o.Emit {
		cmd.Stdout = out
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace
	err = cmd.Run()
	if cmd.Process != nil && ctx.Err() != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it has started
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) { // that is a background process with its output
		return nil, &FailedError{Err: err, Line: said.line()}
	}
	if !h.o.Emit {
		return nil, nil
	}
	if out.full {
		return nil, fmt.Errorf("the events that the program sends have more than %d bytes", maxOutput)
	}
	return parseLines(out.Bytes())
}

// locked is a writer that several programs share.
type locked struct {
	mu *sync.Mutex
	to io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

// bounded keeps what is written, up to a number of bytes.
type bounded struct {
	bytes.Buffer
	most int
	full bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.full = b.full || b.Len()+len(p) > b.most; !b.full {
		b.Buffer.Write(p)
	}
	return len(p), nil
}

// lastLine passes on what is written, and keeps the end of it.
type lastLine struct {
	to   io.Writer
	tail []byte
}

func (l *lastLine) Write(p []byte) (int, error) {
	const most = 8192
	l.tail = append(l.tail, p...)
	if len(l.tail) > 2*most {
		l.tail = append(l.tail[:0], l.tail[len(l.tail)-most:]...)
	}
	_, _ = l.to.Write(p) // a log that cannot be written fails no program
	return len(p), nil
}

// line is the last line that is not blank.
func (l *lastLine) line() string {
	lines := strings.Split(strings.TrimSpace(string(l.tail)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
