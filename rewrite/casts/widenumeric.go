package casts

import (
	"strconv"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/types"
)

// wideText is the text of a wide numeric, with the digits behind the point that its type is known to
// show.
func wideText(sql string, from types.Type) string {
	return "ontosql_wide_out(" + sql + ", " + strconv.Itoa(from.Digits().DisplayScale) + ")"
}

// toWide converts a number, or a document that is one, to a wide numeric.
func toWide(sql string, from, to types.Type) string {
	switch {
	case from.OID == types.WideNumeric && to.Typmod == from.Typmod:
		return sql
	case from.OID == types.WideNumeric:
		return input.FitWide(sql, to)
	case from.OID == types.JSONB:
		return input.CastText(enginesql.Macro("json_plain")+"("+sql+", 'numeric')", to)
	}
	return input.CastText("CAST("+FloatToNumeric(sql, from, to)+" AS VARCHAR)", to)
}

// fromWide converts a wide numeric to another type of numbers. An integer is the nearest one.
func fromWide(sql string, from, to types.Type) string {
	text := wideText(sql, from)
	switch {
	case to.OID == types.Numeric && to.Typmod >= 4:
		return "CAST(" + wideText(input.FitWide(sql, to), to) + " AS " + to.EngineType() + ")"
	case !types.IsInteger(to.OID):
		return input.CastText(text, to)
	}
	return enginesql.EvaluateOnceIfLong("ontosql_numeric_round("+text+", 0)", func(x string) string {
		return enginesql.Macro("in_range") + "(TRY_CAST(" + x + " AS " + to.EngineType() + "), " + x + ", " + enginesql.Literal(input.OverflowMessage(to)) + ")"
	})
}
