package ingest

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
)

// nextCommits finds for each row the commit that wrote the next version of its identity.
// The rows come newest first. The window function lead() of the engine takes rows in any
// order, but takes five times as long, because it sorts them. Identities are represented
// by hashes of 96 bits with random seeds.
type nextCommits struct {
	seeds [2]maphash.Seed
	slots []successor
	n     int
	lower ontosql.CommitID // all commits are above it, by less than 1<<32
	at    ontosql.CommitID // of the last row
	place int64            // of the last row within its commit, counted down from 0
	twice bool             // a commit has two rows of one identity
	text  []byte           // of an identity; a buffer
	batch []identity       // of the rows of a batch; a buffer
	sum   uint32           // keeps the compiler from dropping the prefetch of slots
}

type identity struct {
	place uint64
	more  uint32
}

// successor is the oldest version of an identity so far. since is its commit minus the
// lower bound; it is 0 in a free slot.
type successor struct {
	place       uint64
	more, since uint32
}

// maxNextRows bounds the rows of nextCommits: the slots of so many identities take a
// quarter of a gibibyte.
const maxNextRows = 10_000_000

// newNextCommits is for so many rows of commits above lower.
func newNextCommits(lower ontosql.CommitID, rows int64) *nextCommits {
	return &nextCommits{
		lower: lower, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, slots: slotsOf(max(int(rows/2), 1024)),
	}
}

// slotsOf makes free slots. Writing them once in order is faster than touching them first
// at random, when each page faults twice: at the first read and at the first write.
func slotsOf(n int) []successor {
	slots := make([]successor, n)
	clear(slots)
	return slots
}

// fill sets next and order for the rows of a batch with these key columns and commits.
// order distinguishes rows of one identity and commit, and is 0 for the last of them. It
// returns false if a row is newer than the row before it.
func (s *nextCommits) fill(keys []column.Vector, commits []int64, next, order *column.Vector) (ok bool) {
	n := len(commits)
	next.Type.Kind, order.Type.Kind = column.Int64, column.Int64
	next.I64, order.I64 = slices.Grow(next.I64[:0], n)[:n], slices.Grow(order.I64[:0], n)[:n]
	next.Valid = slices.Grow(next.Valid[:0], (n+63)/64)[:(n+63)/64]
	clear(next.Valid)
	clear(order.I64)
	// Separate loops: most slots are not in the processor's cache, and this way many of
	// them are fetched at a time.
	s.batch = s.batch[:0]
	for i := range n {
		s.batch = append(s.batch, s.identity(keys, i))
	}
	for _, of := range s.batch {
		s.sum += s.slots[s.home(of)].since
	}
	for i, of := range s.batch {
		commit := ontosql.CommitID(commits[i])
		if commit <= s.lower || commit-s.lower > math.MaxUint32 || s.at > 0 && commit > s.at {
			return false
		}
		if s.place--; commit != s.at {
			s.at, s.place = commit, 0
		}
		slot := s.slot(of)
		if slot.since > 0 {
			newer := s.lower + ontosql.CommitID(slot.since)
			next.I64[i] = int64(newer)
			next.Valid[i>>6] |= 1 << (i & 63)
			if newer == commit {
				order.I64[i], s.twice = s.place, true
			}
		}
		*slot = successor{of.place, of.more, uint32(commit - s.lower)}
	}
	return true
}

func (s *nextCommits) identity(keys []column.Vector, i int) identity {
	text := keys[0].Str[i]
	if len(keys) > 1 {
		s.text = s.text[:0]
		for k := range keys {
			s.text = binary.AppendUvarint(s.text, uint64(len(keys[k].Str[i])))
			s.text = append(s.text, keys[k].Str[i]...)
		}
		text = s.text
	}
	return identity{maphash.Bytes(s.seeds[0], text), uint32(maphash.Bytes(s.seeds[1], text))}
}

// home is the index at which the search for an identity's slot begins.
func (s *nextCommits) home(of identity) uint64 {
	at, _ := bits.Mul64(of.place, uint64(len(s.slots)))
	return at
}

// slot is the slot of an identity, or the free slot that it will have.
func (s *nextCommits) slot(of identity) *successor {
	for at := s.home(of); ; at++ {
		if at == uint64(len(s.slots)) {
			at = 0
		}
		switch slot := &s.slots[at]; {
		case slot.since == 0:
			if s.n++; 4*s.n <= 3*len(s.slots) {
				return slot
			}
			s.grow()
			return s.slot(of)
		case slot.place == of.place && slot.more == of.more:
			return slot
		}
	}
}

func (s *nextCommits) grow() {
	old := s.slots
	s.slots, s.n = slotsOf(2*len(old)), 0
	for _, known := range old {
		if known.since > 0 {
			*s.slot(identity{known.place, known.more}) = known
		}
	}
}
