package writepath

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"testing"
)

// TestIdentities checks sets with exact and with hashed identities.
func TestIdentities(t *testing.T) {
	seed := maphash.MakeSeed()
	set := func(prefix string, n int) *identities {
		s := newIdentities(seed)
		for i := range n {
			if s.add(fmt.Sprint(prefix, i), 7) {
				t.Fatalf("%s%d was there already", prefix, i)
			}
		}
		return s
	}
	sizes := []int{0, 1, maxExact, maxExact + 1, 3 * maxExact}
	for _, n := range sizes {
		s := set("a", n)
		if s.len() != n || (s.exact == nil) != (n > maxExact) {
			t.Errorf("set of %d: len %d, kept as they are: %t", n, s.len(), s.exact != nil)
		}
		if twice := n > 0 && s.add("a0", 7); twice != (n > 0 && n <= maxExact) {
			t.Errorf("set of %d: a second time noticed: %t", n, twice)
		}
		for _, i := range []int{0, n / 2, n - 1, n} {
			if got, want := s.has(fmt.Sprint("a", i)), i >= 0 && i < n; got != want {
				t.Errorf("set of %d has a%d: got %t", n, i, got)
			}
		}
		for _, m := range sizes {
			apart, together := set("b", m), set("b", m)
			together.add(fmt.Sprint("a", n-1), 7)
			if s.intersects(apart) || apart.intersects(s) {
				t.Errorf("sets of %d and %d others meet", n, m)
			}
			if n > 0 && !(s.intersects(together) && together.intersects(s)) {
				t.Errorf("sets of %d and %d with one in common do not meet", n, m)
			}
		}
	}
	draft := &identities{hashed: new(hashes), seed: seed} // as a Draft has them
	draft.add("a1", 0)
	if !draft.intersects(set("a", 2)) || !set("a", 2).intersects(draft) || draft.intersects(set("b", 2)) || set("b", 2).intersects(draft) {
		t.Error("few hashes do not meet what more identities as they are have in common with them")
	}
	if (*identities)(nil).intersects(set("a", 1)) || set("a", 1).intersects(nil) {
		t.Error("a set meets one that nothing is known of")
	}
}

// TestHashes checks sets of evenly and unevenly distributed hashes.
func TestHashes(t *testing.T) {
	for round := range 200 {
		r := rand.New(rand.NewPCG(uint64(round), 1))
		h, known := new(hashes), map[uint64]int{}
		mask := uint64(math.MaxUint64) << r.IntN(64)
		twice := false
		for range r.IntN(5000) {
			sum := r.Uint64() & mask
			if known[sum] > 0 && r.IntN(100) > 0 {
				continue
			}
			known[sum]++
			twice = twice || known[sum] > 1
			h.add(sum)
		}
		if h.distinct() == twice {
			t.Fatalf("round %d: %d hashes, one twice: %t", round, len(known), twice)
		}
		for sum := range known {
			for _, ask := range []uint64{sum, sum - 1, sum + 1, sum ^ 1<<40, r.Uint64()} {
				if _, want := known[ask]; h.has(ask) != want {
					t.Fatalf("round %d: %d hashes have %x: %t", round, len(known), ask, !want)
				}
			}
		}
	}
}
