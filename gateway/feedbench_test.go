package gateway_test

import (
	"strings"
	"testing"
	"time"
)

// BenchmarkSQLiteFeed feeds the mirror from a file of 400,000 versions, from the first
// statement on until every statement is read from it.
func BenchmarkSQLiteFeed(b *testing.B) {
	const versions = 400_000
	path := manyVersions(b, versions)
	for b.Loop() {
		b.StopTimer()
		h := fileHouse(b, path, true)
		b.StartTimer()
		s := h.session(b, "onto")
		for fed := false; !fed; time.Sleep(time.Millisecond) {
			plan := strings.Join(must(b, s, "EXPLAIN SELECT * FROM reading"), "\n")
			fed = strings.Contains(plan, "Mirror: through commit ") && strings.Contains(plan, "Rows: 0 in the window")
		}
		b.StopTimer()
		h.mirror.Close()
		b.StartTimer()
	}
	b.ReportMetric(versions*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
