package ingest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ontosql/ontosql/column"
)

// TestNextCommits compares random histories, newest first, with the next commit by their order.
func TestNextCommits(t *testing.T) {
	type row struct {
		left, right string
		commit      int64
	}
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		keys, again := 1+random.IntN(400), random.IntN(2) == 0
		var rows []row
		commit := int64(1)
		in := map[string]bool{}
		for range 3000 {
			if random.IntN(20) == 0 {
				commit += int64(1 + random.IntN(3))
				clear(in)
			}
			// The texts of two identities are the same, one behind the other.
			n := random.IntN(keys)
			r := row{"k"[:n%2] + fmt.Sprint(n/2), "k"[n%2:], commit}
			if key := r.left + "|" + r.right; again || !in[key] {
				in[key] = true
				rows = append(rows, r)
			}
		}
		next := make([]int, len(rows)) // the next version of the same identity, 0 for none
		duplicates := false
		for i, r := range rows {
			for j := len(rows) - 1; j > i; j-- {
				if rows[j].left == r.left && rows[j].right == r.right {
					next[i] = j
				}
			}
			duplicates = duplicates || next[i] > 0 && rows[next[i]].commit == r.commit
		}
		places := make([]int64, len(rows))

		s := newNextCommits(0, 0)
		for end := len(rows); end > 0; {
			start := max(end-1-random.IntN(700), 0)
			cols := make([]column.Vector, 2)
			var commits []int64
			for i := end - 1; i >= start; i-- {
				cols[0].Str, cols[1].Str = append(cols[0].Str, []byte(rows[i].left)), append(cols[1].Str, []byte(rows[i].right))
				commits = append(commits, rows[i].commit)
			}
			var superseded, order column.Vector
			if !s.fill(cols, commits, &superseded, &order) {
				t.Fatalf("seed %d: rows %d to %d are not in order", seed, start, end)
			}
			for at, i := 0, end-1; i >= start; at, i = at+1, i-1 {
				var got, want int64
				if !superseded.IsNull(at) {
					got = superseded.I64[at]
				}
				if next[i] > 0 {
					want = rows[next[i]].commit
				}
				if got != want {
					t.Fatalf("seed %d: row %d %+v is told the next commit %d, want %d", seed, i, rows[i], got, want)
				}
				switch places[i] = order.I64[at]; {
				case want != rows[i].commit && places[i] != 0:
					t.Fatalf("seed %d: row %d %+v, the last of its identity and commit, has order %d, want 0", seed, i, rows[i], places[i])
				case want == rows[i].commit && places[i] >= places[next[i]]:
					t.Fatalf("seed %d: row %d %+v has order %d, and row %d behind it %d", seed, i, rows[i], places[i], next[i], places[next[i]])
				}
			}
			end = start
		}
		if s.twice != duplicates {
			t.Errorf("seed %d: duplicates are %v, want %v", seed, s.twice, duplicates)
		}
		var superseded, order column.Vector
		if s.fill([]column.Vector{{Str: [][]byte{[]byte("new")}}, {Str: [][]byte{nil}}}, []int64{commit + 1}, &superseded, &order) {
			t.Errorf("seed %d: a row newer than all before it was taken", seed)
		}
	}
}

// TestNextCommitsTwice has a commit that writes many identities twice. It takes no more memory
// than writing them once.
func TestNextCommitsTwice(t *testing.T) {
	const n = 1000
	s := newNextCommits(0, 0)
	var next, order column.Vector
	var keys [][]column.Vector
	commits := slices.Repeat([]int64{7}, n)
	for part := range 20 {
		key := column.Vector{}
		for i := range n {
			key.Str = append(key.Str, fmt.Append(nil, part, i))
		}
		keys = append(keys, []column.Vector{key})
		s.fill(keys[part], commits, &next, &order)
	}
	part := 0
	allocated := testing.AllocsPerRun(len(keys)-1, func() {
		if !s.fill(keys[part], commits, &next, &order) || !s.twice {
			t.Fatal("identities of a commit are not known when they come again")
		}
		part++
	})
	if allocated > 0 {
		t.Errorf("%d identities that a commit writes again make %v allocations, want none", n, allocated)
	}
}
