package chain

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// TestWindows asks random histories, which grow under the log, lose commits and
// get others in their place, about random windows: what is answered without a
// look at the files must be what the files say.
func TestWindows(t *testing.T) {
	types := []ontosql.TypeRef{customer, subscription, {Kind: ontosql.Entity, Name: "Product"}}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s := newStore(t)
		l := openLog(t, "", s)
		heads := []*format.Head{s.head}
		views := []*View{view(t, l, s.head)}
		for round := range 40 {
			if rng.IntN(10) == 0 { // the store is restored from a backup and continues differently
				s.head = heads[rng.IntN(len(heads))]
			}
			for range rng.IntN(4) {
				s.commit(fmt.Sprintf("%08x", round), randomFiles(rng, types))
				heads = append(heads, s.head)
			}
			views = append(views, view(t, l, s.head))
		}
		for _, v := range views {
			for range 20 {
				ref := types[rng.IntN(len(types))]
				lower := ontosql.CommitID(rng.IntN(v.Len()+3) - 1)
				upper := ontosql.CommitID(rng.IntN(v.Len()+3) - 1)
				checkWindow(t, seed, v, ref, lower, upper)
			}
		}
	}
}

// randomFiles gives a manifest up to five files of some types, or makes it the
// drop of one.
func randomFiles(rng *rand.Rand, types []ontosql.TypeRef) func(*format.Manifest) {
	return func(m *format.Manifest) {
		m.Files = nil
		if rng.IntN(8) == 0 {
			ref := types[rng.IntN(len(types))]
			m.Metadata["operation"] = []byte(`"schema_drop"`)
			m.Metadata["target_kind"] = []byte(`"` + ref.Kind.String() + `"`)
			m.Metadata["target_type"] = []byte(`"` + ref.Name + `"`)
			return
		}
		for range rng.IntN(6) {
			ref := types[rng.IntN(len(types))]
			m.Files = append(m.Files, format.File{
				Kind: ref.Kind.String(), TypeName: ref.Name, RowCount: rng.Int64N(100), Path: format.CommitPrefix(m.CommitID, "a") + "x.parquet",
			})
		}
	}
}

func checkWindow(t *testing.T, seed uint64, v *View, ref ontosql.TypeRef, lower, upper ontosql.CommitID) {
	t.Helper()
	files := v.Files(ref, lower, upper)
	var rows int64
	for _, f := range files {
		rows += f.RowCount
	}
	if got := v.HasFiles(ref, lower, upper); got != (len(files) > 0) {
		t.Errorf("seed %d: %s wrote in (%d, %d] of %d: %t, with %d files", seed, ref, lower, upper, v.Len(), got, len(files))
	}
	if n, sum := v.Count(ref, lower, upper); n != len(files) || sum != rows {
		t.Errorf("seed %d: %s in (%d, %d] of %d: %d files with %d rows, want %d with %d", seed, ref, lower, upper, v.Len(), n, sum, len(files), rows)
	}
	all := v.Files(ref, 0, v.Head().Commit)
	var first, last ontosql.CommitID
	if len(all) > 0 {
		first, last = all[0].Commit, all[len(all)-1].Commit
	}
	if v.FirstCommit(ref) != first || v.LastCommit(ref) != last {
		t.Errorf("seed %d: %s at %d: first commit %d and last %d, want %d and %d", seed, ref, v.Len(), v.FirstCommit(ref), v.LastCommit(ref), first, last)
	}
}
