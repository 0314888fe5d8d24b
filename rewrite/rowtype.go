package rewrite

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/enginesql"
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

func fieldAt(sql string, i int) string {
	return "struct_extract_at(" + sql + ", " + strconv.Itoa(i+1) + ")"
}

// fieldOf is a field of a row that may be a column. Where the engine sees that not all of
// a column is used, it looks for the field by a name.
func fieldOf(sql string, i int) string { return fieldAt("coalesce("+sql+", NULL)", i) }

// rowField is (row).name, of a row of a known type.
func rowField(e expr, name string) (expr, bool) {
	for i, c := range types.RowFields(e.t) {
		switch {
		case c.Name != name:
		case e.row != nil:
			return e.row[i], true
		default:
			return expr{sql: fieldOf(e.sql, i), t: c.Type, loc: e.loc, agg: e.agg, set: e.set}, true
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
		sql := fieldOf(f.sql, i)
		fields[i] = expr{sql: sql, t: c.Type, field: &field{name: c.Name, sql: sql, t: c.Type}}
	}
	return fields
}

// rowTextOf is a row of a known type as PostgreSQL prints it.
func rowTextOf(sql string, ty types.Type) string {
	items := []string{"'('"}
	for i, c := range types.RowFields(ty) {
		if i > 0 {
			items = append(items, "','")
		}
		items = append(items, enginesql.Macro("row_item_out")+"("+inLambda(fieldAt("item", i), c.Type)+")")
	}
	return "list_transform([" + sql + "], lambda item: CASE WHEN item IS NOT NULL THEN " + strings.Join(items, " || ") + " || ')' END)[1]"
}

// rowJSONOf is a row of a known type as a document.
func rowJSONOf(sql string, ty types.Type, to uint32, between string) string {
	row := expr{row: rowOfColumn(&field{sql: "item", t: ty})}
	return "list_transform([" + sql + "], lambda item: CASE WHEN item IS NOT NULL THEN " + rowJSON(row, to, between) + " END)[1]"
}

// refuseRows refuses rows whose fields are not known as columns.
func (b *binder) refuseRows(ty types.Type, loc int32) {
	if elem, ok := ty.Elem(); ok {
		ty = elem
	}
	if ty.OID == types.Record && ty.Row == nil {
		b.unsupported(loc, "a column of rows of different or unknown fields is not supported")
	}
}

// inLambda is the text of a value, without the name of an object: finding one takes a
// query, which no lambda can have.
func inLambda(sql string, ty types.Type) string {
	if types.IsReg(ty.OID) {
		return "CAST(" + sql + " AS VARCHAR)"
	}
	return outputOf(sql, ty)
}

// shownRow is a row as a result: what has names of objects has them in place of numbers.
func shownRow(e expr) string {
	cols := types.RowFields(e.t)
	fields, named := make([]string, len(cols)), false
	for i, c := range cols {
		named = named || types.IsReg(c.Type.OID)
		switch {
		case e.row != nil && types.IsReg(c.Type.OID):
			fields[i] = textOf(e.row[i].sql, c.Type)
		case e.row != nil:
			fields[i] = e.row[i].sql
		case types.IsReg(c.Type.OID):
			fields[i] = inLambda(fieldAt("item", i), c.Type)
		default:
			fields[i] = fieldAt("item", i)
		}
	}
	switch row := "row(" + strings.Join(fields, ", ") + ")"; {
	case !named:
		return e.sql
	case e.row != nil:
		return row
	default:
		return "list_transform([" + e.sql + "], lambda item: CASE WHEN item IS NOT NULL THEN " + row + " END)[1]"
	}
}
