package format_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
)

// TestFloatsAreShortest holds floats of few digits, and their neighbours, against
// strconv.
func TestFloatsAreShortest(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 300_000 {
		f := float64(rng.Int64N(1<<(1+rng.IntN(62)))) / math.Pow10(rng.IntN(6))
		for _, f := range []float64{f, -f, math.Nextafter(f, 0), math.Nextafter(f, math.Inf(1))} {
			if abs := math.Abs(f); abs < 1e-4 || abs >= 1e16 {
				continue
			}
			want := strconv.FormatFloat(f, 'f', -1, 64)
			if !strings.Contains(want, ".") {
				want += ".0"
			}
			if got := string(format.AppendFloat(nil, f)); got != want {
				t.Fatalf("%g is written as %s, want %s", f, got, want)
			}
		}
	}
}
