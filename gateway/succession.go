package gateway

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
)

// succession tells of rows that come newest first which commit wrote the next version
// of each row's identity. The engine's window function, which tells it of rows in any
// order, takes five times as long, since it sorts them. Identities are known by hashes
// of 96 bits with random seeds.
type succession struct {
	seeds [2]maphash.Seed
	slots []successor
	n     int
	lower ontosql.CommitID // all commits are above it, by less than 1<<32
	at    ontosql.CommitID // of the last row
	place int64            // of the last row among those of its commit, from 0 down
	twice bool             // one commit wrote rows of one identity
	text  []byte           // of an identity
	batch []identity       // of the rows of a batch
	met   uint32           // something of the slots of all batches, so that they are fetched
}

type identity struct {
	place uint64
	more  uint32
}

// successor is the oldest version of an identity that has come. since is how far its
// commit is above the lower bound, 0 in a slot that is free.
type successor struct {
	place       uint64
	more, since uint32
}

// mostSucceeded bounds the rows of a succession: of so many identities it takes a
// quarter of a gibibyte.
const mostSucceeded = 10_000_000

// newSuccession is one of so many rows.
func newSuccession(lower ontosql.CommitID, rows int64) *succession {
	return &succession{
		lower: lower, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, slots: slotsOf(max(int(rows/2), 1024)),
	}
}

// slotsOf makes free slots. To write them in their order takes less than to meet them at
// random, where the system finds a page for the first look at it and another for the first
// change.
func slotsOf(n int) []successor {
	slots := make([]successor, n)
	clear(slots)
	return slots
}

// fill fills next and order for the rows of a batch with these keys and commits. order
// tells rows of one identity and commit apart, and is 0 for the last of them. It
// reports false where a row is newer than the one before.
func (s *succession) fill(keys []column.Vector, commits []int64, next, order *column.Vector) (ok bool) {
	n := len(commits)
	next.Type.Kind, order.Type.Kind = column.Int64, column.Int64
	next.I64, order.I64 = slices.Grow(next.I64[:0], n)[:n], slices.Grow(order.I64[:0], n)[:n]
	next.Valid = slices.Grow(next.Valid[:0], (n+63)/64)[:(n+63)/64]
	clear(next.Valid)
	clear(order.I64)
	// Loops of their own: most slots have to come from far memory, and here many come at
	// a time.
	s.batch = s.batch[:0]
	for i := range n {
		s.batch = append(s.batch, s.identity(keys, i))
	}
	for _, of := range s.batch {
		s.met += s.slots[s.home(of)].since
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

func (s *succession) identity(keys []column.Vector, i int) identity {
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

// home is where the slot of an identity is looked for first.
func (s *succession) home(of identity) uint64 {
	at, _ := bits.Mul64(of.place, uint64(len(s.slots)))
	return at
}

// slot is that of an identity, or the free one for it.
func (s *succession) slot(of identity) *successor {
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

func (s *succession) grow() {
	old := s.slots
	s.slots, s.n = slotsOf(2*len(old)), 0
	for _, known := range old {
		if known.since > 0 {
			*s.slot(identity{known.place, known.more}) = known
		}
	}
}
