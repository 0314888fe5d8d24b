package numeric

// FloorDiv is a / b, rounded towards minus infinity. b is positive.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// Abs is the absolute value of n.
func Abs[N int | int64](n N) N { return max(n, -n) }
