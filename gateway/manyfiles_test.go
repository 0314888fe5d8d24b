//go:build !mirrormode

package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// keysOfReadings is how many identities longHistory writes to, in turns.
const keysOfReadings = 300

// longHistory is a store with a type Reading, whose versions came
// one by one: version i, from 0 on, of key k<i%300> has the value i. It returns
// the commit of the first.
func longHistory(t testing.TB, versions int) (objstore.Bucket, ontosql.CommitID) {
	t.Helper()
	ctx, b := t.Context(), mem.New("long")
	if _, err := writepath.Init(ctx, b, writepath.InitOptions{Engine: format.EngineV1}); err != nil {
		t.Fatal(err)
	}
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "long"})
	reading := format.Schema{
		Ref:    ontosql.TypeRef{Kind: ontosql.Entity, Name: "Reading"},
		Fields: []format.SchemaField{keyField("id", format.FieldStr), format.NewField("value", format.FieldInt, false)},
	}
	registered, err := c.Register(ctx, time.Time{}, []format.Schema{reading})
	if err != nil {
		t.Fatal(err)
	}
	pin := registered.Commit
	for i := range versions {
		id := fmt.Sprint("k", i%keysOfReadings)
		fields := format.Object(format.Member{Name: "id", Value: format.String(id)}, format.Member{Name: "value", Value: format.Int(int64(i))})
		row := writepath.Row{Row: format.Row{Key: id, Fields: fields.Append(nil, format.Canonical)}}
		data := writepath.Data{Type: reading.Ref, Fields: format.DataFields(reading.Fields), SchemaVersion: writepath.FirstVersion, Rows: func(yield func(writepath.Row, error) bool) { yield(row, nil) }}
		committed, err := c.Commit(ctx, writepath.Tx{Pin: pin, Data: []writepath.Data{data}})
		if err != nil {
			t.Fatal(err)
		}
		pin = committed.Commit
	}
	if err := c.Close(ctx); err != nil {
		t.Fatal(err)
	}
	return b, registered.Commit + 1
}

// TestThousandsOfFiles reads a type of many files, without a mirror, in every kind of window,
// and checks by EXPLAIN what is pruned when the footers are known. Each file that a statement
// reads costs one descriptor, for its lease.
func TestThousandsOfFiles(t *testing.T) {
	const versions = 1500
	bucket, first := longHistory(t, versions)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: versions + 300, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before) }()
	s := openHouse(t, bucket, false).session(t, "onto")
	// at is the commit of a version.
	at := func(version int) int { return int(first) + version }
	// sum is that of the values of versions from and until before to.
	sum := func(from, to int) int { return (to - from) * (from + to - 1) / 2 }
	const newest = versions - keysOfReadings // the oldest version that none superseded
	for _, c := range []struct{ sql, rows, files string }{
		{"SELECT count(*), sum(value), min(value) FROM reading", fmt.Sprintf("%d|%d|%d", keysOfReadings, sum(newest, versions), newest), "1500 considered, 0 pruned, 1500 read"},
		{"SELECT count(*), sum(value), count(valid_to) FROM history.reading", fmt.Sprintf("%d|%d|%d", versions, sum(0, versions), newest), "1500 considered, 0 pruned, 1500 read"},
		{"SELECT value, commit_id FROM reading WHERE id = 'k7'", fmt.Sprintf("%d|%d", newest+7, at(newest+7)), "1500 considered, 1495 pruned, 5 read"},
		{"SELECT count(*), max(value) FROM reading WHERE id IN ('k7', 'k8')", fmt.Sprintf("2|%d", newest+8), "1500 considered, 1490 pruned, 10 read"},
		{fmt.Sprintf("SELECT count(*), max(value) FROM as_of.reading(%d)", at(699)), "300|699", "1500 considered, 800 pruned, 700 read"},
		{fmt.Sprintf("SELECT count(*), min(value) FROM history.reading WHERE commit_id > %d", at(1489)), "10|1490", "1500 considered, 1490 pruned, 10 read"},
		{fmt.Sprintf("SELECT value FROM as_of.reading(%d) WHERE id = 'k7'", at(699)), "607", "1500 considered, 1497 pruned, 3 read"},
		{"SELECT count(*), min(value), max(valid_to_commit) FROM history.reading WHERE id = 'k7'", fmt.Sprintf("5|7|%d", at(newest+7)), "1500 considered, 1495 pruned, 5 read"},
		{"SELECT count(*), count(before) FROM changes.reading WHERE id = 'k7'", "5|4", "1500 considered, 1495 pruned, 5 read"},
	} {
		if got := must(t, s, c.sql); !slices.Equal(got, []string{c.rows}) {
			t.Errorf("%s answers %q, want %q", c.sql, got, c.rows)
		}
		if plan := strings.Join(must(t, s, "EXPLAIN "+c.sql), "\n"); !strings.Contains(plan, "Files: "+c.files+"\n") {
			t.Errorf("EXPLAIN %s lacks %q:\n%s", c.sql, c.files, plan)
		}
	}
}

// BenchmarkThousandsOfFiles reads the newest versions of a type, and one of
// them, from 5,000 files that are in the cache.
func BenchmarkThousandsOfFiles(b *testing.B) {
	bucket, _ := longHistory(b, 5000)
	s := openHouse(b, bucket, false).session(b, "onto")
	for name, sql := range map[string]string{
		"latest":  "SELECT count(*), sum(value) FROM reading",
		"history": "SELECT count(*), sum(value) FROM history.reading",
		"key":     "SELECT value FROM reading WHERE id = 'k7'",
		"past":    "SELECT value, valid_to FROM history.reading WHERE id = 'k7'",
	} {
		must(b, s, sql)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				must(b, s, sql)
			}
		})
	}
}
