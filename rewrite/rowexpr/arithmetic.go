package rowexpr

import (
	"math"

	"github.com/ontosql/ontosql/column"
)

// arithmetic is +, - or * of two values of a kind of numbers. A result that the kind does not hold
// is ErrUndecided.
func arithmetic(o op, k column.Kind) func(a, b Value) (Value, error) {
	switch k {
	case column.Float64:
		return func(a, b Value) (Value, error) { return floats(o, a.Float, b.Float) }
	case column.Numeric:
		return func(a, b Value) (Value, error) { return numerics(o, a.Wide, b.Wide) }
	}
	least, greatest := int64(math.MinInt64), int64(math.MaxInt64)
	switch k {
	case column.Int16:
		least, greatest = math.MinInt16, math.MaxInt16
	case column.Int32:
		least, greatest = math.MinInt32, math.MaxInt32
	}
	return func(a, b Value) (Value, error) {
		n, fits := integers(o, a.Int, b.Int)
		if !fits || n < least || n > greatest {
			return Value{}, ErrUndecided
		}
		return Value{Int: n}, nil
	}
}

// integers reports with fits whether the result is one of 64 bits.
func integers(o op, a, b int64) (n int64, fits bool) {
	switch o {
	case opAdd:
		n = a + b
		return n, (n > a) == (b > 0)
	case opSubtract:
		n = a - b
		return n, (n < a) == (b > 0)
	}
	if a == 0 || b == 0 {
		return 0, true
	}
	n = a * b
	return n, n/b == a && (n < 0) == ((a < 0) != (b < 0))
}

// floats refuses what PostgreSQL's float8pl and its like report as an overflow or underflow.
func floats(o op, a, b float64) (Value, error) {
	var x float64
	switch o {
	case opAdd:
		x = a + b
	case opSubtract:
		x = a - b
	default:
		if x = a * b; x == 0 && a != 0 && b != 0 {
			return Value{}, ErrUndecided
		}
	}
	if math.IsInf(x, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		return Value{}, ErrUndecided
	}
	return Value{Float: x}, nil
}
