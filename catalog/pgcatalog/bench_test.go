package pgcatalog

import "testing"

func BenchmarkFill(b *testing.B) {
	in := shopInput()
	for b.Loop() {
		mustFill(b, in)
	}
}
