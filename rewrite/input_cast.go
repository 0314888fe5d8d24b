package rewrite

// textInput is the call that reads a text as a value of a type.
func textInput(sql string, to typ) string {
	switch to.oid {
	case numericOID:
		if to.mod < 0 {
			return macro("numeric_text") + "(" + sql + ")"
		}
		return mentionOnce(sql, func(x string) string {
			return macro("numeric_fitted") + "(" + x + ", TRY_CAST(" + x + " AS " + to.duck() + "), " + literal(overflowText(to)) + ")"
		})
	case jsonOID:
		return macro("json_text") + "(" + sql + ")"
	case jsonbOID:
		return macro("jsonb_text") + "(" + sql + ")"
	case dateOID, timeOID, timestampOID, timestamptzOID:
		return macro(typesByOID[to.oid].name+"_in") + "(" + sql + ", " + hole(orderHole, 0) + ")"
	case intervalOID:
		return macro("interval_in") + "(" + sql + ", " + hole(styleHole, 0) + ")"
	case timetzOID:
		return timetzHere(sql)
	case bitOID, varbitOID:
		return "ontosql_bit_in(" + sql + ")"
	case boolOID, int2OID, int4OID, int8OID, oidOID, float4OID, float8OID, byteaOID, uuidOID:
		return macro(typesByOID[to.oid].name+"_in") + "(" + sql + ")"
	}
	return "CAST(" + sql + " AS " + to.duck() + ")"
}

// timetzHere is the timetz of a text, in the session's time zone if it names none.
func timetzHere(sql string) string {
	return macro("timetz_here") + "(" + sql + ", " + sessionMark("now", nil, timestamptzOID) + ")"
}
