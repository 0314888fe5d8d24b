package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestWorkspaceBackup: what one call of sql has written is there for the next, and a backup of
// it is a workspace elsewhere.
func TestWorkspaceBackup(t *testing.T) {
	path, _ := shopDir(t)
	here, there, file := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "copy.duckdb")
	in := func(dir string, args ...string) (int, string, string) {
		return command(t, append(args, "--storage-uri", path, "--workspace-dir", dir)...)
	}
	if code, _, problem := in(here, "workspace", "backup", file); code != exitExecution || !strings.Contains(problem, "there is no workspace") {
		t.Errorf("a backup of nothing: exit %d, %s", code, problem)
	}
	if code, _, problem := in(here, "sql", "-c", "CREATE SCHEMA report", "-c", "CREATE TABLE report.r AS SELECT g AS a FROM generate_series(1, 3) g"); code != exitOK {
		t.Fatalf("exit %d: %s", code, problem)
	}
	sum := func(dir string) string {
		_, out, problem := in(dir, "sql", "--format", "csv", "-c", "SELECT sum(a) AS s FROM report.r")
		return out + problem
	}
	if got := sum(here); got != "s\n6\n" {
		t.Errorf("the next call reads %q", got)
	}
	if code, _, problem := in(here, "workspace", "backup", file); code != exitOK {
		t.Fatalf("backup: exit %d, %s", code, problem)
	}
	if code, _, problem := in(here, "workspace", "backup", file); code != exitUsage || !strings.Contains(problem, "exists") {
		t.Errorf("a backup over a file: exit %d, %s", code, problem)
	}
	if code, _, problem := in(there, "workspace", "restore", file); code != exitOK {
		t.Fatalf("restore: exit %d, %s", code, problem)
	}
	if got := sum(there); got != "s\n6\n" {
		t.Errorf("the restored workspace reads %q", got)
	}
	if code, _, _ := in(there, "sql", "-c", "TRUNCATE report.r"); code != exitOK {
		t.Fatal("TRUNCATE failed")
	}
	if code, _, problem := in(there, "workspace", "restore", file); code != exitExecution || !strings.Contains(problem, "--replace") {
		t.Errorf("a restore over a workspace: exit %d, %s", code, problem)
	}
	if code, out, problem := in(there, "workspace", "restore", "--replace", file); code != exitOK || !strings.Contains(out, "replaced-") {
		t.Fatalf("restore: exit %d, %s %s", code, out, problem)
	}
	if got := sum(there); got != "s\n6\n" {
		t.Errorf("the restored workspace reads %q", got)
	}
	for _, args := range [][]string{{"workspace"}, {"workspace", "backup"}, {"workspace", "restore", "a", "b"}, {"workspace", "move"}} {
		if code, _, _ := in(here, args...); code != exitUsage {
			t.Errorf("%q: exit %d, want %d", args, code, exitUsage)
		}
	}
}
