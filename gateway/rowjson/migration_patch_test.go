package rowjson

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// TestMigrationPatchAgrees migrates fields in both ways, with dropped columns and with values
// that are not computed from stored ones.
func TestMigrationPatchAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(20261122, 2))
	typ := patched()
	values := map[string][]any{
		"visits": {int64(3), int64(-4), nil}, "balance": {1.5, 2.0, math.NaN(), math.Copysign(0, -1), nil}, "größe": {"x", "é\n", nil},
		"zone": {`{"b": [1, 2.5]}`, `"é"`, `[`, nil}, "a": {true, false, nil},
	}
	applied, changes := 0, 0
	for range 20_000 {
		var fields, gone []string
		cols, row := []column.Named{{Name: "stored", Type: column.Type{Kind: column.Text}}}, []any{patchedTexts[r.IntN(len(patchedTexts))]}
		for _, c := range typ.Columns {
			switch of := values[c.Field]; {
			case of == nil:
			case r.IntN(3) == 0:
				fields = append(fields, c.Field)
				cols, row = append(cols, column.Named{Name: c.Name, Type: c.Type}), append(row, of[r.IntN(len(of))])
			case r.IntN(3) == 0:
				gone = append(gone, c.Field)
			}
		}
		gone = append(gone, []string{"zz", "idle"}[r.IntN(2)])
		build := column.NewBuilder(cols)
		build.Append(row...)
		b := build.Batch()
		m := NewMigration(New(typ, &format.Schema{Ref: typ.Ref}), typ, fields, gone, nil, 0)
		changed, err := m.Apply(b, 0)
		if err != nil || !m.patched {
			continue
		}
		applied++
		got := slices.Clone(m.encoder.Text)
		want, differs, err := m.rebuild(b, 0)
		if err != nil || changed != differs || string(got) != string(want) {
			t.Fatalf("%s with %v for %q, without %q: patched %s (%t), made anew %s (%t, %v)", row[0], row[1:], fields, gone, got, changed, want, differs, err)
		}
		if changed {
			changes++
		}
	}
	if applied < 5_000 || changes < 3_000 {
		t.Errorf("only %d of the texts were patched, %d of them changed", applied, changes)
	}
}

// TestMigrationPatchRenamesNothing: another name is another place among the members.
func TestMigrationPatchRenamesNothing(t *testing.T) {
	m := NewMigration(New(patched(), &format.Schema{}), patched(), nil, nil, map[string]string{"a": "b"}, 0)
	if m.patch != nil {
		t.Error("a migration that renames is patched")
	}
}
