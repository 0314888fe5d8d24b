package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore/s3"
)

// TestOperationsOnS3 looks after a store on a real S3 server: a writer dies with the
// lock, the lock is shown, broken, and the next writer commits. Then files are merged, a snapshot is
// lost, and the index is repaired.
func TestOperationsOnS3(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	at := testenv.S3(t)
	b, err := s3.Open(t.Context(), s3.Options{Bucket: at.Bucket, Prefix: "shop", Endpoint: at.Endpoint, Region: at.Region})
	if err != nil {
		t.Fatal(err)
	}
	fixtures.Load(t, b, "s3-v1/stage2-migrated")
	flags := []string{"--storage-uri", "s3://" + at.Bucket + "/shop", "--s3-endpoint-url", at.Endpoint}
	run := func(code int, says, line string, more ...string) string {
		t.Helper()
		got, out, problem := command(t, slices.Concat(strings.Fields(line), more, flags)...)
		if got != code || !strings.Contains(out+problem, says) {
			t.Fatalf("%s %s: exit %d, %s%s; want exit %d and %q", line, more, got, out, problem, code, says)
		}
		return out
	}
	run(exitOK, "errors: 0", "fsck")
	run(exitOK, "errors: 0", "fsck --data")
	run(exitOK, `"status": "ok"`, "verify --strict --json", "--schema", file(t, "models.json", run(exitOK, "", "schema export")))
	run(exitOK, `"operation": "update_version"`, "commits examine --id 2 --json")

	run(exitOK, "Nobody", "lock show")
	now := time.Now()
	dead := format.EncodeLock(&format.Lock{
		OwnerID: "dead", AcquiredAt: format.TimeOf(now), ExpiresAt: format.TimeOf(now.Add(time.Hour)), LeaseTTLms: 3600000,
	})
	if _, err := b.Put(t.Context(), format.LockKey, dead); err != nil {
		t.Fatal(err)
	}
	insert := []string{"INSERT INTO product (sku, title, price) VALUES (99, 'Nut', 0.5)"}
	run(exitExecution, "lock", "sql --s3-lock-timeout-ms 100 -c", insert...)
	held := decoded[shownLock](t, run(exitOK, "dead", "lock show --json"))
	run(exitExecution, "dead has it until", "lock break --token 0000000000000000")
	run(exitOK, "dead is broken", "lock break --token "+held.Token)
	run(exitOK, "Nobody", "lock show")
	run(exitOK, "INSERT 0 1", "sql -c", insert...)
	run(exitOK, "errors: 0, warnings: 0", "fsck --data")

	count := []string{"SELECT count(*) FROM history.customer"}
	before := run(exitOK, "", "sql -c", count...)
	run(exitOK, `"applied": true`, "compact --apply --json")
	run(exitOK, "errors: 0", "fsck --data")
	run(exitOK, "ok: true", "index verify")
	run(exitOK, before, "sql -c", count...)
	index, _, err := b.Get(t.Context(), "meta/indices/entities/Customer.json")
	if err != nil || !strings.Contains(string(index), "snapshots/entities/Customer-1-4.parquet") {
		t.Fatalf("the index of Customer is %s, %v", index, err)
	}
	if err := b.Delete(t.Context(), "snapshots/entities/Customer-1-4.parquet"); err != nil {
		t.Fatal(err)
	}
	run(exitExecution, "Customer-1-4.parquet does not exist", "index verify")
	run(exitOK, before, "sql -c", count...)
	run(exitOK, `planned_types: ["entity:Customer"]`, "index repair --apply")
	run(exitOK, "ok: true", "index verify")
	run(exitOK, "Compacted: ", "compact --strategy tiered --apply")
	run(exitOK, before, "sql -c", count...)
	run(exitOK, "Nobody", "lock show")
}
