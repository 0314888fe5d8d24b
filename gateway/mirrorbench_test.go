//go:build !mirrormode

package gateway_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ontosql/ontosql/objstore/faulty"
)

// BenchmarkMirroredInsert commits one row into a mirrored type, behind 10 ms for each request,
// and measures the processor time including work in the background.
func BenchmarkMirroredInsert(b *testing.B) {
	for _, sessions := range []int{1, 64} {
		b.Run(fmt.Sprintf("sessions=%d", sessions), func(b *testing.B) {
			bucket := shop(b)
			must(b, openHouse(b, bucket, false).session(b, "onto"), "INSERT INTO shelf SELECT 'old ' || g, g FROM generate_series(1, 50000) AS g")
			h := newHouse(b, &faulty.Bucket{Bucket: bucket, At: -1, Delay: func(context.Context, int, string, string) { time.Sleep(10 * time.Millisecond) }})
			h.ending = true
			h.settle(b, h.session(b, "onto"), "shelf")
			var n, opened atomic.Int64
			b.SetParallelism(max(sessions/2, 1))
			b.ResetTimer()
			began := processor()
			b.RunParallel(func(pb *testing.PB) {
				if opened.Add(1) > int64(sessions) {
					return
				}
				h.insertShelves(b, pb, &n)
			})
			b.ReportMetric(float64((processor()-began).Microseconds())/float64(b.N), "µs-processor/op")
		})
	}
}
