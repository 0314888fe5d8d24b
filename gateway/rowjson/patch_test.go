package rowjson

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// patched is a type with a key among its fields.
func patched() *catalog.Type {
	of := func(field string, k column.Kind, notNull bool) catalog.Column {
		return catalog.Column{Name: field, Field: field, Type: column.Type{Kind: k}, NotNull: notNull}
	}
	key := of("id", column.Text, true)
	key.Role = catalog.FromEntityKey
	return &catalog.Type{
		Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Patched"}, Table: "patched", Key: []int{1},
		Columns: []catalog.Column{
			of("visits", column.Int64, false), key, of("balance", column.Float64, true), of("größe", column.Text, false), of("zone", column.JSON, false), of("a", column.Bool, false),
		},
	}
}

// patchedTexts are what may be stored of a row of it, not all of it canonical.
var patchedTexts = []string{
	`{"a":true,"balance":1.5,"gr\u00f6\u00dfe":"x","id":"k","visits":3,"zone":{"b":[1,2.5]}}`,
	`{"a":true,"balance":1.5,"id":"k","visits":3,"zone":{"b":[1,2.5]}}`,
	`{"a":null,"b":{"id":1},"balance":2.0,"id":"k","idle":[],"zone":null,"zz":NaN}`,
	`{"a":1,"balance":NaN,"visits":3.0,"zone":"\u00e9"}`,
	`{"balance":5}`,
	`{"balance":0.0,"zz":0}`,
	`{"a":false}`,
	`{"a":false,"balance":null}`,
	`{}`,
	`{"balance":1.5,"a":true}`,
	`{ "balance": 1.5 }`,
	`{"balance":1.5,"balance":2.5}`,
	`{"b\u0061lance":1.5}`,
	`{"balance":1.5`,
	`[1.5]`,
}

// TestPatchAgreesWithRebuild changes texts in both ways.
func TestPatchAgreesWithRebuild(t *testing.T) {
	const seed = 20261122
	r := rand.New(rand.NewPCG(seed, 1))
	typ := patched()
	var cols []column.Named
	for _, c := range typ.Columns {
		cols = append(cols, column.Named{Name: c.Name, Type: c.Type})
	}
	values := [][]any{
		{int64(3), int64(-4), nil}, {"k"}, {1.5, 2.0, math.NaN(), math.Copysign(0, -1), nil}, {"x", "é\n", nil}, {`{"b": [1, 2.5]}`, `"é"`, `[`, nil}, {true, false, nil},
	}
	applied := 0
	for range 20_000 {
		text := []byte(patchedTexts[r.IntN(len(patchedTexts))])
		assigned, row := make([]bool, len(cols)), make([]any, len(cols))
		for k := range cols {
			assigned[k], row[k] = r.IntN(2) == 0, values[k][r.IntN(len(values[k]))]
		}
		build := column.NewBuilder(cols)
		build.Append(row...)
		b, identity := build.Batch(), &format.Row{Key: "k"}
		m := New(typ, &format.Schema{Ref: typ.Ref})
		want, err := m.rebuild(b, 0, assigned, identity, text)
		p := patch{Splice: Splice{Encoder: m, batch: b, stored: text}, assigned: assigned}
		if !p.apply() {
			continue
		}
		applied++
		var got []byte
		if p.changed {
			got = m.Text
		}
		if err != nil || string(got) != string(want) {
			t.Fatalf("%s with %v where %v: patched %q, rebuilt %q (%v)", text, row, assigned, got, want, err)
		}
	}
	if applied < 5_000 {
		t.Errorf("only %d of the texts were patched", applied)
	}
}
