package casts

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/types"
)

func FieldAt(sql string, i int) string {
	return "struct_extract_at(" + sql + ", " + strconv.Itoa(i+1) + ")"
}

// FieldOf is a field of a row that may be a column. Where the engine sees that not all of
// a column is used, it looks for the field by a name.
func FieldOf(sql string, i int) string { return FieldAt("coalesce("+sql+", NULL)", i) }

// RowToText is a row of a known type as PostgreSQL prints it.
func RowToText(sql string, ty types.Type) string {
	items := []string{"'('"}
	for i, c := range types.RowFields(ty) {
		if i > 0 {
			items = append(items, "','")
		}
		items = append(items, enginesql.Macro("row_item_out")+"("+InLambda(FieldAt("item", i), c.Type)+")")
	}
	return "list_transform([" + sql + "], lambda item: CASE WHEN item IS NOT NULL THEN " + strings.Join(items, " || ") + " || ')' END)[1]"
}

// InLambda is the text of a value, without the name of an object: finding one takes a
// query, which no lambda can have.
func InLambda(sql string, ty types.Type) string {
	if types.IsReg(ty.OID) {
		return "CAST(" + sql + " AS VARCHAR)"
	}
	return ToOutput(sql, ty)
}
