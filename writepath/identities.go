package writepath

import (
	"hash/maphash"
	"slices"

	"github.com/ontosql/ontosql"
)

// identities is the set of identities of one type that a commit writes: exact up to maxExact,
// then as hashes. With hashes, has may wrongly be true, about once in some trillion; the
// consequence is a false conflict, and the transaction is retried.
type identities struct {
	exact  map[string]ontosql.CommitID // with the expected commits; nil if there are many
	hashed *hashes
	seed   maphash.Seed
}

// maxExact is the number of identities that are kept exactly.
const maxExact = 1 << 15

func newIdentities(seed maphash.Seed) *identities {
	return &identities{exact: map[string]ontosql.CommitID{}, seed: seed}
}

// add adds an identity and reports whether it was there already, which is only known while
// identities are exact.
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

// intersects reports whether the sets have a common identity.
func (s *identities) intersects(o *identities) bool {
	if s.len() == 0 || o.len() == 0 {
		return false
	}
	// Look exact identities up among hashes; otherwise look up the smaller set in the larger.
	if mine, theirs := s.hashed != nil, o.hashed != nil; mine && !theirs || mine == theirs && s.len() > o.len() {
		s, o = o, s
	}
	if s.hashed != nil { // both are hashed
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

// cost is the memory used, in units of one exact identity.
func (s *identities) cost() int {
	if s.hashed != nil {
		return s.hashed.n / 12
	}
	return len(s.exact)
}

// hashes is a set of hashes, partitioned by their first bits. A part is sorted at its first
// lookup, so the set is not safe for concurrent use.
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
	// Hashes are evenly distributed, so it is near the estimated position.
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

// estimatePosition estimates the index of a hash among the n of its part.
func estimatePosition(sum, n uint64) uint64 { return (sum << 8 >> 32) * n >> 32 }

// distinct reports whether no hash occurs twice.
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

// part returns a sorted part. Hashes are evenly distributed, so counting by their next bits
// leaves each near its position.
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
