package writepath

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"testing"
)

// TestIdentities asks sets below and above the number that is kept as it is.
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
	sizes := []int{0, 1, mostFew, mostFew + 1, 3 * mostFew}
	for _, n := range sizes {
		s := set("a", n)
		if s.len() != n || (s.few == nil) != (n > mostFew) {
			t.Errorf("set of %d: len %d, kept as they are: %t", n, s.len(), s.few != nil)
		}
		if twice := n > 0 && s.add("a0", 7); twice != (n > 0 && n <= mostFew) {
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
			if s.meets(apart) || apart.meets(s) {
				t.Errorf("sets of %d and %d others meet", n, m)
			}
			if n > 0 && !(s.meets(together) && together.meets(s)) {
				t.Errorf("sets of %d and %d with one in common do not meet", n, m)
			}
		}
	}
	draft := &identities{many: new(hashes), seed: seed} // as a Draft has them
	draft.add("a1", 0)
	if !draft.meets(set("a", 2)) || !set("a", 2).meets(draft) || draft.meets(set("b", 2)) || set("b", 2).meets(draft) {
		t.Error("few hashes do not meet what more identities as they are have in common with them")
	}
	if (*identities)(nil).meets(set("a", 1)) || set("a", 1).meets(nil) {
		t.Error("a set meets one that nothing is known of")
	}
}

// TestHashes asks sets of hashes that are spread evenly, and of some that are not.
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
		if h.once() == twice {
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
