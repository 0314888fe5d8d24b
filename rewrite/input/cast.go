package input

import (
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/types"
)

// CastText is the call that reads a text as a value of a type.
func CastText(sql string, to types.Type) string {
	switch to.OID {
	case types.Numeric:
		if to.Typmod < 0 {
			return enginesql.Macro("numeric_text") + "(" + sql + ")"
		}
		return enginesql.EvaluateOnceIfLong(sql, func(x string) string {
			return enginesql.Macro("numeric_fitted") + "(" + x + ", TRY_CAST(" + x + " AS " + to.EngineType() + "), " + enginesql.Literal(OverflowMessage(to)) + ")"
		})
	case types.WideNumeric:
		return FitWide("ontosql_wide_in("+sql+")", to)
	case types.JSON:
		return enginesql.Macro("json_text") + "(" + sql + ")"
	case types.JSONB:
		return enginesql.Macro("jsonb_text") + "(" + sql + ")"
	case types.Date, types.Time, types.Timestamp, types.TimestampTZ:
		return enginesql.Macro(types.ByOID[to.OID].Name+"_in") + "(" + sql + ", " + enginesql.Placeholder(enginesql.DateOrder, 0) + ")"
	case types.Interval:
		return enginesql.Macro("interval_in") + "(" + sql + ", " + enginesql.Placeholder(enginesql.IntervalStandard, 0) + ")"
	case types.TimeTZ:
		return TimeTZInSessionZone(sql)
	case types.TID:
		return "ontosql_tid_in(" + sql + ")"
	case types.Bit, types.Varbit:
		return "ontosql_bit_in(" + sql + ")"
	case types.Bool, types.Int2, types.Int4, types.Int8, types.OID, types.Float4, types.Float8, types.Bytea, types.UUID:
		return enginesql.Macro(types.ByOID[to.OID].Name+"_in") + "(" + sql + ")"
	}
	return "CAST(" + sql + " AS " + to.EngineType() + ")"
}

// TimeTZInSessionZone is the timetz of a text, in the session's time zone if it names none.
func TimeTZInSessionZone(sql string) string {
	return enginesql.Macro("timetz_here") + "(" + sql + ", " + enginesql.SessionPlaceholder("now", nil, types.TimestampTZ) + ")"
}
