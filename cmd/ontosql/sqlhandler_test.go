package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
)

// TestWorkSQLWaitsForTheLock: the write lock of a writer that was killed is no failure of the events that others
// handle meanwhile, although it outlasts the time for which a commit waits.
func TestWorkSQLWaitsForTheLock(t *testing.T) {
	path, flags := fixtureDir(t, "s3-v1/stage3-final")
	sqlOK(t, flags, "CREATE TABLE late (id text PRIMARY KEY)")
	id := enqueue(t, flags, "order.late", "{}")
	now := time.Now()
	killed := format.Lock{
		OwnerID: "killed", AcquiredAt: format.TimeOf(now), ExpiresAt: format.TimeOf(now.Add(2500 * time.Millisecond)), LeaseTTLms: 2500,
	}
	key := filepath.Join(path, format.LockKey)
	if err := os.MkdirAll(filepath.Dir(key), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, format.EncodeLock(&killed), 0o644); err != nil {
		t.Fatal(err)
	}
	follow := script(t, "follow.sql", "INSERT INTO late (id) VALUES ($3::text)")
	w := startWorker(t, flags, "--handler", "late", "--on", "order.late", "--sql", follow, "--max-attempts", "1", "--s3-lock-timeout-ms", "200")
	until(t, flags, "order.late", "acked", 1, w)
	w.end(t)
	if got := sqlOK(t, flags, "SELECT id FROM late"); got != "id\n"+id+"\n" {
		t.Errorf("rows: %s", got)
	}
}
