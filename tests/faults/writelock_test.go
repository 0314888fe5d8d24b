package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// lockText is a lock object as a writer leaves it; times are from now.
func lockText(owner string, acquired, expires time.Duration) string {
	now := time.Now().UTC()
	stamp := func(d time.Duration) string {
		return now.Add(d).Format("2006-01-02T15:04:05.000000+00:00")
	}
	return fmt.Sprintf(`{"acquired_at":%q,"expires_at":%q,"lease_ttl_ms":30000,"owner_id":%q}`, stamp(acquired), stamp(expires), owner)
}

// putLock leaves a lock in a directory store, as another program would.
func putLock(t *testing.T, s *store, text string) {
	t.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(format.LockKey))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// TestWriteLockLeftFree commits to stores with a lock object that is free or was never held.
// The lock is acquired at once, whatever its other timestamps are.
func TestWriteLockLeftFree(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"expired a moment ago":             lockText("dead-1", -31*time.Second, -time.Second),
		"expired in another year":          `{"acquired_at":"1999-12-31T23:59:59.000000+00:00","expires_at":"2000-01-01T00:00:29.000000+00:00","lease_ttl_ms":30000,"owner_id":"old"}`,
		"given back by a clock far ahead":  lockText("dead-2", 20*time.Minute, 20*time.Minute),
		"given back by a clock far behind": lockText("dead-3", -20*time.Minute, -20*time.Minute),
		"a time that is none":              `{"acquired_at":"then","expires_at":"soon","lease_ttl_ms":30000,"owner_id":"x"}`,
		"no JSON":                          `<html>`,
		"empty":                            ``,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, 3)
			putLock(t, s, text)
			g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", s.dir)
			c := g.connect(t, "onto")
			c.answers(t, `SET lock_timeout = '50ms'`)
			c.answers(t, addNew)
			c.answers(t, seesNew, "1")
			g.signal(t, os.Interrupt)
			g.wait(t)
			if body, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(format.LockKey))); err == nil {
				t.Errorf("after the shutdown a lock stands there: %s", body)
			}
			sound(t, s.dir)
		})
	}
}

// TestWriteLockHeld waits for a lock whose owner died without giving it back:
// for lock_timeout, then the error names the owner and when his lease ends; when
// it has ended the lock is taken over.
func TestWriteLockHeld(t *testing.T) {
	t.Parallel()
	s := newStore(t, 3)
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", s.dir, "--s3-lock-timeout-ms", "700")
	c := g.connect(t, "onto")
	text := lockText("dead-owner", -time.Second, time.Hour)
	putLock(t, s, text)
	_, until, _ := strings.Cut(text, `"expires_at":"`)
	until = strings.Replace(until[:len("2026-01-01T00:00:00")], "T", " ", 1)

	refused := func(sql string, least time.Duration) {
		t.Helper()
		began := time.Now()
		c.refuses(t, sql, "55P03", "dead-owner", until, "lock_timeout")
		if took := time.Since(began); took < least {
			t.Errorf("%s waits %s for the lock, want at least %s", sql, took, least)
		}
	}
	c.answers(t, `SET lock_timeout = '300ms'`)
	refused(addNew, 300*time.Millisecond)
	c.answers(t, `BEGIN; `+addNew+`; SET LOCAL lock_timeout = '100ms'`)
	refused(`COMMIT`, 100*time.Millisecond)
	c.answers(t, seesNew, "0")
	c.answers(t, `RESET lock_timeout`) // 0: what --s3-lock-timeout-ms says
	refused(addNew, 700*time.Millisecond)

	c.answers(t, `SET lock_timeout = '10min'`)
	wantError(t, "cancel while waiting for the lock", cancelled(t, c, addNew), "57014", "canceling statement due to user request")
	c.answers(t, `SET statement_timeout = '100ms'`)
	c.refuses(t, addNew, "57014", "canceling statement due to statement timeout")
	c.answers(t, `RESET statement_timeout`)

	const lease = 2 * time.Second
	ends := time.Now().Add(lease)
	putLock(t, s, lockText("dead-owner", -time.Second, lease))
	c.answers(t, addNew)
	if now := time.Now(); now.Before(ends.Add(-time.Second)) {
		t.Errorf("the lock was taken %s before its lease ended", ends.Sub(now))
	}
	c.answers(t, seesNew, "1")
	sound(t, s.dir)
}

// TestWriteLockOfAClockAhead: the lease of an owner whose clock is minutes ahead
// ends when it says, and the error says so.
func TestWriteLockOfAClockAhead(t *testing.T) {
	t.Parallel()
	s := newStore(t, 3)
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", s.dir)
	c := g.connect(t, "onto")
	putLock(t, s, lockText("ahead", 10*time.Minute, 10*time.Minute+30*time.Second))
	c.answers(t, `SET lock_timeout = '200ms'`)
	c.refuses(t, addNew, "55P03", "ahead", time.Now().UTC().Add(10*time.Minute).Format("2006-01-02"))
	if err := os.Remove(filepath.Join(s.dir, filepath.FromSlash(format.LockKey))); err != nil { // what an operator does
		t.Fatal(err)
	}
	c.answers(t, addNew)
	c.answers(t, seesNew, "1")
}

// TestWriteAfterAClockAhead commits after a commit of a clock that is minutes
// ahead: time does not run backwards along the chain.
func TestWriteAfterAClockAhead(t *testing.T) {
	t.Parallel()
	s := newStore(t, 1)
	ahead := format.Row{Key: "c2", Fields: []byte(`{"id":"c2","tier":"t2"}`)}
	if _, err := s.publisher.Publish(t.Context(), writepath.Commit{
		At:   time.Now().Add(10 * time.Minute),
		Data: []writepath.Content{{Type: customerType, Rows: slices.Values([]format.Row{ahead})}},
	}); err != nil {
		t.Fatal(err)
	}
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", s.dir)
	c := g.connect(t, "onto")
	c.answers(t, addNew)
	c.answers(t, `SELECT a.created_at >= b.created_at FROM ontosql.commits a, ontosql.commits b WHERE a.commit_id = 3 AND b.commit_id = 2`, "t")
	c.answers(t, seesNew, "1")
	c.answers(t, `SELECT count(*) FROM history.customer`, "2")
	sound(t, s.dir)
}
