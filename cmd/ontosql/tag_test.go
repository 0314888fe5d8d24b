package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTagAndRevert names a state, spoils it and brings it back, in a directory and in a SQLite
// file that is a copy of it, which has the tags.
func TestTagAndRevert(t *testing.T) {
	dir := oddDir(t, awkwardTable, awkwardFirst)
	run := func(flags []string, line string, want int) string {
		t.Helper()
		code, out, problem := command(t, withFlags(line, flags...)...)
		if code != want || (problem == "") != (want == exitOK) {
			t.Fatalf("%s: exit %d, want %d: %s", line, code, want, problem)
		}
		return out + problem
	}
	if out := run(dir, "tag good HEAD -m as-it-was", exitOK); out != "good: commit 2\n" {
		t.Errorf("tag: %s", out)
	}
	file := []string{"--storage-uri", filepath.Join(t.TempDir(), "onto.db"), "--cache-dir", t.TempDir()}
	if code, _, problem := command(t, "copy", dir[1], file[1]); code != exitOK {
		t.Fatalf("copy: exit %d, %s", code, problem)
	}
	for _, flags := range [][]string{dir, file} {
		tags := decoded[[]map[string]any](t, run(flags, "tag --json", exitOK))
		if len(tags) != 1 || tags[0]["name"] != "good" || tags[0]["commit_id"] != 2.0 || tags[0]["message"] != "as-it-was" || tags[0]["actor"] != "ontosql" {
			t.Fatalf("the tags of %s: %v", flags[1], tags)
		}
		const all = "SELECT * FROM odd ORDER BY id"
		want := sqlOK(t, flags, all)
		sqlOK(t, flags, awkwardLater[0], awkwardLater[2], "INSERT INTO odd (id) VALUES ('new')")
		if out := run(flags, "show good", exitOK); !strings.HasPrefix(out, "commit 2 (tag: good)\n") {
			t.Errorf("show: %s", out)
		}
		if out := run(flags, "log --last 4", exitOK); !strings.Contains(out, "\n    tag good\n") {
			t.Errorf("log: %s", out)
		}
		if out := run(flags, "revert good", exitExecution); !strings.Contains(out, "odd: new.") || !strings.Contains(out, "--keep-new") {
			t.Errorf("a revert that would leave a row: %s", out)
		}
		plan := run(flags, "revert good --keep-new", exitOK)
		if !strings.HasPrefix(plan, "entity odd: 2 rows reverted, 1 new row kept\n") || !strings.Contains(plan, "--apply --expect-head 6 ") {
			t.Errorf("the plan: %s", plan)
		}
		if sqlOK(t, flags, "SELECT max(commit_id) FROM ontosql.commits") != "max\n6\n" {
			t.Error("a plan made a commit")
		}
		run(flags, "revert good --keep-new --apply --expect-head 5", exitExecution)
		done := decoded[reverted](t, run(flags, "revert good --type odd --keep-new --apply --expect-head 6 -m undo --json", exitOK))
		if !done.Applied || done.Head != 7 || len(done.Types) != 1 || done.Types[0].Reverted != 2 || done.Types[0].Kept != 1 {
			t.Errorf("revert: %+v", done)
		}
		if got := sqlOK(t, flags, "SELECT * FROM odd WHERE id <> 'new' ORDER BY id"); got != want {
			t.Errorf("after the revert:\n%s\nwant\n%s", got, want)
		}
		if out := run(flags, "log --last 1", exitOK); !strings.Contains(out, "\n    undo\n") {
			t.Errorf("log: %s", out)
		}
		if out := run(flags, "revert good --type odd --key same --apply", exitOK); !strings.HasSuffix(out, "nothing to revert\n") {
			t.Errorf("the same revert again: %s", out)
		}
		run(flags, "tag --delete good", exitOK)
		for line, code := range map[string]int{
			"tag a b c": exitUsage, "tag --delete": exitUsage, "tag --delete x -m y": exitUsage, "tag -m x": exitUsage, "revert": exitUsage, "revert 1 --key a": exitUsage,
			"revert 1 --expect-head 3": exitUsage, "revert 1 --apply --expect-head -3": exitUsage,
			"tag --delete good": exitExecution, "tag 42": exitExecution, "tag x 99": exitExecution, "revert good": exitExecution, "revert 1 --type nobody": exitExecution,
			"revert 1 --type odd --key a --key b": exitExecution, "show good": exitExecution, "export --as-of good --output " + filepath.Join(t.TempDir(), "rows"): exitUsage,
		} {
			run(flags, line, code)
		}
	}
}
