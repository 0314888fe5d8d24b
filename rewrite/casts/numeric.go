package casts

import (
	"strconv"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/types"
)

// ElementTexts is the list of the texts of an array's elements. A list of lists stays one.
func ElementTexts(sql string, from types.Type) string {
	item, _ := from.Item()
	each := "item" + strconv.Itoa(from.ExtraDims)
	if from.ExtraDims > 0 {
		return "list_transform(" + sql + ", lambda " + each + ": " + ElementTexts(each, item) + ")"
	}
	return "list_transform(" + sql + ", lambda " + each + ": " + ToText(each, item) + ")"
}

// NumericText is the text that PostgreSQL prints of a text or a jsonb that is cast to
// numeric: with the digits behind the point that it has.
func NumericText(sql string, from, to types.Type) string {
	if from.OID == types.JSONB {
		sql = enginesql.Macro("json_plain") + "(" + sql + ", 'numeric')"
	}
	if to.IsWide() {
		return "ontosql_wide_as_written(" + sql + ")"
	}
	return enginesql.EvaluateOnceIfLong(sql, func(x string) string { return enginesql.Macro("numeric_as_written") + "(" + x + ")" })
}
