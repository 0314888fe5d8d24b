package catalog

import (
	"slices"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// declaredWhole are the digits before the point that a declared numeric may have to be narrowed:
// those of a numeric of no declared precision.
const declaredWhole = 38 - format.DecimalScale

// DeclaredNumeric is the type of a column declared as numeric(p,s), as wide as it is declared, with
// at least one digit before the point: the engine prints the others without a zero there. ok
// is false for every other column, and where a value of numeric(p,s) may be none of Type.
// Other writers need not respect the declaration: a stored value may not fit (decision A58).
func (c *Column) DeclaredNumeric() (t column.Type, ok bool) {
	if c.Role != FromField || c.Type.Kind != column.Numeric || c.Typmod < 4 {
		return column.Type{}, false
	}
	precision, scale := (c.Typmod-4)>>16, (c.Typmod-4)&0x7FF
	if scale > precision || scale > format.DecimalScale || precision-scale > declaredWhole {
		return column.Type{}, false
	}
	return column.Type{Kind: column.Numeric, Width: uint8(max(precision, scale+1)), Scale: uint8(scale)}, true
}

// WithDeclaredNumerics is the type with declared numerics for those columns, by position, of
// which all values fit.
func (t *Type) WithDeclaredNumerics(fits func(i int) bool) *Type {
	narrow := t
	for i := range t.Columns {
		declared, ok := t.Columns[i].DeclaredNumeric()
		if !ok || !fits(i) {
			continue
		}
		if narrow == t {
			other := *t
			other.Columns = slices.Clone(t.Columns)
			narrow = &other
		}
		narrow.Columns[i].Type = declared
	}
	return narrow
}
