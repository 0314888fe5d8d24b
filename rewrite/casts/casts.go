package casts

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Convert converts a value from one type to another. The pairs that the engine
// spells or rounds differently are written out.
func Convert(sql string, from, to types.Type) string {
	plain := "CAST(" + FloatToNumeric(sql, from, to) + " AS " + to.EngineType() + ")"
	switch {
	case from.OID == types.Int4 && to.OID == types.Char:
		return enginesql.Macro("char_of_int") + "(" + sql + ")"
	case from.OID == types.Char && to.OID == types.Int4:
		return enginesql.Macro("int_of_char") + "(" + sql + ")"
	case to.Category() == 'S' || to.OID == types.Char:
		return ApplyTypmod(ToText(sql, from), to)
	case from.Category() == 'S' || from.OID == types.Char:
		return FromText(sql, to)
	case to.OID == types.WideNumeric:
		return toWide(sql, from, to)
	case from.OID == types.WideNumeric:
		return fromWide(sql, from, to)
	case from.OID == types.Float8 && to.OID == types.Float4:
		return enginesql.Macro("real_of_float") + "(" + sql + ")"
	case (from.OID == types.Float8 || from.OID == types.Float4) && types.IsInteger(to.OID) && to.OID != types.Int8:
		return "CAST(" + enginesql.Macro("whole_number") + "(" + sql + ") AS " + to.EngineType() + ")"
	case from.OID == types.Numeric && (to.OID == types.Float8 || to.OID == types.Float4):
		return "CAST(" + enginesql.Macro("float_of_numeric") + "(" + sql + ") AS " + to.EngineType() + ")"
	case types.IsOIDLike(to.OID) && (from.OID == types.Int2 || from.OID == types.Int4): // of a negative one the bits, as PostgreSQL has it
		return "CAST(CAST(" + sql + " AS BIGINT) & 4294967295 AS UINTEGER)"
	case to.OID == types.Bool && types.IsInteger(from.OID):
		return "(" + sql + " <> 0)"
	case from.OID == types.JSON && to.OID == types.JSONB:
		return FromText("CAST("+sql+" AS VARCHAR)", to)
	case from.OID == types.JSONB && to.OID == types.JSON:
		return "CAST(" + ToText(sql, from) + " AS JSON)"
	case types.IsOIDLike(from.OID) && types.IsOIDLike(to.OID):
		return sql
	case to.OID == types.Numeric && to.Typmod < 0 && from.OID == types.Numeric:
		return sql
	case to.OID == types.Time && (from.OID == types.Timestamp || from.OID == types.TimestampTZ):
		return ApplyTypmod(enginesql.Macro("time_of_day")+"("+sql+")", to)
	case from.OID == types.Date && to.OID == types.Timestamp:
		// Not CAST: where one is compared with an infinite timestamp, DuckDB 1.5.6 fails in
		// moving it to the other side.
		return ApplyTypmod("("+sql+" + TIME '00:00:00')", to)
	case from.OID == types.TimestampTZ && to.OID == types.Date:
		return "CAST(CAST(" + sql + " AS TIMESTAMP) AS DATE)"
	case from.OID == types.JSONB && (types.IsNumber(to.OID) || to.OID == types.Bool):
		return fromDocument(sql, to)
	case to.OID == types.Bit && types.IsInteger(from.OID):
		return "ontosql_bit_of_int(CAST(" + sql + " AS BIGINT), " + strconv.Itoa(max(int(to.Typmod), 1)) + ")"
	case from.OID == types.Bit && types.IsInteger(to.OID):
		return "CAST(ontosql_bit_to_int(" + sql + ", " + map[uint32]string{types.Int4: "32", types.Int8: "64"}[to.OID] + ") AS " + to.EngineType() + ")"
	case from.OID == types.TimeTZ && to.OID == types.Time:
		return ApplyTypmod("CAST(regexp_extract("+sql+", '^[0-9:.]+') AS TIME)", to)
	case to.OID == types.TimeTZ && from.OID == types.Time:
		return ApplyTypmod(input.TimeTZInSessionZone(ToText(sql, from)), to)
	case to.OID == types.TimeTZ && from.OID == types.TimestampTZ:
		return ApplyTypmod(enginesql.Macro("timetz_of")+"("+sql+")", to)
	case from.OID == types.Time && to.OID == types.Interval:
		return "to_microseconds(epoch_us(" + sql + "))"
	case from.OID == types.Interval && to.OID == types.Time:
		return "(TIME '00:00:00' + to_microseconds(" + enginesql.Macro("interval_micros") + "(" + sql + ") % 86400000000))"
	case from.IsArray() && to.IsArray():
		a, _ := from.Item()
		e, _ := to.Item()
		item := "item" + strings.Repeat("_", from.ExtraDims)
		if one := Convert(item, a, e); one != item && one != "CAST("+item+" AS "+e.EngineType()+")" {
			return "CAST(list_transform(" + sql + ", lambda " + item + ": " + one + ") AS " + to.EngineType() + ")"
		} else if one == item {
			return sql
		}
	}
	return ApplyTypmod(plain, to)
}

