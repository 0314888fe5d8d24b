package pgfunc

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func abs[N int | int64](n N) N { return max(n, -n) }
