package sqlite_test

import (
	"errors"
	"testing"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/writepath"
)

const (
	lockSince = "2026-11-21T02:59:50.000000+00:00"
	lockUntil = "2026-11-21T03:00:20.000000+00:00"
)

// TestBreakLock breaks the lock that the token is of, and no other.
func TestBreakLock(t *testing.T) {
	for _, c := range []struct {
		name   string
		sql    string // after the token was made
		broken bool
	}{
		{"as it was", ``, true},
		{"renewed", `UPDATE locks SET expires_at = '2026-11-21T03:00:30.000000+00:00'`, false},
		{"somebody else's", `UPDATE locks SET owner_id = 'other'`, false},
		{"taken again", `UPDATE locks SET acquired_at = '2026-11-21T03:00:00.000000+00:00'`, false},
		{"gone", `DELETE FROM locks`, false},
	} {
		path := sqlitetest.Fixture(t, sqlitetest.FileV1)
		sqlitetest.Edit(t, path, sqlitetest.LockRow(lockSince, lockUntil))
		seen, err := sqlite.ReadLock(t.Context(), path)
		if err != nil || seen == nil || seen.OwnerID != "writer" || seen.AcquiredAt.String() != lockSince || seen.ExpiresAt.String() != lockUntil || seen.Free {
			t.Fatalf("lock %+v, %v", seen, err)
		}
		sqlitetest.Edit(t, path, c.sql)
		_, err = sqlite.BreakLock(t.Context(), path, seen.Token())
		if c.broken && err != nil || !c.broken && !errors.Is(err, writepath.ErrLockChanged) {
			t.Errorf("%s: %v, broken should be %v", c.name, err, c.broken)
		}
		after, err := sqlite.ReadLock(t.Context(), path)
		if err != nil || (after == nil) != (c.broken || c.name == "gone") {
			t.Errorf("%s: lock %+v afterwards, %v", c.name, after, err)
		}
	}
}

// TestBreakUnreadableLock frees a file with a lock that no writer would ever take over, because
// the original compares times as texts.
func TestBreakUnreadableLock(t *testing.T) {
	path := sqlitetest.Fixture(t, sqlitetest.FileV1)
	sqlitetest.Edit(t, path, sqlitetest.LockRow(lockSince, "soon"))
	seen, err := sqlite.ReadLock(t.Context(), path)
	if err != nil || seen == nil {
		t.Fatalf("lock %+v, %v", seen, err)
	}
	if _, err := sqlite.BreakLock(t.Context(), path, seen.Token()); err != nil {
		t.Errorf("break a lock until no time: %v", err)
	}
}

// TestBreakNoLock refuses where there is no lock, and no ontology.
func TestBreakNoLock(t *testing.T) {
	path := sqlitetest.Fixture(t, sqlitetest.FileV1)
	if seen, err := sqlite.ReadLock(t.Context(), path); seen != nil || err != nil {
		t.Errorf("lock of a file at rest: %+v, %v", seen, err)
	}
	if _, err := sqlite.BreakLock(t.Context(), path, "0123456789abcdef"); !errors.Is(err, writepath.ErrLockChanged) {
		t.Errorf("break no lock: %v", err)
	}
	sqlitetest.Edit(t, path, `DROP TABLE locks`)
	if _, err := sqlite.BreakLock(t.Context(), path, "0123456789abcdef"); !errors.Is(err, writepath.ErrLockChanged) {
		t.Errorf("break a lock where there is no table of them: %v", err)
	}
	if _, err := sqlite.BreakLock(t.Context(), path+"x", "0123456789abcdef"); !errors.Is(err, ontosql.ErrNotInitialised) {
		t.Errorf("break a lock of no file: %v", err)
	}
}
