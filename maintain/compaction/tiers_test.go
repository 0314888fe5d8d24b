package compaction

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestTiers lets files come one by one, of equal sizes and of random ones, and merges them as
// planned every now and then. There are never more than 1 + log2(rows) files behind a merge, each
// file is in one tier, in order, and what is written again is at most log2(commits) times what came.
func TestTiers(t *testing.T) {
	const commits = 10000
	sizes := map[string]func(*rand.Rand) int64{
		"equal":  func(*rand.Rand) int64 { return 7 },
		"random": func(r *rand.Rand) int64 { return 1 + r.Int64N(100) },
		"mostly small": func(r *rand.Rand) int64 {
			if r.IntN(500) == 0 {
				return 100_000
			}
			return 1
		},
		"empty":   func(*rand.Rand) int64 { return 0 },
		"growing": func(r *rand.Rand) int64 { return int64(math.Exp(r.Float64() * 12)) },
	}
	for name, size := range sizes {
		for _, every := range []int{1, 16, 100} {
			t.Run(fmt.Sprintf("%s, every %d", name, every), func(t *testing.T) {
				random := rand.New(rand.NewPCG(1, uint64(every)))
				var files []int64
				var came, written int64
				for i := range commits {
					n := size(random)
					came += n
					if files = append(files, n); i%every != every-1 {
						continue
					}
					var merged []int64
					next := 0
					for _, tier := range tiers(files) {
						if tier.from != next || tier.to <= tier.from {
							t.Fatalf("tier %+v behind file %d", tier, next)
						}
						var rows int64
						for _, n := range files[tier.from:tier.to] {
							rows += n
						}
						if next = tier.to; tier.to-tier.from > 1 {
							written += rows
						}
						merged = append(merged, rows)
					}
					if next != len(files) {
						t.Fatalf("%d of %d files are in tiers", next, len(files))
					}
					files = merged
					if most := 2 + math.Log2(float64(max(came, 1)+commits)); float64(len(files)) > most {
						t.Fatalf("%d files after %d commits, want at most %.1f", len(files), i+1, most)
					}
				}
				if most := math.Log2(commits) * float64(came); float64(written) > most {
					t.Errorf("%d rows came and %d were written again, %.1f times, want at most %.1f", came, written, float64(written)/float64(came), math.Log2(commits))
				}
				t.Logf("%d files, %.1f times written", len(files), float64(written)/float64(max(came, 1)))
			})
		}
	}
}

// TestLargeFilesStay: a large file is not written again for small ones behind it.
func TestLargeFilesStay(t *testing.T) {
	got := fmt.Sprint(tiers([]int64{1_000_000, 1, 1, 1, 1, 50_000, 3}))
	if want := "[{0 1 1000000} {1 6 50004} {6 7 3}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
