package duckdb

// #include "quotient.h"
import "C"

import (
	"errors"
	"math/big"
	"unsafe"
)

// defineQuotients registers for all connections what divides integers and decimals as PostgreSQL
// divides numerics. The arguments are those of pgfunc's ontosql_numeric_div, with numbers in place of
// their texts: x and the number of digits behind the point that PostgreSQL shows of it, and y likewise.
// ontosql_quotient_text is the quotient at its display scale, ontosql_quotient_scale that scale, and
// ontosql_quotient the quotient of that scale as DECIMAL(38,20).
func (c *Conn) defineQuotients() error {
	if C.ontosqlDefineQuotients(c.raw.Ptr) != 0 {
		return errors.New("define function ontosql_quotient: DuckDB returned an error")
	}
	return nil
}

// ontosqlLongQuotient divides what needs more than 128 bits on the way: it writes the decimal digits
// of x * 10^shift / y, rounded, and returns their number, 0 for 0.
//
//export ontosqlLongQuotient
func ontosqlLongQuotient(xHigh, xLow uint64, shift C.int, yHigh, yLow uint64, digits *C.char) C.int {
	x, y := ofWords(xHigh, xLow), ofWords(yHigh, yLow)
	x.Mul(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(shift)), nil))
	q, rest := x.QuoRem(x, y, new(big.Int))
	if rest.Lsh(rest, 1).Cmp(y) >= 0 {
		q.Add(q, big.NewInt(1))
	}
	if q.Sign() == 0 {
		return 0
	}
	text := q.Append(nil, 10)
	return C.int(copy(unsafe.Slice((*byte)(unsafe.Pointer(digits)), len(text)), text))
}

// ofWords is a number of 128 bits.
func ofWords(high, low uint64) *big.Int {
	n := new(big.Int).SetUint64(high)
	return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(low))
}
