package testenv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// keeper runs a server until its own input ends, then kills the server and
// removes the folder. The input is a pipe that this process holds, so the end
// of the process is the end of the server, kill -9 and panics included, on
// every system that has a shell.
//
// $1 is the folder, $2 the signal; the rest is the command.
const keeper = `
dir=$1 signal=$2
shift 2
{
	"$@" >"$dir/log" 2>&1 &
	echo $! >"$dir/pid"
	wait $!
	echo $? >"$dir/exit"
} &
trap '' INT TERM HUP
read -r _
[ -e "$dir/exit" ] || kill -"$signal" "$(cat "$dir/pid")"
wait
rm -rf "$dir"
`

// server is a running program with a folder of its own.
type server struct {
	dir   string
	input io.Closer
	cmd   *exec.Cmd
}

// start runs a command under a keeper; the folder becomes the keeper's. It
// returns when ready says so, and fails when the program ends before or ctx
// does.
func start(ctx context.Context, dir, signal string, as *syscall.Credential, env, command []string, ready func() error) (*server, error) {
	input, hold, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("sh", append([]string{"-c", keeper, "sh", dir, signal}, command...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin = input
	// A process group of its own: Ctrl-C must not reach the keeper before us.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: as}
	err = cmd.Start()
	input.Close()
	if err != nil {
		hold.Close()
		return nil, fmt.Errorf("start %s: %w", command[0], err)
	}
	s := &server{dir: dir, input: hold, cmd: cmd}
	for {
		err := ready()
		if err == nil {
			return s, nil
		}
		if _, gone := os.Stat(filepath.Join(dir, "exit")); gone == nil {
			err = errors.New("it ended")
		} else if ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond) // nothing tells when a server of others is ready
			continue
		}
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		s.Stop()
		return nil, fmt.Errorf("%s does not start: %w\n%s", command[0], err, strings.TrimSpace(string(log)))
	}
}

// Stop ends the server and removes its files. Tests need not call it.
func (s *server) Stop() {
	s.input.Close()
	_ = s.cmd.Wait() // the keeper has nothing to say
}
