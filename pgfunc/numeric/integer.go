package numeric

func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func Abs[N int | int64](n N) N { return max(n, -n) }
