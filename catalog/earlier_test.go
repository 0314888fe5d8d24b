package catalog

import (
	"slices"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// TestOtherVersions asks a type that had other schemas, of which one is damaged, for
// what its columns were. The schemas are read once.
func TestOtherVersions(t *testing.T) {
	ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: "Item"}
	version := func(id int64, fields ...format.SchemaField) Version {
		key := format.NewField("id", format.FieldStr, false)
		key.PrimaryKey = true
		return Version{ID: id, JSON: string(format.EncodeSchema(&format.Schema{Ref: ref, Fields: append(fields, key)}))}
	}
	versions := []Version{
		version(1, format.NewField("qty", format.FieldInt, false)),
		version(2, format.NewField("qty", format.FieldStr, false), format.NewField("size", format.FieldFloat, false)),
		{ID: 3, JSON: "{"},
		version(4, format.NewField("qty", format.FieldInt, true), format.NewField("size", format.FieldFloat, false)),
		version(5, format.NewField("qty", format.FieldInt, false), format.NewField("size", format.FieldStr, false)),
	}
	for _, typ := range []*Type{
		{Ref: ref, SchemaID: 5, Versions: versions, earlier: new(earlier)},
		{Ref: ref, SchemaID: 5, Versions: versions},
	} {
		for _, c := range []struct {
			field string
			kind  column.Kind
			want  []int64
		}{
			{"id", column.Text, nil},
			{"qty", column.Int64, []int64{2}},
			{"size", column.Text, []int64{1, 2, 4}},
		} {
			if got := typ.OtherVersions(Column{Field: c.field, Type: column.Type{Kind: c.kind}}); !slices.Equal(got, c.want) {
				t.Errorf("%s had another type in the versions %v, want %v", c.field, got, c.want)
			}
		}
	}
	built := &Type{Ref: ref, SchemaID: 5, Versions: versions, earlier: new(earlier)}
	size := Column{Field: "size", Type: column.Type{Kind: column.Text}}
	built.OtherVersions(size)
	if n := testing.AllocsPerRun(10, func() { built.OtherVersions(size) }); n > 3 {
		t.Errorf("asked again, the type makes %v allocations: it reads its versions anew", n)
	}
}
