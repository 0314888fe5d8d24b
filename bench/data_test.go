package main

import (
	"slices"
	"testing"
)

// TestEveryRoundWritesEveryCustomerOnce holds for every size but the largest,
// where it takes long, and no two rounds have the same order.
func TestEveryRoundWritesEveryCustomerOnce(t *testing.T) {
	for _, s := range sizes[:2] {
		rounds, commits := make([][]int, s.Rounds), 0
		for round, customers := range s.writes() {
			rounds[round] = append(rounds[round], customers...)
			commits++
		}
		if commits != s.commits() {
			t.Errorf("%s: %d commits, want %d", s.Name, commits, s.commits())
		}
		for round, written := range rounds {
			if round > 0 && slices.Equal(written, rounds[0]) {
				t.Errorf("%s: rounds 0 and %d have one order", s.Name, round)
			}
			all := slices.Sorted(slices.Values(written))
			for i, c := range all {
				if len(all) != s.Customers || c != i {
					t.Fatalf("%s: round %d writes %d customers, number %d of them is %d", s.Name, round, len(all), i, c)
				}
			}
		}
	}
}

func TestSubscriptionsDiffer(t *testing.T) {
	s := sizes[0]
	seen := map[[2]string]int{}
	for i := range s.Subscriptions {
		r := s.subscriptionAt(i).row()
		link := [2]string{r.Left, r.Right}
		if first, ok := seen[link]; ok {
			t.Fatalf("subscriptions %d and %d both link %v", first, i, link)
		}
		seen[link] = i
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.0123456: "0.0123", 1.5: "1.50", 99.96: "100.0", 12345.6: "12346", -2: "-2.00"} {
		if got := number(v); got != want {
			t.Errorf("number(%v) is %q, want %q", v, got, want)
		}
	}
	if got := quantile([]int{5, 1, 4, 2, 3}, 0.5); got != 3 {
		t.Errorf("the median of 1 to 5 is %d", got)
	}
	if got := quantile([]int{7}, 0.99); got != 7 {
		t.Errorf("the 99th percentile of 7 alone is %d", got)
	}
}
