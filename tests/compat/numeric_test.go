package compat

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestNumericDigits cuts, rounds and divides quotients, sums and averages of random
// numbers, and compares with the same done by whole numbers without end.
func TestNumericDigits(t *testing.T) {
	ours := connect(t, start(t, tables))
	r := rand.New(rand.NewPCG(15, 2))
	for range 2 {
		scale := 1 + r.IntN(3)
		cents := func() *big.Rat {
			return new(big.Rat).SetFrac(big.NewInt(r.Int64N(1e6)-5e5), tenTo(scale))
		}
		a, b, n := cents(), cents(), r.IntN(9)-3
		ta, tb := a.FloatString(scale), b.FloatString(scale)
		sum := new(big.Rat).Add(a, b)
		average := new(big.Rat).Quo(sum, big.NewRat(2, 1))
		modulus := big.NewRat(1+r.Int64N(900), 100)
		for _, c := range []struct {
			sql  string
			want *big.Rat
		}{
			{fmt.Sprintf("(%s/1)", ta), a},
			{fmt.Sprintf("(%s/8)", ta), new(big.Rat).Quo(a, big.NewRat(8, 1))},
			{fmt.Sprintf("(SELECT sum(x) FROM (VALUES (%s),(%s)) v(x))", ta, tb), sum},
			{fmt.Sprintf("(SELECT avg(x) FROM (VALUES (%s),(%s)) v(x))", ta, tb), average},
		} {
			for _, q := range []struct {
				sql  string
				want *big.Rat
			}{
				{fmt.Sprintf("trunc(%s, %d)", c.sql, n), digits(c.want, n, false)},
				{fmt.Sprintf("round(%s, %d)", c.sql, n), digits(c.want, n, true)},
				{fmt.Sprintf("trunc(%s, v.n)", c.sql), digits(c.want, n, false)},
				{fmt.Sprintf("round(%s, v.n)", c.sql), digits(c.want, n, true)},
				{fmt.Sprintf("mod(%s, %s)", c.sql, modulus.FloatString(2)), remainder(c.want, modulus)},
				{fmt.Sprintf("%s %% %s", c.sql, modulus.FloatString(2)), remainder(c.want, modulus)},
			} {
				sql := fmt.Sprintf("SELECT (%s)::text FROM (VALUES (%d)) v(n)", q.sql, n)
				got, ok := new(big.Rat), false
				out := ask(t.Context(), ours, sql)
				if len(out.rows) == 1 {
					got, ok = got.SetString(out.rows[0][0])
				}
				if !ok || got.Cmp(q.want) != 0 {
					t.Errorf("%s = %v, want %s", sql, out, q.want.FloatString(6))
				}
			}
		}
	}
}

func tenTo(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// digits keeps n digits behind the point, or leaves out -n before it.
func digits(x *big.Rat, n int, round bool) *big.Rat {
	unit := new(big.Rat).SetInt(tenTo(max(-n, 0)))
	unit.Quo(unit, new(big.Rat).SetInt(tenTo(max(n, 0))))
	units := new(big.Rat).Quo(x, unit)
	if round {
		units.Add(units, big.NewRat(int64(x.Sign()), 2))
	}
	return unit.Mul(unit, new(big.Rat).SetInt(new(big.Int).Quo(units.Num(), units.Denom())))
}

// remainder has the sign of x.
func remainder(x, y *big.Rat) *big.Rat {
	q := new(big.Rat).Quo(x, y)
	whole := new(big.Rat).SetInt(new(big.Int).Quo(q.Num(), q.Denom()))
	return new(big.Rat).Sub(x, whole.Mul(whole, y))
}
