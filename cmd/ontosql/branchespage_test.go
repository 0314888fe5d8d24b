package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBranchesPage runs the session of docs/branches.md: every line that the page shows must come out.
func TestBranchesPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/branches.md")
	if err != nil {
		t.Fatal(err)
	}
	_, session, _ := strings.Cut(string(text), "\n## A session\n")
	session, _, _ = strings.Cut(session, "\n## ")
	var script, want []string
	for i, block := range strings.Split(session, "```") {
		switch lines := strings.Split(strings.TrimSpace(block), "\n"); {
		case i%2 == 0:
		case strings.HasPrefix(block, "sh\n"):
			script = append(script, lines[1:]...)
		default:
			want = append(want, lines...)
		}
	}
	dir, bin, home := t.TempDir(), t.TempDir(), t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(bin, "ontosql")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", strings.Join(script, "\n"))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asProgram+"=1", "PATH="+bin+":"+os.Getenv("PATH"), "XDG_CACHE_HOME="+home, "XDG_DATA_HOME="+home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the session: %v\n%s", err, out)
	}
	if len(want) < 10 || !strings.Contains(string(out), "exit code 6") {
		t.Errorf("the session of %d lines has no exit code 6:\n%s", len(want), out)
	}
	rest := string(out)
	for _, line := range want {
		at := strings.Index(rest, strings.TrimSpace(line))
		if at < 0 {
			t.Fatalf("the page says %q, which does not come at its place in\n%s", line, out)
		}
		rest = rest[at:]
	}
}
