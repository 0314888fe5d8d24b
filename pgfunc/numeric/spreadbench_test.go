package numeric

import (
	"fmt"
	"testing"
)

// BenchmarkSpread computes the standard deviations of groups of four numbers.
func BenchmarkSpread(b *testing.B) {
	text := fmt.Sprintf("%x %x %x %x", 4, 0, 2067, 1387421)
	b.ReportAllocs()
	for b.Loop() {
		if v, err := varianceOrDeviation(text, "stddev_samp", 0); err != nil || v.Text == "" {
			b.Fatal(v, err)
		}
	}
}