// fromDocument is a jsonb that is a number or a truth value, as a value of such a type.
func fromDocument(sql string, to types.Type) string {
	name := enginesql.Literal(types.Of(to.OID).String())
	plain := enginesql.Macro("json_plain") + "(" + sql + ", " + name + ")"
	number := func(x string) string { return "TRY_CAST(" + x + " AS DECIMAL(38,12))" }
	switch {
	case to.OID == types.Numeric:
		if to.Typmod >= 0 {
			number = func(x string) string { return "TRY_CAST(" + x + " AS " + to.EngineType() + ")" }
		}
	case types.IsInteger(to.OID): // it rounds as a numeric does
		decimal := number
		number = func(x string) string { return "TRY_CAST(" + decimal(x) + " AS " + to.EngineType() + ")" }
	default:
		return "CAST(" + plain + " AS " + to.EngineType() + ")"
	}
	return enginesql.EvaluateOnceIfLong(plain, func(x string) string {
		return enginesql.Macro("in_range") + "(" + number(x) + ", " + x + ", " + enginesql.Literal(input.OverflowMessage(to)) + ")"
	})
}

// FloatToNumeric is a floating-point number that becomes a numeric: with the digits that
// its type is sure of (DBL_DIG and FLT_DIG in PostgreSQL's numeric.c), because the
// engine takes all that the binary fraction has.
func FloatToNumeric(sql string, from, to types.Type) string {
	if to.OID != types.Numeric && to.OID != types.WideNumeric {
		return sql
	}
	switch from.OID {
	case types.Float8:
		return "printf('%.15g', " + sql + ")"
	case types.Float4:
		return "printf('%.6g', CAST(" + sql + " AS DOUBLE))"
	}
	return sql
}

// zeroBeforePoint adds the zero that the engine does not print where a decimal has no digits before the
// point.
func zeroBeforePoint(text string) string {
	return "regexp_replace(" + text + ", '^(-?)[.]', '\\10.')"
}

// ToText is the cast of a value to text, in the session's styles.
func ToText(sql string, from types.Type) string {
	from = from.Internal()
	if out := enginesql.OutputMacros[from.OID]; out != "" {
		return enginesql.OutputPlaceholder(out) + sql + ")"
	}
	switch {
	case types.RowFields(from) != nil:
		return RowToText(sql, from)
	case types.IsText(from.OID) && from.OID != types.BPChar, from.OID == types.Unknown:
		return sql
	case from.OID == types.BPChar:
		return "rtrim(" + sql + ", ' ')"
	case from.OID == types.Numeric && from.Typmod < 0 && from.Numeric.Known() && from.Numeric.Whole == 0:
		from.Numeric.Whole = min(1, types.MaxDigits-from.Numeric.Frac) // with more digits it would be wide
		if from.Numeric.Whole == 0 {
			return zeroBeforePoint("CAST(" + sql + " AS VARCHAR)")
		}
		return zeroBeforePoint(ToText(sql, from))
	case from.OID == types.Numeric && from.Typmod < 0 && from.Numeric.DisplayScale > 0:
		return enginesql.Macro("numeric_shown") + "(" + sql + ", " + strconv.Itoa(from.Numeric.DisplayScale) + ")"
	case from.OID == types.Numeric && from.Typmod < 0:
		return enginesql.Macro("numeric_out") + "(" + sql + ")"
	case from.OID == types.Numeric && types.DeclaredDigits(from.Typmod).Whole == 0:
		return zeroBeforePoint("CAST(" + sql + " AS VARCHAR)")
	case from.OID == types.WideNumeric:
		return wideText(sql, from)
	case from.OID == types.JSONB:
		return "ontosql_jsonb_out(CAST(" + sql + " AS VARCHAR))"
	case from.OID == types.TID:
		return "ontosql_tid_out(" + sql + ")"
	case types.IsReg(from.OID):
		return enginesql.MacroPlaceholder(types.RegNames[from.OID]+"_name") + "(" + sql + ")"
	case from.OID == types.Int2Vector || from.OID == types.OIDVector:
		return "array_to_string(" + sql + ", ' ')"
	case from.ExtraDims > 0:
		row, _ := from.Item()
		return "('{' || array_to_string(list_transform(" + sql + ", lambda row" + strconv.Itoa(from.ExtraDims) + ": " + ToText("row"+strconv.Itoa(from.ExtraDims), row) + "), ',') || '}')"
	case from.IsArray():
		elem, _ := from.Elem()
		switch out := ToOutput("item", elem); {
		case types.IsReg(elem.OID):
			sql = RegNames(sql, from)
		case !types.IsText(elem.OID) && out != "CAST(item AS VARCHAR)":
			sql = "list_transform(" + sql + ", lambda item: " + out + ")"
		}
		return enginesql.Macro("array_out") + "(" + sql + ")"
	}
	return "CAST(" + sql + " AS VARCHAR)"
}

