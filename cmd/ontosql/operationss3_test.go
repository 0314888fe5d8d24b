package main

import (
	"fmt"
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
	run(exitOK, `"source_key": "c1"`, "query traverse Customer --via Purchase --json", "--filter", `$.tier eq "Gold"`)

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

	// What failed attempts leave is found and removed.
	left := []string{"commits/2-dead0001/manifest.json", "commits/2-dead0001/entities/Customer.parquet", "commits/99-dead0002/manifest.json", "snapshots/entities/Customer-1-2.parquet"}
	for _, key := range left {
		if _, err := b.Put(t.Context(), key, []byte("left")); err != nil {
			t.Fatal(err)
		}
	}
	run(exitOK, "younger than the grace\nNothing to remove.\n", "gc")
	plan := decoded[collection](t, run(exitOK, "", "gc --grace 0s --json"))
	for _, key := range left {
		if !slices.ContainsFunc(plan.Planned, func(g garbage) bool { return g.Object == key && g.Bytes == 4 }) {
			t.Errorf("%s is not in the plan %+v", key, plan)
		}
	}
	readOnly := []string{"--storage-uri", "s3://" + at.Bucket + "/shop", "--s3-endpoint-url", testenv.S3ReadOnly(t)}
	if code, out, problem := command(t, append([]string{"gc", "--grace", "0s", "--apply"}, readOnly...)...); code != exitExecution || !strings.Contains(problem, "permission denied") || !strings.Contains(out, "Removed: 0 objects") {
		t.Errorf("gc of a read-only store: exit %d\n%s%s", code, out, problem)
	}
	run(exitOK, fmt.Sprintf(`"removed_objects": %d`, len(plan.Planned)), "gc --grace 0s --apply --json")
	run(exitOK, "Nothing to remove.", "gc --grace 0s")
	run(exitOK, "errors: 0", "fsck --data")
	run(exitOK, before, "sql -c", count...)
	run(exitOK, "INSERT 0 1", "sql -c", "INSERT INTO product (sku, title, price) VALUES (100, 'Bolt', 0.5)")
	run(exitOK, "Nobody", "lock show")
}
