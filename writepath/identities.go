package writepath

import (
	"hash/maphash"
	"slices"

	"github.com/ontosql/ontosql"
)

// identities are those of one type that a commit writes: as they are while they
// are few, else their hashes. Of many, has may be wrong about one that is not
// among them, once in some trillions: what follows is a conflict that is none,
// and the transaction is run again.
type identities struct {
	exact  map[string]ontosql.CommitID // and what they expect; nil where they are many
	hashed *hashes
	seed   maphash.Seed
}

// maxExact is how many identities are kept as they are.
const maxExact = 1 << 15

func newIdentities(seed maphash.Seed) *identities {
	return &identities{exact: map[string]ontosql.CommitID{}, seed: seed}
}

// add takes in an identity, and reports whether it is there already, which is
// known of few only.
func (s *identities) add(id string, expected ontosql.CommitID) (twice bool) {
	if s.hashed != nil {
		s.hashed.add(maphash.String(s.seed, id))
		return false
	}
	if _, twice = s.exact[id]; twice {
		return true
	}
	if s.exact[id] = expected; len(s.exact) > maxExact {
		s.hashed = new(hashes)
		for id := range s.exact {
			s.hashed.add(maphash.String(s.seed, id))
		}
		s.exact = nil
	}
	return false
}

func (s *identities) len() int {
	switch {
	case s == nil:
		return 0
	case s.hashed != nil:
		return s.hashed.n
	}
	return len(s.exact)
}

func (s *identities) has(id string) bool {
	if s.hashed != nil {
		return s.hashed.has(maphash.String(s.seed, id))
	}
	_, has := s.exact[id]
	return has
}

// intersects reports whether an identity is in both.
func (s *identities) intersects(o *identities) bool {
	if s.len() == 0 || o.len() == 0 {
		return false
	}
	// What is kept as it is is looked for among hashes, else the fewer among the more.
	if mine, theirs := s.hashed != nil, o.hashed != nil; mine && !theirs || mine == theirs && s.len() > o.len() {
		s, o = o, s
	}
	if s.hashed != nil { // so are the others
		for _, part := range s.hashed.parts {
			if slices.ContainsFunc(part, o.hashed.has) {
				return true
			}
		}
		return false
	}
	for id := range s.exact {
		if o.has(id) {
			return true
		}
	}
	return false
}

// cost is the memory they take, by that of one that is kept as it is.
func (s *identities) cost() int {
	if s.hashed != nil {
		return s.hashed.n / 12
	}
	return len(s.exact)
}

// hashes is a set of hashes in parts by their first bits. A part is sorted when
// somebody first looks into it, so it is for one goroutine.
type hashes struct {
	parts  [256][]uint64
	sorted [256]bool
	n      int
}

func (h *hashes) add(sum uint64) {
	at := sum >> 56
	h.parts[at], h.sorted[at] = append(h.parts[at], sum), false
	h.n++
}

func (h *hashes) has(sum uint64) bool {
	part := h.part(sum >> 56)
	n := len(part)
	if n == 0 {
		return false
	}
	// It is not far from its place, were they spread quite evenly.
	const stride = 16
	i := int(estimatePosition(sum, uint64(n)))
	for i > 0 && part[i] >= sum {
		i = max(i-stride, 0)
	}
	for i+stride < n && part[i+stride] < sum {
		i += stride
	}
	for i < n && part[i] < sum {
		i++
	}
	return i < n && part[i] == sum
}

// estimatePosition is about where a hash stands among the n of its part.
func estimatePosition(sum, n uint64) uint64 { return (sum << 8 >> 32) * n >> 32 }

// distinct reports whether no hash is there twice.
func (h *hashes) distinct() bool {
	for at := range h.parts {
		part := h.part(uint64(at))
		for i := 1; i < len(part); i++ {
			if part[i-1] == part[i] {
				return false
			}
		}
	}
	return true
}

// part is a part in order. Hashes are spread evenly: their next bits tell the place
// of each but for a few neighbours.
func (h *hashes) part(at uint64) []uint64 {
	if h.sorted[at] {
		return h.parts[at]
	}
	h.sorted[at] = true
	part := h.parts[at]
	n := uint64(len(part))
	ends := make([]uint32, n+1)
	for _, sum := range part {
		ends[estimatePosition(sum, n)+1]++
	}
	for i := range n {
		ends[i+1] += ends[i]
	}
	sorted := make([]uint64, n)
	for _, sum := range part {
		p := estimatePosition(sum, n)
		sorted[ends[p]] = sum
		ends[p]++
	}
	for i := 1; i < len(sorted); i++ {
		for j := i; j > 0 && sorted[j-1] > sorted[j]; j-- {
			sorted[j-1], sorted[j] = sorted[j], sorted[j-1]
		}
	}
	h.parts[at] = sorted
	return sorted
}
