package main

import (
	"fmt"
	"strings"
)

// size is how much data a run works on.
type size struct {
	Name          string
	Customers     int // identities; the measures look them up by key
	Rounds        int // versions of each customer
	Slices        int // commits of one round: each writes as many customers
	Products      int // the rows of a large result
	Subscriptions int
	Long          int     // commits of the long history
	LongRows      int     // customers in each of them
	TPC           float64 // scale of the TPC benchmarks: 1 is about a gigabyte
	UpsertKeys    int     // rows of the table of P20
	Upserts       int     // batches of its stream
	UpsertRows    int     // rows of each batch
	Hurry         int     // divides how often a question is asked
}

// sizes are those of -size. L is what the goals speak of, M a tenth of it with
// the same number of commits, S a smoke test.
var sizes = []size{
	{Name: "S", Customers: 5_000, Rounds: 5, Slices: 2, Products: 20_000, Subscriptions: 20_000, Long: 200, LongRows: 10, TPC: 0.01, UpsertKeys: 200_000, Upserts: 10, UpsertRows: 20_000, Hurry: 10},
	{Name: "M", Customers: 200_000, Rounds: 5, Slices: 10, Products: 100_000, Subscriptions: 100_000, Long: 10_000, LongRows: 10, TPC: 0.1, UpsertKeys: 500_000, Upserts: 20, UpsertRows: 50_000, Hurry: 1},
	{Name: "L", Customers: 2_000_000, Rounds: 5, Slices: 10, Products: 1_000_000, Subscriptions: 1_000_000, Long: 10_000, LongRows: 10, TPC: 1, UpsertKeys: 2_000_000, Upserts: 50, UpsertRows: 200_000, Hurry: 1},
}

func sizeNamed(name string) (size, error) {
	var known []string
	for _, s := range sizes {
		if s.Name == name {
			return s, nil
		}
		known = append(known, s.Name)
	}
	return size{}, fmt.Errorf("size %q is none of %s", name, strings.Join(known, ", "))
}

// commits is how many write customers.
func (s size) commits() int { return s.Rounds * s.Slices }

// versions is how many the customers have together.
func (s size) versions() int { return s.Rounds * s.Customers }

// questions is how many are asked in a turn that has n in a full run.
func (s size) questions(n int) int { return max(1, n/s.Hurry) }

func (s size) String() string {
	return fmt.Sprintf("%s: %d customers with %d versions in %d commits, %d products, %d subscriptions; a history of %d commits of %d customers",
		s.Name, s.Customers, s.versions(), s.commits(), s.Products, s.Subscriptions, s.Long, s.LongRows)
}