// ToOutput is the text a client would be sent, which concat and format use; it
// differs from the cast to text for booleans and bpchar.
func ToOutput(sql string, from types.Type) string {
	switch from.OID {
	case types.BPChar:
		return sql
	case types.Bool:
		return enginesql.Macro("bool_out") + "(" + sql + ")"
	}
	return ToText(sql, from)
}

// FromArgument reads what Argument has left of a parameter: a plain cast, for the
// statement may have thousands.
func FromArgument(sql string, to types.Type) string {
	elem, isArray := to.Elem()
	switch {
	case to.OID == types.Bytea:
		return enginesql.Macro("bytea_argument") + "(" + sql + ")"
	case isArray && to.OID != types.Int2Vector && to.OID != types.OIDVector:
		items := enginesql.Macro("array_in") + "(" + sql + ")"
		if elem.OID == types.Bytea {
			items = "list_transform(" + items + ", lambda item: " + enginesql.Macro("bytea_argument") + "(item))"
		}
		return "CAST(" + items + " AS " + to.EngineType() + ")"
	case to.OID == types.TimeTZ:
		return enginesql.Macro("timetz_here") + "(" + sql + ", now())"
	case to.Category() == 'A', types.IsOIDLike(to.OID) && to.OID != types.OID, to.OID == types.Bool:
		return FromText(sql, to)
	}
	return "CAST(" + sql + " AS " + to.EngineType() + ")"
}

// FromText is the cast of text to another type.
func FromText(sql string, to types.Type) string {
	switch {
	case types.IsReg(to.OID):
		return enginesql.EvaluateOnceIfLong(sql, func(x string) string { return RegByName(x, to, 0) })
	case to.OID == types.Int2Vector || to.OID == types.OIDVector:
		return "CAST(regexp_extract_all(" + sql + ", '[^ ]+') AS " + to.EngineType() + ")"
	case to.IsArray():
		items := enginesql.Macro("array_in") + "(" + sql + ")"
		if elem, _ := to.Elem(); !types.IsText(elem.OID) {
			items = "list_transform(" + items + ", lambda item: " + input.CastText("item", elem) + ")"
		}
		return "CAST(" + items + " AS " + to.EngineType() + ")"
	}
	return ApplyTypmod(input.CastText(sql, to), to)
}

// RegByName is the object of a reg type with this name. If it does not exist, the error is at
// position; position 0 gives an error without one.
func RegByName(sql string, to types.Type, position int) string {
	name := types.RegNames[to.OID]
	return fmt.Sprintf("%s(%s, %s, %s(%s), %d)", enginesql.MacroPlaceholder("reg_known"), enginesql.Literal(name), sql, enginesql.MacroPlaceholder(name+"_oid"), sql, position)
}

// Param prints a parameter with the conversion that makes its type certain
// to the engine, which infers less than PostgreSQL. The session binds every
// parameter as the text that Argument gives.
//
// A cast right around a parameter is taken for its type by the engine, which then
// plans the statement anew whenever a text is bound: a quarter of a millisecond,
// and worth it where the plan depends on the value, as it does over sources.
func Param(n int, ty types.Type, sources bool) string {
	text := "CAST($" + strconv.Itoa(n) + " AS VARCHAR)"
	if !sources {
		text = "(" + text + " || '')"
	}
	if types.IsText(ty.OID) || ty.OID == types.Unknown {
		return text
	}
	return FromArgument(text, ty)
}

// RegNames is an array of the names of an array of numbers.
func RegNames(list string, ty types.Type) string {
	item, _ := ty.Item()
	if ty.ExtraDims > 0 {
		each := "row" + strconv.Itoa(ty.ExtraDims)
		return "list_transform(" + list + ", lambda " + each + ": " + RegNames(each, item) + ")"
	}
	return "list_transform(" + list + ", lambda item: " + ToText("item", item) + ")"
}
