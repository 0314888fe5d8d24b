package rewrite

import "github.com/ontosql/ontosql/rewrite/types"

// textInput is the call that reads a text as a value of a type.
func textInput(sql string, to types.Type) string {
	switch to.OID {
	case types.Numeric:
		if to.Typmod < 0 {
			return macro("numeric_text") + "(" + sql + ")"
		}
		return mentionOnce(sql, func(x string) string {
			return macro("numeric_fitted") + "(" + x + ", TRY_CAST(" + x + " AS " + to.EngineType() + "), " + literal(overflowText(to)) + ")"
		})
	case types.JSON:
		return macro("json_text") + "(" + sql + ")"
	case types.JSONB:
		return macro("jsonb_text") + "(" + sql + ")"
	case types.Date, types.Time, types.Timestamp, types.TimestampTZ:
		return macro(types.ByOID[to.OID].Name+"_in") + "(" + sql + ", " + hole(orderHole, 0) + ")"
	case types.Interval:
		return macro("interval_in") + "(" + sql + ", " + hole(styleHole, 0) + ")"
	case types.TimeTZ:
		return timetzHere(sql)
	case types.Bit, types.Varbit:
		return "ontosql_bit_in(" + sql + ")"
	case types.Bool, types.Int2, types.Int4, types.Int8, types.OID, types.Float4, types.Float8, types.Bytea, types.UUID:
		return macro(types.ByOID[to.OID].Name+"_in") + "(" + sql + ")"
	}
	return "CAST(" + sql + " AS " + to.EngineType() + ")"
}

// timetzHere is the timetz of a text, in the session's time zone if it names none.
func timetzHere(sql string) string {
	return macro("timetz_here") + "(" + sql + ", " + sessionMark("now", nil, types.TimestampTZ) + ")"
}
