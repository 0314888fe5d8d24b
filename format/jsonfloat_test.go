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

// TestFloatsAreShortest compares floats with few digits, and their neighbors, with strconv.
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

// TestPlainFloat compares PlainFloat with strconv bit by bit, and checks texts that it rejects.
func TestPlainFloat(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	read := 0
	for range 200_000 {
		text := strconv.FormatInt(rng.Int64N(1<<(1+rng.IntN(60))), 10)
		if at := 1 + rng.IntN(len(text)); at < len(text) {
			text = text[:at] + "." + text[at:]
		}
		if rng.IntN(3) == 0 {
			text = "-" + text
		}
		got, ok := format.PlainFloat([]byte(text))
		want, err := strconv.ParseFloat(text, 64)
		if ok && (err != nil || math.Float64bits(got) != math.Float64bits(want)) {
			t.Fatalf("%s is read as %g, want %g", text, got, want)
		}
		if ok {
			read++
		}
	}
	if read < 100_000 {
		t.Errorf("of 200000 numbers %d were read, want most", read)
	}
	for _, text := range []string{"", "-", ".", "-.5", ".5", "5.", "01", "-01.5", "1e3", "1.5E3", "1.2.3", "1 ", " 1", "-0", "-0.0", "1234567890123456", "NaN", "Infinity", "1x", "null"} {
		if f, ok := format.PlainFloat([]byte(text)); ok {
			t.Errorf("%q is read as %g, want nothing", text, f)
		}
	}
}
