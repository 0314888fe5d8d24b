package pgcatalog

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
)

func BenchmarkFill(b *testing.B) {
	in := shopInput()
	for b.Loop() {
		mustFill(b, in)
	}
}

// BenchmarkFillMany is of 200 types with 6 to 17 columns: all of them, and where one is
// another than before.
func BenchmarkFillMany(b *testing.B) {
	before, after := Input{Database: "onto", Catalog: many(200)}, Input{Database: "onto", Catalog: &catalog.Catalog{Version: "2"}}
	after.Catalog.Types = slices.Clone(before.Catalog.Types) // as catalog.After leaves them
	changed := *after.Catalog.Types[100]
	changed.Comment, after.Catalog.Types[100] = "changed", &changed
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			mustFill(b, before)
		}
	})
	b.Run("one", func(b *testing.B) {
		earlier := mustFill(b, before)
		for b.Loop() {
			if _, err := Fill(after, earlier); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// many is a catalog of n entities.
func many(n int) *catalog.Catalog {
	c := &catalog.Catalog{Version: "1"}
	kinds := []column.Kind{column.Text, column.Int64, column.Float64, column.Bool, column.Date, column.TimestampTZ, column.JSON, column.UUID}
	for i := range n {
		name := fmt.Sprintf("entity_%03d", i)
		t := &catalog.Type{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: name}, Table: name, Key: []int{0}}
		t.Columns = append(t.Columns, catalog.Column{Name: "id", Field: "id", Role: catalog.FromEntityKey, Type: column.Type{Kind: column.Text}, NotNull: true})
		for k := range 5 + i%12 {
			column := catalog.Column{Name: fmt.Sprintf("c%02d", k), Type: column.Type{Kind: kinds[(i+k)%len(kinds)]}, NotNull: k%4 == 0}
			column.Field = column.Name
			t.Columns = append(t.Columns, column)
		}
		c.Types = append(c.Types, t)
	}
	return c
}
