package column_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
)

// TestDecimal prints numbers at the ends of their digits, with the digits of
// math/big.
func TestDecimal(t *testing.T) {
	for _, n := range []column.Int128{
		{}, {Lo: 7}, {Lo: 1_000_000_000_000}, {Lo: math.MaxUint64}, {Hi: 1}, {Hi: -1, Lo: math.MaxUint64}, {Hi: -1}, {Hi: math.MaxInt64, Lo: math.MaxUint64}, {Hi: math.MinInt64},
	} {
		whole := new(big.Int).Lsh(big.NewInt(n.Hi), 64)
		whole.Add(whole, new(big.Int).SetUint64(n.Lo))
		for _, scale := range []int{0, 1, 12, 38} {
			unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
			want := new(big.Rat).SetFrac(whole, unit).FloatString(scale)
			if got := string(n.AppendDecimal([]byte("x"), scale, scale)); got != "x"+want {
				t.Errorf("%+v with scale %d: %s, want %s behind the x", n, scale, got, want)
			}
			if strings.Contains(want, ".") {
				want = strings.TrimRight(strings.TrimRight(want, "0"), ".")
			}
			if got := string(n.AppendDecimal(nil, scale, 0)); got != want {
				t.Errorf("%+v with scale %d, trimmed: %s, want %s", n, scale, got, want)
			}
		}
		b := n.Bytes()
		if back := new(big.Int).SetBytes(b[:]); back.Cmp(new(big.Int).Mod(whole, new(big.Int).Lsh(big.NewInt(1), 128))) != 0 {
			t.Errorf("%+v is the bytes %x", n, b)
		}
	}
}
