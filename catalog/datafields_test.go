package catalog

import (
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// TestDataFields checks what a data file of a schema version has of the type's columns.
func TestDataFields(t *testing.T) {
	number := func(declared string, id int64) Column {
		return Column{Field: declared, ID: id, Type: column.Type{Kind: column.Numeric}, Typmod: typmod(declared, column.Numeric)}
	}
	declared := []string{"numeric", "numeric(15,2)", "numeric(9,0)", "numeric(38,38)", "numeric(5,-2)", "numeric(2,4)", "numeric(78,0)"}
	typ := &Type{SchemaID: 2}
	var fields []format.SchemaField
	for i, d := range declared {
		typ.Columns = append(typ.Columns, number(d, int64(i+1)))
		fields = append(fields, format.NewField(d, format.FieldDecimal, true))
	}
	typ.Columns[0].Past = []Past{{Versions: []int64{1}, Field: "before"}}
	for i, want := range [][2]int{{38, 12}, {15, 2}, {9, 0}, {38, 38}, {7, 0}, {4, 4}, {0, 0}} {
		f := typ.DataFields(2, fields)[i]
		if f.ID != int64(i+1) || f.Precision != want[0] || f.Scale != want[1] {
			t.Errorf("%s: id %d, decimal(%d,%d), want id %d, decimal(%d,%d)", declared[i], f.ID, f.Precision, f.Scale, i+1, want[0], want[1])
		}
	}
	before := typ.DataFields(1, []format.SchemaField{format.NewField("before", format.FieldDecimal, true), format.NewField("gone", format.FieldStr, true)})
	if before[0].ID != 1 || before[1].ID != 0 {
		t.Errorf("ids in an older version: %d and %d, want 1 and none", before[0].ID, before[1].ID)
	}
}
