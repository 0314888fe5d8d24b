package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
)

// TestLock shows a lock and breaks it with its token, once, on both kinds of stores.
func TestLock(t *testing.T) {
	since := time.Now().Add(-10 * time.Second)
	lock := format.Lock{
		OwnerID: "writer-b", AcquiredAt: format.TimeOf(since), ExpiresAt: format.TimeOf(since.Add(time.Hour)), LeaseTTLms: 3600000,
	}
	for _, c := range []struct {
		name string
		open func() (path string, flags []string)
		hold func(path string, expires format.Time)
	}{
		{"directory", func() (string, []string) { return fixtureDir(t, "s3-v1/stage3-final") }, func(path string, expires format.Time) {
			held := lock
			held.ExpiresAt = expires
			key := filepath.Join(path, format.LockKey)
			if err := os.MkdirAll(filepath.Dir(key), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(key, format.EncodeLock(&held), 0o644); err != nil {
				t.Fatal(err)
			}
		}},
		{"file", func() (string, []string) { return fixtureFile(t, "sqlite-v1") }, func(path string, expires format.Time) {
			editFile(t, path, "INSERT OR REPLACE INTO locks VALUES ('ontology_write', '"+lock.OwnerID+"', '"+lock.AcquiredAt.String()+"', '"+expires.String()+"')")
		}},
	} {
		path, flags := c.open()
		run := func(line string) (int, string, string) { return command(t, append(strings.Fields(line), flags...)...) }
		show := func() shownLock {
			t.Helper()
			code, out, stderr := run("lock show --json")
			if code != exitOK {
				t.Fatalf("%s: lock show: exit %d, %s", c.name, code, stderr)
			}
			return decoded[shownLock](t, out)
		}
		if s := show(); s != (shownLock{}) {
			t.Errorf("%s: the lock of a store at rest is %+v", c.name, s)
		}
		if _, out, _ := run("lock show"); out != "Nobody holds the write lock.\n" {
			t.Errorf("%s: lock show of a store at rest: %q", c.name, out)
		}
		c.hold(path, lock.ExpiresAt)
		held := show()
		if !held.Locked || held.OwnerID != "writer-b" || held.AcquiredAt != lock.AcquiredAt.String() || held.ExpiresAt != lock.ExpiresAt.String() || *held.IsExpired {
			t.Errorf("%s: shown is %+v", c.name, held)
		}
		if _, out, _ := run("lock show"); !strings.Contains(out, "owner_id: writer-b\n") || !strings.Contains(out, "token: "+held.Token+"\n") {
			t.Errorf("%s: printed is %s", c.name, out)
		}
		_, dry, _ := command(t, "branch", "delete", path)
		_, token, _ := strings.Cut(strings.TrimSpace(dry), "Token: ")
		before := writerWait
		writerWait = 200 * time.Millisecond
		if code, _, stderr := command(t, "branch", "delete", path, "--token", token); code != exitConflict || !strings.Contains(stderr, "writer-b holds the write lock") {
			t.Errorf("%s: branch delete while somebody commits: exit %d, %s; want %d", c.name, code, stderr, exitConflict)
		}
		writerWait = before
		c.hold(path, format.TimeOf(lock.ExpiresAt.Add(time.Second))) // it is renewed
		if code, _, stderr := run("lock break --token " + held.Token); code != exitExecution || !strings.Contains(stderr, "the lock has changed") || !strings.Contains(stderr, "lock show") {
			t.Errorf("%s: break with the token of before a renewal: exit %d, %s; want %d", c.name, code, stderr, exitExecution)
		}
		c.hold(path, format.TimeOf(time.Now().Add(-time.Second))) // it expires
		expired := show()
		if !*expired.IsExpired || expired.Token == held.Token {
			t.Errorf("%s: an expired lock is shown as %+v", c.name, expired)
		}
		if code, out, stderr := run("lock break --json --token " + expired.Token); code != exitOK || decoded[brokenLock](t, out) != (brokenLock{"broken", "writer-b"}) {
			t.Errorf("%s: break: exit %d, %s, %s", c.name, code, out, stderr)
		}
		if s := show(); s.Locked {
			t.Errorf("%s: after the break the lock is %+v", c.name, s)
		}
		if code, _, _ := run("lock break --token " + expired.Token); code != exitExecution {
			t.Errorf("%s: a second break: exit %d, want %d", c.name, code, exitExecution)
		}
		for line, want := range map[string]int{"lock": exitUsage, "lock break": exitUsage, "lock show more": exitUsage} {
			if code, _, _ := run(line); code != want {
				t.Errorf("%s: %s: exit %d, want %d", c.name, line, code, want)
			}
		}
	}
	for _, line := range []string{"lock show", "lock break --token x"} {
		if code, _, _ := command(t, append(strings.Fields(line), "--storage-uri", t.TempDir())...); code != exitOpen {
			t.Errorf("%s of no ontology: exit %d, want %d", line, code, exitOpen)
		}
	}
}
