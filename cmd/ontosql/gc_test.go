package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// age writes files into a directory and makes all its files two days old.
func age(t *testing.T, path string, files ...string) {
	t.Helper()
	for _, name := range files {
		name = filepath.Join(path, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("garbage"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-48 * time.Hour)
	err := filepath.WalkDir(path, func(name string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(name, old, old)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestGC plans and removes what attempts have left in a store of the original, whose drop of a type
// has left a snapshot. fsck names it, with the command. The original reads what it has read.
func TestGC(t *testing.T) {
	for _, engine := range []string{"v1", "v2"} {
		t.Run(engine, func(t *testing.T) {
			path, flags := fixtureDir(t, "s3-"+engine+"/stage3-final")
			run := func(code int, line, want string) string {
				t.Helper()
				got, out, problem := command(t, append(strings.Fields(line), flags...)...)
				if got != code || !strings.Contains(out+problem, want) {
					t.Errorf("%s: exit %d\n%s%s\nwant exit %d and %q", line, got, out, problem, code, want)
				}
				return out
			}
			before := asOriginal(t, path)
			run(exitOK, "gc", "Nothing to remove.\n")
			age(t, path, "commits/3-dead0001/entities/Customer.parquet", "commits/9-dead0002/manifest.json", "commits/README")
			const text = `1 object, 7 bytes: another attempt became the commit
  commits/3-dead0001/entities/Customer.parquet: 7 bytes, `
			run(exitOK, "gc", text)
			run(exitOK, "gc", "\n1 object, 7 bytes: the head never reached this attempt\n")
			run(exitOK, "gc", "\n--apply removes 3 objects, ")
			run(exitOK, "gc --grace 72h", "kept: 3 objects, ")
			run(exitOK, "fsck", "garbage: 3 objects, ")
			run(exitOK, "fsck", ": ontosql gc --storage-uri "+"file://"+path)
			plan := decoded[collection](t, run(exitOK, "gc --json", ""))
			if len(plan.Planned) != 3 || plan.Applied || plan.Grace != 86400 || plan.Head != 8 || plan.PlannedBytes < 14 || len(plan.Kept) != 0 {
				t.Errorf("plan is %+v", plan)
			}
			if found := decoded[fsckReport](t, run(exitOK, "fsck --json", "")).Garbage; found == nil || found.Objects != 3 || found.Bytes != plan.PlannedBytes || len(found.Examples) != 3 {
				t.Errorf("fsck says %+v", found)
			}
			done := decoded[collection](t, run(exitOK, "gc --apply --json", ""))
			if diff := cmp.Diff(plan.Planned, done.Planned); diff != "" || done.RemovedObjects != 3 || done.RemovedBytes != plan.PlannedBytes || !done.Applied {
				t.Errorf("removed %+v (-planned +removed):\n%s", done, diff)
			}
			run(exitOK, "gc --apply", "Removed: 0 objects, 0 bytes.\n")
			if diff := cmp.Diff(before, asOriginal(t, path)); diff != "" {
				t.Errorf("rows of the original (-before +after):\n%s", diff)
			}
			out := run(exitOK, "fsck --data", "errors: 0")
			if strings.Contains(out, "garbage") {
				t.Errorf("fsck afterwards:\n%s", out)
			}
			if _, err := os.Stat(filepath.Join(path, "commits/README")); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGCHeadSetBack: commits that a reset has left are named, with what to do, and kept.
func TestGCHeadSetBack(t *testing.T) {
	path, flags := fixtureDir(t, "s3-v1/stage3-final")
	plan := decoded[map[string]any](t, mustRun(t, append([]string{"init", "--dry-run", "--json"}, flags...)))
	mustRun(t, append([]string{"init", "--force", "--token", plan["force_token"].(string)}, flags...))
	age(t, path)
	out := mustRun(t, append([]string{"gc", "--apply"}, flags...))
	for _, want := range []string{": was committed: the head went back behind it\n  commits/1-", "remove these folders by hand.\n", "\nRemoved: 5 objects, "} {
		if !strings.Contains(out, want) {
			t.Errorf("gc of a store that was reset:\n%s\nwant %q", out, want)
		}
	}
	done := decoded[collection](t, mustRun(t, append([]string{"gc", "--apply", "--json"}, flags...)))
	if len(done.Abandoned) != 8 {
		t.Errorf("abandoned are %v", done.Abandoned)
	}
	for _, folder := range done.Abandoned {
		if _, err := os.Stat(filepath.Join(path, folder, "manifest.json")); err != nil {
			t.Error(err)
		}
	}
}

// mustRun is what a command prints that succeeds.
func mustRun(t *testing.T, args []string) string {
	t.Helper()
	code, out, problem := command(t, args...)
	if code != exitOK {
		t.Fatalf("%v: exit %d\n%s%s", args, code, out, problem)
	}
	return out
}

// TestGCRefused: nothing is removed from a damaged store, and there is nothing to remove from a
// SQLite file.
func TestGCRefused(t *testing.T) {
	_, file := fixtureFile(t, "sqlite-v1")
	path, flags := fixtureDir(t, "s3-v1/stage3-final")
	for _, c := range []struct {
		line  string
		flags []string
		code  int
		says  string
	}{
		{"gc", file, exitUsage, "is a SQLite file, in which a transaction that fails leaves nothing to collect"},
		{"gc --apply", []string{"--storage-uri", t.TempDir()}, exitOpen, "ontosql init creates an ontology"},
		{"gc --grace -1h", flags, exitUsage, "--grace -1h0m0s: want a time that is not negative"},
		{"gc --grace soon", flags, exitUsage, "grace"},
		{"gc now", flags, exitUsage, "unexpected argument"},
	} {
		if code, out, problem := command(t, append(strings.Fields(c.line), c.flags...)...); code != c.code || !strings.Contains(problem, c.says) {
			t.Errorf("%s: exit %d\n%s%s\nwant exit %d and %q", c.line, code, out, problem, c.code, c.says)
		}
	}
	if code, _, problem := command(t, append([]string{"info"}, flags...)...); code != exitOK { // the manifests are known from now on
		t.Fatalf("info: exit %d, %s", code, problem)
	}
	const left = "commits/3-dead0001/entities/Customer.parquet"
	age(t, path, left)
	if err := os.Remove(filepath.Join(path, "commits/4-4a7ab812/manifest.json")); err != nil {
		t.Fatal(err)
	}
	code, out, problem := command(t, append([]string{"gc", "--apply"}, flags...)...)
	if code != exitExecution || out != "" || !strings.Contains(problem, "commits/4-4a7ab812/manifest.json: ") || !strings.Contains(problem, "Nothing is removed from a damaged store.") {
		t.Errorf("gc of a damaged store: exit %d\n%s%s", code, out, problem)
	}
	if _, err := os.Stat(filepath.Join(path, left)); err != nil {
		t.Error(err)
	}
	if code, out, _ := command(t, append([]string{"fsck"}, flags...)...); code != exitExecution || strings.Contains(out, "garbage") {
		t.Errorf("fsck of a damaged store: exit %d\n%s", code, out)
	}
}
