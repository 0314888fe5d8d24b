package rewrite

import (
	"strconv"

	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/types"
)

// rowOfFields is the type of a row of expressions.
func rowOfFields(fields []expr) types.Type {
	r := &types.RowType{}
	for i, f := range fields {
		name := "f" + strconv.Itoa(i+1)
		if f.field != nil {
			name = f.field.name
		}
		r.Add(name, f.t)
	}
	return types.Type{OID: types.Record, Typmod: -1, Row: r}
}

// rowAmong is the row that a function's arguments are, or have as elements, if they are
// all alike.
func rowAmong(args []expr) (r *types.RowType) {
	for _, a := range args {
		switch ty := a.t; {
		case ty.Row == nil:
		case r == nil:
			r = ty.Row
		case !r.Alike(ty.Row):
			return nil
		}
	}
	return r
}

// rowField is (row).name, of a row of a known type.
func rowField(e expr, name string) (expr, bool) {
	for i, c := range types.RowFields(e.t) {
		switch {
		case c.Name != name:
		case e.row != nil:
			return e.row[i], true
		default:
			return expr{sql: casts.FieldOf(e.sql, i), t: c.Type, loc: e.loc, agg: e.agg, set: e.set}, true
		}
	}
	return expr{}, false
}

// rowOfColumn are the fields of a column that is a row.
func rowOfColumn(f *field) []expr {
	cols := types.RowFields(f.t)
	if len(cols) == 0 {
		return nil
	}
	fields := make([]expr, len(cols))
	for i, c := range cols {
		sql := casts.FieldOf(f.sql, i)
		fields[i] = expr{sql: sql, t: c.Type, field: &field{name: c.Name, sql: sql, t: c.Type}}
	}
	return fields
}

// rowJSONOf is a row of a known type as a document.
func rowJSONOf(sql string, ty types.Type, to uint32, between string) string {
	row := expr{row: rowOfColumn(&field{sql: "item", t: ty})}
	return "list_transform([" + sql + "], lambda item: CASE WHEN item IS NOT NULL THEN " + rowJSON(row, to, between) + " END)[1]"
}

// refuseRows refuses rows whose fields are not known as columns.
func (b *exprBinder) refuseRows(ty types.Type, loc int32) {
	if elem, ok := ty.Elem(); ok {
		ty = elem
	}
	if ty.OID == types.Record && ty.Row == nil {
		b.unsupported(loc, "a column of rows of different or unknown fields is not supported")
	}
}
