package rewrite

import (
	"fmt"
	"strconv"
	"strings"
)

// castText converts a value from one type to another. The pairs that the engine
// spells or rounds differently are written out.
func castText(sql string, from, to typ) string {
	plain := "CAST(" + shortFloat(sql, from, to) + " AS " + to.duck() + ")"
	switch {
	case from.oid == int4OID && to.oid == charOID:
		return macro("char_of_int") + "(" + sql + ")"
	case from.oid == charOID && to.oid == int4OID:
		return "ascii(" + sql + ")"
	case to.category() == 'S' || to.oid == charOID:
		return castLength(textOf(sql, from), to)
	case from.category() == 'S' || from.oid == charOID:
		return fromText(sql, to)
	case from.oid == float8OID && to.oid == float4OID:
		return macro("real_of_float") + "(" + sql + ")"
	case (from.oid == float8OID || from.oid == float4OID) && isInt(to.oid) && to.oid != int8OID:
		return "CAST(" + macro("whole_number") + "(" + sql + ") AS " + to.duck() + ")"
	case from.oid == numericOID && (to.oid == float8OID || to.oid == float4OID):
		return "CAST(" + macro("float_of_numeric") + "(" + sql + ") AS " + to.duck() + ")"
	case isOIDLike(to.oid) && (from.oid == int2OID || from.oid == int4OID): // of a negative one the bits, as PostgreSQL has it
		return "CAST(CAST(" + sql + " AS BIGINT) & 4294967295 AS UINTEGER)"
	case to.oid == boolOID && isInt(from.oid):
		return "(" + sql + " <> 0)"
	case from.oid == jsonOID && to.oid == jsonbOID:
		return fromText("CAST("+sql+" AS VARCHAR)", to)
	case from.oid == jsonbOID && to.oid == jsonOID:
		return "CAST(" + textOf(sql, from) + " AS JSON)"
	case isOIDLike(from.oid) && isOIDLike(to.oid):
		return sql
	case to.oid == numericOID && to.mod < 0 && from.oid == numericOID:
		return sql
	case to.oid == timeOID && (from.oid == timestampOID || from.oid == timestamptzOID):
		return castLength(macro("time_of_day")+"("+sql+")", to)
	case from.oid == timestamptzOID && to.oid == dateOID:
		return "CAST(CAST(" + sql + " AS TIMESTAMP) AS DATE)"
	case from.oid == jsonbOID && (isNumber(to.oid) || to.oid == boolOID):
		return fromDocument(sql, to)
	case to.oid == bitOID && isInt(from.oid):
		return "ontosql_bit_of_int(CAST(" + sql + " AS BIGINT), " + strconv.Itoa(max(int(to.mod), 1)) + ")"
	case from.oid == bitOID && isInt(to.oid):
		return "CAST(ontosql_bit_to_int(" + sql + ", " + map[uint32]string{int4OID: "32", int8OID: "64"}[to.oid] + ") AS " + to.duck() + ")"
	case from.oid == timetzOID && to.oid == timeOID:
		return castLength("CAST(regexp_extract("+sql+", '^[0-9:.]+') AS TIME)", to)
	case to.oid == timetzOID && from.oid == timeOID:
		return castLength(timetzHere(textOf(sql, from)), to)
	case to.oid == timetzOID && from.oid == timestamptzOID:
		return castLength(macro("timetz_of")+"("+sql+")", to)
	case from.oid == timeOID && to.oid == intervalOID:
		return "to_microseconds(epoch_us(" + sql + "))"
	case from.oid == intervalOID && to.oid == timeOID:
		return "(TIME '00:00:00' + to_microseconds(" + macro("interval_micros") + "(" + sql + ") % 86400000000))"
	case from.isArray() && to.isArray():
		a, _ := from.item()
		e, _ := to.item()
		item := "item" + strings.Repeat("_", from.dim)
		if one := castText(item, a, e); one != item && one != "CAST("+item+" AS "+e.duck()+")" {
			return "CAST(list_transform(" + sql + ", lambda " + item + ": " + one + ") AS " + to.duck() + ")"
		} else if one == item {
			return sql
		}
	}
	return castLength(plain, to)
}

// fromDocument is a jsonb that is a number or a truth value, as a value of such a type.
func fromDocument(sql string, to typ) string {
	name := literal(t(to.oid).String())
	plain := macro("json_plain") + "(" + sql + ", " + name + ")"
	number := func(x string) string { return "TRY_CAST(" + x + " AS DECIMAL(38,12))" }
	switch {
	case to.oid == numericOID:
		if to.mod >= 0 {
			number = func(x string) string { return "TRY_CAST(" + x + " AS " + to.duck() + ")" }
		}
	case isInt(to.oid): // it rounds as a numeric does
		decimal := number
		number = func(x string) string { return "TRY_CAST(" + decimal(x) + " AS " + to.duck() + ")" }
	default:
		return "CAST(" + plain + " AS " + to.duck() + ")"
	}
	return mentionOnce(plain, func(x string) string {
		return macro("in_range") + "(" + number(x) + ", " + x + ", " + literal(overflowText(to)) + ")"
	})
}

