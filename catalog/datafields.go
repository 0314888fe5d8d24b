package catalog

import (
	"slices"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// DataFields returns the fields of a schema version of the type as data files have them. The
// declared size of a number is known of the current version only.
func (t *Type) DataFields(version int64, fields []format.SchemaField) []format.DataField {
	list := format.DataFields(fields)
	for i := range list {
		f := &list[i]
		at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.FieldAt(version) == f.Name })
		if at < 0 {
			continue
		}
		c := &t.Columns[at]
		f.ID = c.ID
		if precision, scale, ok := c.declaredSize(); ok && version == t.SchemaID && f.Type == format.FieldDecimal {
			*f = f.Sized(precision, scale)
		}
	}
	return list
}

// declaredSize returns p and s of a column declared as numeric(p,s).
func (c *Column) declaredSize() (precision, scale int, ok bool) {
	if c.Type.Kind != column.Numeric && c.Type.Kind != column.Wide || c.Typmod <= 0 {
		return 0, 0, false
	}
	precision, scale = sizeOf(c.Typmod)
	return precision, scale, true
}
