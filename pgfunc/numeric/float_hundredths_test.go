package numeric

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestHundredthsAreShortest compares the quick way for amounts with the general
// one, over amounts, their neighbours and arbitrary floats.
func TestHundredthsAreShortest(t *testing.T) {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, 1))
	check := func(f float64) {
		if abs := math.Abs(f); abs < 1e-4 || abs >= 1e15 {
			return
		}
		got := string(AppendFloat(nil, f, 64))
		if want := strconv.FormatFloat(f, 'f', -1, 64); got != want {
			t.Fatalf("seed %d: %b is printed as %s, want %s", seed, f, got, want)
		}
	}
	for range 300_000 {
		amount := float64(random.Int64N(1<<random.IntN(53)+1)) / 100
		for _, f := range []float64{amount, -amount, math.Nextafter(amount, math.Inf(1)), math.Nextafter(amount, 0)} {
			check(f)
		}
		check(math.Float64frombits(random.Uint64()))
		check((random.Float64() - 0.5) * math.Pow10(random.IntN(19)-4))
	}
}
