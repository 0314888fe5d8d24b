package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestEventsPage runs the session of docs/events.md, block by block, and looks for what the page says
// is there in the end.
func TestEventsPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	_, session, _ := strings.Cut(string(text), "\n## A session\n")
	session, _, _ = strings.Cut(session, "\n## ")
	blocks := shellBlock.FindAllStringSubmatch(session, -1)
	if len(blocks) != 3 {
		t.Fatalf("the session has %d blocks, want 3", len(blocks))
	}
	dir, bin, home := t.TempDir(), t.TempDir(), t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(bin, "ontosql")); err != nil {
		t.Fatal(err)
	}
	shell := func(ctx context.Context, script string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, "sh", "-ec", script)
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
		cmd.Env = append(os.Environ(), asProgram+"=1", "PATH="+bin+":"+os.Getenv("PATH"), "XDG_CACHE_HOME="+home, "XDG_DATA_HOME="+home)
		return cmd
	}
	if out, err := shell(t.Context(), blocks[0][1]).CombinedOutput(); err != nil {
		if strings.Contains(string(out), "function ontosql.enqueue") {
			t.Skipf("the gateway cannot send events: %s", out)
		}
		t.Fatalf("the first block: %v\n%s", err, out)
	}
	ctx, stop := context.WithCancel(t.Context())
	worker := shell(ctx, blocks[1][1])
	var log testenv.Output
	worker.Stderr = &log
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		stop()
		_ = worker.Wait()
	}()
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		out, err := shell(t.Context(), blocks[2][1]).CombinedOutput()
		if err != nil {
			t.Fatalf("the third block: %v\n%s", err, out)
		}
		found := true
		for _, want := range []string{`o1\W+accepted`, `order\.placed .* acked .* accept`, `order\.accepted .* pending`} {
			found = found && regexp.MustCompile(want).Match(out)
		}
		if found {
			return
		}
		if time.Since(began) > testenv.Patience {
			t.Fatalf("the third block says in the end\n%s\nthe worker:\n%s", out, &log)
		}
	}
}
