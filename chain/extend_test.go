package chain

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// entry is a commit without a manifest object.
func entry(t *testing.T, id ontosql.CommitID, attempt string, change func(*format.Manifest)) *Entry {
	t.Helper()
	m := manifest(id, attempt, fmt.Sprintf("commits/%d-%s", id-1, attempt))
	if change != nil {
		change(m)
	}
	e, err := NewEntry(fmt.Sprintf("commits/%d-%s", id, attempt), m)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestGrow grows chains by random steps, which also take commits back, and compares
// every view there ever was with the commits it was made of.
func TestGrow(t *testing.T) {
	types := []ontosql.TypeRef{customer, subscription, {Kind: ontosql.Entity, Name: "Product"}}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		type made struct {
			view    *View
			entries []*Entry
		}
		empty, err := Extend(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		all := []made{{view: empty}}
		for round := range 40 {
			from := all[len(all)-1]
			if rng.IntN(8) == 0 {
				from = all[rng.IntN(len(all))]
			}
			keep := len(from.entries) - rng.IntN(2)*rng.IntN(3)
			entries := append([]*Entry{}, from.entries[:max(keep, 0)]...)
			var more []*Entry
			for range 1 + rng.IntN(3) {
				more = append(more, entry(t, ontosql.CommitID(len(entries)+len(more)+1), fmt.Sprintf("%08x", round), randomFiles(rng, types)))
			}
			view, err := Extend(from.view, more)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, made{view, append(entries, more...)})
		}
		for _, m := range all {
			if m.view.Len() != len(m.entries) {
				t.Fatalf("seed %d: a view of %d commits, made of %d", seed, m.view.Len(), len(m.entries))
			}
			for i, e := range m.entries {
				if got := m.view.Commit(ontosql.CommitID(i + 1)); got != e {
					t.Errorf("seed %d: commit %d of %d is %s, want %s", seed, i+1, len(m.entries), got.Path, e.Path)
				}
			}
			if n := len(m.entries); n > 0 && m.view.Head().ManifestPath != m.entries[n-1].Path {
				t.Errorf("seed %d: head %+v, want %s", seed, m.view.Head(), m.entries[n-1].Path)
			}
			for range 20 {
				checkWindow(t, seed, m.view, types[rng.IntN(len(types))], ontosql.CommitID(rng.IntN(m.view.Len()+3)-1), ontosql.CommitID(rng.IntN(m.view.Len()+3)-1))
			}
		}
	}
}

func TestGrowRefuses(t *testing.T) {
	view, err := Extend(nil, []*Entry{entry(t, 1, "a", nil)})
	if err != nil {
		t.Fatal(err)
	}
	for _, ids := range [][]ontosql.CommitID{{3}, {2, 4}, {2, 2}} {
		var entries []*Entry
		for _, id := range ids {
			entries = append(entries, entry(t, id, "a", nil))
		}
		if v, err := Extend(view, entries); err == nil {
			t.Errorf("commits %v after the first made a chain of %d", ids, v.Len())
		}
	}
	m := manifest(1, "a", "")
	m.Files = nil
	m.Metadata["operation"] = []byte(`"schema_drop"`)
	m.Metadata["affected_types"] = []byte(`"no list"`)
	var corrupt *ontosql.CorruptError
	if _, err := NewEntry("commits/1-a", m); !errors.As(err, &corrupt) || corrupt.Key != "commits/1-a" {
		t.Errorf("a drop of nobody knows what: %v, want a *ontosql.CorruptError of the commit", err)
	}
}
