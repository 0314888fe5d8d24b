//go:build !mirrormode

package gateway_test

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkMigrate changes the type of a column of a mirrored table, there
// and back, and commits.
func BenchmarkMigrate(b *testing.B) {
	const rows = 400_000
	h := customerHouse(b, rows)
	s := h.session(b, "onto")
	n, used, took := 0, time.Duration(0), time.Duration(0)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		h.caughtUp(b, s)
		n++
		before, began := processor(), time.Now()
		b.StartTimer()
		must(b, s, "ALTER TABLE customer ALTER COLUMN visits TYPE "+[]string{"bigint", "double precision"}[n%2])
		used += processor() - before
		took += time.Since(began)
		b.StopTimer()
		if got := must(b, s, "SELECT row_count FROM ontosql.commits ORDER BY commit_id DESC LIMIT 1"); got[0] != fmt.Sprint(rows) {
			b.Fatalf("%s rows were written, want %d", got, rows)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(used.Nanoseconds())/float64(n)/rows, "cpu-ns/row")
	b.ReportMetric(rows*float64(n)/took.Seconds(), "rows/s")
}
