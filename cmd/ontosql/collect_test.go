package main

import (
	"runtime"
	"testing"
)

// TestGrowthOfTheHeap: a small heap grows fivefold, a large one by a bounded
// amount, a huge one doubles.
func TestGrowthOfTheHeap(t *testing.T) {
	const mib = 1 << 20
	for _, test := range []struct {
		live uint64
		want int
	}{
		{0, 400}, {10 * mib, 400}, {32 * mib, 400}, {64 * mib, 200}, {100 * mib, 128}, {128 * mib, 100}, {4096 * mib, 100},
	} {
		if got := growthPercent(test.live); got != test.want {
			t.Errorf("%d MiB live: may grow by %d %%, want %d", test.live/mib, got, test.want)
		}
	}
}

// TestAfterCollection receives one call for each collection.
func TestAfterCollection(t *testing.T) {
	told := make(chan struct{}, 1)
	afterCollection(func() {
		select {
		case told <- struct{}{}:
		default:
		}
	})
	for times := 0; times < 3; {
		runtime.GC()
		select {
		case <-told:
			times++
		default:
		}
	}
}

// TestAtRest: a process comes to rest when it allocates little after it has allocated much, and
// once each time.
func TestAtRest(t *testing.T) {
	const mib = 1 << 20
	var rest atRest
	for _, look := range []struct {
		allocated uint64
		want      bool
	}{
		{10 * mib, false},
		{10 * mib, false}, // too little to collect
		{40 * mib, false},
		{45 * mib, false},
		{45*mib + 100, true},
		{45*mib + 200, false},
		{60 * mib, false},
		{60 * mib, false},
		{90 * mib, false},
		{90*mib + 1, true},
	} {
		if got := rest.came(look.allocated); got != look.want {
			t.Errorf("%d bytes allocated: came to rest %v, want %v", look.allocated, got, look.want)
		}
	}
}
