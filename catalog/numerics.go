package catalog

import (
	"slices"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// declaredWhole are the digits before the point that a declared numeric may have to be narrowed:
// those of a numeric of no declared precision.
const declaredWhole = 38 - format.DecimalScale

// Sized is the type of a field's column that was declared with a modifier (atttypmod), 0 for none.
// Numbers that may have more digits than a numeric of no declared precision are wide.
func Sized(t column.Type, typmod int32) column.Type {
	if t.Kind == column.Numeric && typmod > 0 {
		precision, scale := sizeOf(typmod)
		if scale < 0 || scale > min(precision, format.DecimalScale) || precision-scale > declaredWhole {
			return column.Type{Kind: column.Wide}
		}
	}
	return t
}

// DeclaredType is the type of the column of a field that is no key, declared as a type is written in
// format.ColumnExtras, "" for none.
func DeclaredType(f format.SchemaField, declared string) column.Type {
	t := TypeOf(f)
	return Sized(t, typmod(declared, t.Kind))
}

// sizeOf returns p and s of numeric(p,s), whose type modifier is given.
func sizeOf(typmod int32) (precision, scale int) {
	const header = 4 // VARHDRSZ
	packed := typmod - header
	const signed = 1 << 10 // the scale is a number of eleven bits with a sign
	return int(packed >> 16 & 0xFFFF), int(packed&0x7FF^signed) - signed
}

// DeclaredNumeric is the type of a column declared as numeric(p,s), as wide as it is declared, with
// at least one digit before the point: the engine prints the others without a zero there. ok
// is false for every other column, and where a value of numeric(p,s) may be none of Type.
// Other writers need not respect the declaration: a stored value may not fit (decision A58).
func (c *Column) DeclaredNumeric() (t column.Type, ok bool) {
	if c.Role != FromField || c.Type.Kind != column.Numeric || c.Typmod < 4 {
		return column.Type{}, false
	}
	precision, scale := sizeOf(c.Typmod)
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
