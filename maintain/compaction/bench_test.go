package compaction_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/writepath"
)

// BenchmarkCompact merges the files of 100 commits of 5,000 versions each. rows/s is by the clock,
// rows/cpu-s by the time of all processors.
func BenchmarkCompact(b *testing.B) {
	const commits, rows = 100, 5000
	disk, err := dir.Open(b.TempDir(), dir.Options{})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.WithoutCancel(b.Context())
	if _, err := writepath.Init(ctx, disk, writepath.InitOptions{URI: "file:///x", Engine: format.EngineV1, Now: time.Now}); err != nil {
		b.Fatal(err)
	}
	c := writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "writer", TempDir: b.TempDir()})
	out, err := c.Register(ctx, time.Time{}, []format.Schema{schemaOf(thing)})
	if err != nil {
		b.Fatal(err)
	}
	for n := range commits {
		tx := writepath.Tx{Pin: out.Commit, Data: []writepath.Data{{
			Type: thing, Fields: format.DataFields(schemaOf(thing).Fields), SchemaVersion: writepath.FirstVersion,
			Rows: func(yield func(writepath.Row, error) bool) {
				for i := range rows {
					if !yield(writepath.Row{Row: row(thing, fmt.Sprint("customer-", (n*rows/2)+i), n)}, nil) {
						return
					}
				}
			},
		}}}
		if out, err = c.Commit(ctx, tx); err != nil {
			b.Fatal(err)
		}
	}
	if err := c.Close(ctx); err != nil {
		b.Fatal(err)
	}
	s := open(b, disk)
	cpu, began := processorTime(), time.Now()
	for b.Loop() {
		if err := disk.Delete(ctx, format.SnapshotKey(thing, 2, out.Commit)); err != nil {
			b.Fatal(err)
		}
		done, err := compaction.Compact(ctx, s, compaction.Options{Apply: true})
		if err != nil || done.Rows != commits*rows {
			b.Fatal(done, err)
		}
	}
	n := float64(b.N * commits * rows)
	b.ReportMetric(n/time.Since(began).Seconds(), "rows/s")
	b.ReportMetric(n/(processorTime()-cpu).Seconds(), "rows/cpu-s")
}

// processorTime is the time that this process has used of all processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