// shortFloat is a floating-point number that becomes a numeric: with the digits that
// its type is sure of (DBL_DIG and FLT_DIG in PostgreSQL's numeric.c), because the
// engine takes all that the binary fraction has.
func shortFloat(sql string, from, to typ) string {
	if to.oid != numericOID {
		return sql
	}
	switch from.oid {
	case float8OID:
		return "printf('%.15g', " + sql + ")"
	case float4OID:
		return "printf('%.6g', CAST(" + sql + " AS DOUBLE))"
	}
	return sql
}

// textOf is the cast of a value to text, in the session's styles.
func textOf(sql string, from typ) string {
	if out := outputMacros[from.oid]; out != "" {
		return outputMark(out) + sql + ")"
	}
	switch {
	case rowColumns(from) != nil:
		return rowTextOf(sql, from)
	case isText(from.oid) && from.oid != bpcharOID, from.oid == unknownOID:
		return sql
	case from.oid == bpcharOID:
		return "rtrim(" + sql + ", ' ')"
	case from.oid == numericOID && from.mod < 0 && from.num.shown > 0:
		return macro("numeric_shown") + "(" + sql + ", " + strconv.Itoa(from.num.shown) + ")"
	case from.oid == numericOID && from.mod < 0:
		return macro("numeric_out") + "(" + sql + ")"
	case from.oid == jsonbOID:
		return "ontosql_jsonb_out(CAST(" + sql + " AS VARCHAR))"
	case isNamed(from.oid):
		return catalogMacro(regNames[from.oid]+"_name") + "(" + sql + ")"
	case from.oid == int2vectorOID || from.oid == oidvectorOID:
		return "array_to_string(" + sql + ", ' ')"
	case from.dim > 0:
		row, _ := from.item()
		return "('{' || array_to_string(list_transform(" + sql + ", lambda row" + strconv.Itoa(from.dim) + ": " + textOf("row"+strconv.Itoa(from.dim), row) + "), ',') || '}')"
	case from.isArray():
		elem, _ := from.elem()
		switch out := outputOf("item", elem); {
		case isNamed(elem.oid):
			sql = namesOf(sql, from)
		case !isText(elem.oid) && out != "CAST(item AS VARCHAR)":
			sql = "list_transform(" + sql + ", lambda item: " + out + ")"
		}
		return macro("array_out") + "(" + sql + ")"
	}
	return "CAST(" + sql + " AS VARCHAR)"
}

// outputOf is the text a client would be sent, which concat and format use; it
// differs from the cast to text for booleans and bpchar.
func outputOf(sql string, from typ) string {
	switch from.oid {
	case bpcharOID:
		return sql
	case boolOID:
		return macro("bool_out") + "(" + sql + ")"
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
	case to.oid == timetzOID:
		return macro("timetz_here") + "(" + sql + ", now())"
	case to.category() == 'A', isOIDLike(to.oid) && to.oid != oidOID, to.oid == boolOID:
		return fromText(sql, to)
	}
	return "CAST(" + sql + " AS " + to.duck() + ")"
}

// fromText is the cast of text to another type.
func fromText(sql string, to typ) string {
	switch {
	case isNamed(to.oid):
		return mentionOnce(sql, func(x string) string { return objectNamed(x, to, 0) })
	case to.oid == int2vectorOID || to.oid == oidvectorOID:
		return "CAST(regexp_extract_all(" + sql + ", '[^ ]+') AS " + to.duck() + ")"
	case to.isArray():
		items := macro("array_in") + "(" + sql + ")"
		if elem, _ := to.elem(); !isText(elem.oid) {
			items = "list_transform(" + items + ", lambda item: " + textInput("item", elem) + ")"
		}
		return "CAST(" + items + " AS " + to.duck() + ")"
	}
	return castLength(textInput(sql, to), to)
}

// objectNamed is the object of one of the reg types that has a name; that there is none
// is an error at position, 0 for no position.
func objectNamed(sql string, to typ, position int) string {
	name := regNames[to.oid]
	return fmt.Sprintf("%s(%s, %s, %s(%s), %d)", catalogMacro("reg_known"), literal(name), sql, catalogMacro(name+"_oid"), sql, position)
}
