package textvalue

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestReadDecimal holds random numbers against exact arithmetic.
func TestReadDecimal(t *testing.T) {
	rng := seeded(t)
	const width, scale = 38, 12
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(width), nil)
	digits := func(most int) string {
		var b strings.Builder
		for range rng.IntN(most + 1) {
			b.WriteByte("0000123456789959"[rng.IntN(16)])
		}
		return b.String()
	}
	for range 100_000 {
		text := []string{"", "-", "+"}[rng.IntN(3)] + digits(30)
		if rng.IntN(2) == 0 {
			text += "." + digits(20)
		}
		if rng.IntN(3) == 0 {
			text += fmt.Sprintf("%c%+d", "eE"[rng.IntN(2)], rng.IntN(60)-30)
		}
		v, ok := ReadDecimal([]byte(text), width, scale)
		if strings.Trim(strings.SplitN(strings.ToLower(text), "e", 2)[0], "+-.") == "" {
			if ok {
				t.Fatalf("%q is read as a number", text)
			}
			continue
		}
		exact, isNumber := new(big.Rat).SetString(text)
		if !isNumber {
			t.Fatalf("%q is no number for math/big", text)
		}
		want := rounded(exact.Mul(exact, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(scale), nil))))
		if fits := new(big.Int).Abs(want).Cmp(limit) < 0; fits != ok {
			t.Fatalf("%q: read %v, want %v", text, ok, fits)
		}
		if got := string(v.AppendDecimal(nil, 0, 0)); ok && got != want.String() {
			t.Fatalf("%q is read as %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "-", ".", "1.2.3", "1e", "e1", "1e+", "--1", "1-", " 1", "1 ", "0x1", "1_0", "nan", "inf", "1e99999999999999999999"} {
		if v, ok := ReadDecimal([]byte(text), width, scale); ok {
			t.Errorf("%q is read as %s", text, v.AppendDecimal(nil, scale, 0))
		}
	}
}

// rounded is the nearest integer, half away from zero.
func rounded(r *big.Rat) *big.Int {
	half := new(big.Rat).SetFrac64(int64(r.Sign()), 2)
	sum := new(big.Rat).Add(r, half)
	return new(big.Int).Quo(sum.Num(), sum.Denom())
}

// seeded are random numbers. The test's log has their seed.
func seeded(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}
