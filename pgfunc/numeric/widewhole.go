package numeric

import (
	"math/big"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
)

// mostFactorial is the greatest number whose factorial PostgreSQL computes (numeric_fac of numeric.c).
const mostFactorial = 32177

// factorial is the key of the factorial of n.
func factorial(n int64) (string, *pgerr.Error) {
	switch {
	case n < 0:
		return "", pgerr.New(pgerr.NumericValueOutOfRange, "factorial of a negative number is undefined")
	case n > mostFactorial:
		return "", pgerr.New(pgerr.NumericValueOutOfRange, "value overflows numeric format")
	}
	product := new(big.Int).MulRange(1, n)
	key, ok := column.AppendWideKey(nil, product.Append(nil, 10))
	if !ok {
		return "", pgerr.New(pgerr.NumericValueOutOfRange, "value overflows numeric format")
	}
	return string(key), nil
}

// mostSteps are the numbers that fit into 64 MiB as the other series do (macro bounded).
const mostSteps = 64 << 20 / 8

// steps is how many numbers a series has from a to b.
func steps(a, b, step decimal) (int64, *pgerr.Error) {
	scale := max(a.scale, b.scale, step.scale)
	by := step.scaled(scale)
	if by.Sign() == 0 {
		return 0, pgerr.New(pgerr.InvalidParameterValue, "step size cannot equal zero")
	}
	distance := new(big.Int).Sub(b.scaled(scale), a.scaled(scale))
	if distance.Sign() != 0 && distance.Sign() != by.Sign() {
		return 0, nil
	}
	n := distance.Quo(distance, by)
	if n.CmpAbs(big.NewInt(mostSteps)) >= 0 {
		return 0, pgerr.New(pgerr.ProgramLimitExceeded, "result of generate_series() exceeds 64 MiB")
	}
	return n.Int64() + 1, nil
}
