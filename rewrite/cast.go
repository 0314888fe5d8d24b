package rewrite

// castText converts a value from one type to another. The pairs that the engine
// spells or rounds differently are written out.
func castText(sql string, from, to typ) string {
	plain := "CAST(" + sql + " AS " + to.duck() + ")"
	switch {
	case to.category() == 'S' || to.oid == charOID:
		return castLength(textOf(sql, from), to)
	case from.category() == 'S' || from.oid == charOID:
		return fromText(sql, to)
	case from.oid == numericOID && (to.oid == float8OID || to.oid == float4OID):
		return "CAST(" + macro("float_of_numeric") + "(" + sql + ") AS " + to.duck() + ")"
	case to.oid == boolOID && isInt(from.oid):
		return "(" + sql + " <> 0)"
	case isJSON(from.oid) && isJSON(to.oid), isOIDLike(from.oid) && isOIDLike(to.oid):
		return sql
	case to.oid == numericOID && to.mod < 0 && from.oid == numericOID:
		return sql
	case from.oid == timestamptzOID && (to.oid == dateOID || to.oid == timeOID):
		return "CAST(CAST(" + sql + " AS TIMESTAMP) AS " + to.duck() + ")"
	case from.oid == timeOID && to.oid == intervalOID:
		return "to_microseconds(epoch_us(" + sql + "))"
	case from.oid == intervalOID && to.oid == timeOID:
		return "(TIME '00:00:00' + to_microseconds(" + macro("interval_micros") + "(" + sql + ") % 86400000000))"
	case from.isArray() && to.isArray():
		a, _ := from.elem()
		e, _ := to.elem()
		if isText(a.oid) && isText(e.oid) {
			return sql
		}
	}
	return castLength(plain, to)
}

// textOf is the cast of a value to text.
func textOf(sql string, from typ) string {
	switch {
	case isText(from.oid) && from.oid != bpcharOID, from.oid == unknownOID:
		return sql
	case from.oid == bpcharOID:
		return "rtrim(" + sql + ", ' ')"
	case from.oid == float8OID || from.oid == float4OID:
		return macro("float_out") + "(" + sql + ")"
	case from.oid == numericOID && from.mod < 0:
		return macro("numeric_out") + "(" + sql + ")"
	case from.oid == intervalOID:
		return macro("interval_out") + "(" + sql + ")"
	case from.oid == byteaOID:
		return `('\x' || lower(hex(` + sql + ")))"
	case isNamed(from.oid):
		return catalogMacro(regNames[from.oid]+"_name") + "(" + sql + ")"
	case from.oid == int2vectorOID || from.oid == oidvectorOID:
		return "array_to_string(" + sql + ", ' ')"
	case from.isArray():
		elem, _ := from.elem()
		switch out := outputOf("item", elem); {
		case isNamed(elem.oid):
			sql = namesOf(sql, elem)
		case !isText(elem.oid) && out != "CAST(item AS VARCHAR)":
			sql = "list_transform(" + sql + ", lambda item: " + out + ")"
		}
		return macro("array_out") + "(" + sql + ")"
	}
	return "CAST(" + sql + " AS VARCHAR)"
}

// outputOf is the text a client would be sent, which concat and format use; it
// differs from the cast to text for booleans.
func outputOf(sql string, from typ) string {
	if from.oid == boolOID {
		return "CASE WHEN " + sql + " THEN 't' WHEN NOT " + sql + " THEN 'f' END"
	}
	return textOf(sql, from)
}

// fromArgument reads what Argument has left of a parameter: a plain cast, for the
// statement may have thousands.
func fromArgument(sql string, to typ) string {
	elem, isArray := to.elem()
	switch {
	case to.oid == byteaOID:
		return macro("bytea_argument") + "(" + sql + ")"
	case isArray && to.oid != int2vectorOID && to.oid != oidvectorOID:
		items := macro("array_in") + "(" + sql + ")"
		if elem.oid == byteaOID {
			items = "list_transform(" + items + ", lambda item: " + macro("bytea_argument") + "(item))"
		}
		return "CAST(" + items + " AS " + to.duck() + ")"
	case to.category() == 'A', isOIDLike(to.oid) && to.oid != oidOID, to.oid == boolOID:
		return fromText(sql, to)
	}
	return "CAST(" + sql + " AS " + to.duck() + ")"
}

// fromText is the cast of text to another type.
func fromText(sql string, to typ) string {
	switch {
	case isNamed(to.oid):
		return catalogMacro(regNames[to.oid]+"_oid") + "(" + sql + ")"
	case to.oid == int2vectorOID || to.oid == oidvectorOID:
		return "CAST(string_split(" + sql + ", ' ') AS " + to.duck() + ")"
	case to.isArray():
		items := mentionOnce(sql, func(x string) string { return macro("array_in") + "(" + x + ")" })
		if elem, _ := to.elem(); !isText(elem.oid) {
			items = "list_transform(" + items + ", lambda item: " + textInput("item", elem) + ")"
		}
		return "CAST(" + items + " AS " + to.duck() + ")"
	}
	return castLength(mentionOnce(sql, func(x string) string { return textInput(x, to) }), to)
}
