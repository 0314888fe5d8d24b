package writepath_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// BenchmarkCommit measures the commits per second of a Committer on a store that answers each
// request after 10 ms, and the processor time of each.
func BenchmarkCommit(b *testing.B) {
	for _, clients := range []int{1, 64} {
		b.Run(fmt.Sprintf("%d clients", clients), func(b *testing.B) { benchmarkCommit(b, clients) })
	}
}

func benchmarkCommit(b *testing.B, clients int) {
	disk := mem.New("x")
	if _, err := writepath.Init(b.Context(), disk, writepath.InitOptions{URI: "mem://x", Engine: format.EngineV1}); err != nil {
		b.Fatal(err)
	}
	var swaps atomic.Int64
	far := &faulty.Bucket{Bucket: disk, At: -1, Delay: func(_ context.Context, _ int, op, key string) {
		if op == objstore.OpSwap && key == format.HeadKey {
			swaps.Add(1)
		}
		time.Sleep(10 * time.Millisecond)
	}}
	c := writepath.Open(writepath.Options{Bucket: far, RuntimeID: "bench"})
	defer c.Close(b.Context())
	if _, err := c.Register(b.Context(), birth, []format.Schema{schemaOf(thing)}); err != nil {
		b.Fatal(err)
	}
	var next atomic.Int64
	took := make([]time.Duration, b.N)
	var wg sync.WaitGroup
	before, swapped := processor(b), swaps.Load()
	b.ResetTimer()
	for client := range clients {
		wg.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				began := time.Now()
				if _, err := c.Commit(b.Context(), put(readHead(b, disk).CommitID, fmt.Sprint("client ", client), 1, thing)); err != nil {
					b.Error(err)
					return
				}
				took[n-1] = time.Since(began)
			}
		})
	}
	wg.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(took[b.N/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(took[b.N*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
	b.ReportMetric(float64(b.N)/float64(swaps.Load()-swapped), "commits/swap")
	b.ReportMetric(float64((processor(b)-before).Microseconds())/float64(b.N), "cpu-µs/commit")
}

// processor returns the processor time of this process.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
