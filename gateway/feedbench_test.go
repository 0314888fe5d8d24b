package gateway_test

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkSQLiteFeed feeds the mirror from a file of 400,000 versions, from the first
// statement on until every statement is read from it.
func BenchmarkSQLiteFeed(b *testing.B) {
	const versions = 400_000
	path := manyVersions(b, versions)
	var used time.Duration
	for b.Loop() {
		b.StopTimer()
		h := fileHouse(b, path, true)
		b.StartTimer()
		used -= processor()
		s := h.session(b, "onto")
		for fed := false; !fed; time.Sleep(5 * time.Millisecond) {
			plan := strings.Join(must(b, s, "EXPLAIN SELECT * FROM reading"), "\n")
			fed = strings.Contains(plan, "Mirror: through commit ") && strings.Contains(plan, "Rows: 0 in the window")
		}
		b.StopTimer()
		used += processor()
		h.mirror.Close()
		b.StartTimer()
	}
	b.ReportMetric(versions*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(used.Nanoseconds())/versions/float64(b.N), "ns-processor/row")
}

// processor is the time that this process has computed for.
func processor() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
