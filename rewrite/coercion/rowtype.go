package coercion

import (
	"strconv"

	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// RowOfExprs is the type of a row of expressions.
func RowOfExprs(fields []scope.Expr) types.Type {
	r := &types.RowType{}
	for i, f := range fields {
		name := "f" + strconv.Itoa(i+1)
		if f.Column != nil {
			name = f.Column.Name
		}
		r.Add(name, f.Type)
	}
	return types.Type{OID: types.Record, Typmod: -1, Row: r}
}

// rowAmong is the row that a function's arguments are, or have as elements, if they are
// all alike.
func rowAmong(args []scope.Expr) (r *types.RowType) {
	for _, a := range args {
		switch ty := a.Type; {
		case ty.Row == nil:
		case r == nil:
			r = ty.Row
		case !r.Alike(ty.Row):
			return nil
		}
	}
	return r
}

// FieldOf is (row).name, of a row of a known type.
func FieldOf(e scope.Expr, name string) (scope.Expr, bool) {
	for i, c := range types.RowFields(e.Type) {
		switch {
		case c.Name != name:
		case e.Row != nil:
			return e.Row[i], true
		default:
			return scope.Expr{SQL: casts.FieldOf(e.SQL, i), Type: c.Type, Location: e.Location, HasAggs: e.HasAggs, ReturnsSet: e.ReturnsSet, List: e.List}, true
		}
	}
	return scope.Expr{}, false
}

// RowOfColumn are the fields of a column that is a row.
func RowOfColumn(f *scope.Column) []scope.Expr {
	cols := types.RowFields(f.Type)
	if len(cols) == 0 {
		return nil
	}
	fields := make([]scope.Expr, len(cols))
	for i, c := range cols {
		sql := casts.FieldOf(f.SQL, i)
		fields[i] = scope.Expr{SQL: sql, Type: c.Type, Column: &scope.Column{Name: c.Name, SQL: sql, Type: c.Type}}
	}
	return fields
}

// RefuseUnknownRows refuses rows whose fields are not known as columns.
func (b *Coercer) RefuseUnknownRows(ty types.Type, loc int32) {
	if elem, ok := ty.Elem(); ok {
		ty = elem
	}
	if ty.OID == types.Record && ty.Row == nil {
		b.Unsupported(loc, "a column of rows of different or unknown fields is not supported")
	}
}
