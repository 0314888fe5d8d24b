package rewrite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

// castContext says how willing PostgreSQL is to convert at a place
// (pg_cast.castcontext).
type castContext uint8

const (
	implicitCast castContext = iota
	assignmentCast
	explicitCast
)

// implicitTargets are the conversions PostgreSQL makes by itself.
var implicitTargets = map[uint32][]uint32{
	int2OID:      {int4OID, int8OID, numericOID, float4OID, float8OID, oidOID, regclassOID, regtypeOID, regprocOID, regprocedureOID, regroleOID, regnamespaceOID},
	int4OID:      {int8OID, numericOID, float4OID, float8OID, oidOID, regclassOID, regtypeOID, regprocOID, regprocedureOID, regroleOID, regnamespaceOID},
	int8OID:      {numericOID, float4OID, float8OID, oidOID, regclassOID, regtypeOID, regprocOID, regprocedureOID, regroleOID, regnamespaceOID},
	numericOID:   {float4OID, float8OID},
	float4OID:    {float8OID},
	textOID:      {varcharOID, bpcharOID, nameOID, regclassOID},
	varcharOID:   {textOID, bpcharOID, nameOID, regclassOID},
	bpcharOID:    {textOID, varcharOID, nameOID},
	nameOID:      {textOID},
	charOID:      {textOID},
	dateOID:      {timestampOID, timestamptzOID},
	timestampOID: {timestamptzOID},
	timeOID:      {intervalOID},
	oidOID:       {regclassOID, regtypeOID, regprocOID, regprocedureOID, regroleOID, regnamespaceOID},
	regclassOID:  {oidOID}, regtypeOID: {oidOID}, regprocOID: {oidOID, regprocedureOID}, regprocedureOID: {oidOID, regprocOID},
	regroleOID: {oidOID}, regnamespaceOID: {oidOID},
	pgNodeTreeOID: {textOID},
	xidOID:        {},
}

// implicit reports whether from converts to to by itself.
func implicit(from, to uint32) bool {
	if from == to || from == unknownOID || to == anyOID {
		return true
	}
	if slices.Contains(implicitTargets[from], to) {
		return true
	}
	if f, ok := t(from).elem(); ok {
		if e, ok := t(to).elem(); ok {
			return implicit(f.oid, e.oid)
		}
	}
	return false
}

// castable reports whether an explicit CAST exists.
func castable(from, to typ) bool {
	f, g := from.oid, to.oid
	switch {
	case implicit(f, g), g == voidOID:
		return true
	case to.category() == 'S' || from.category() == 'S', g == charOID, f == charOID: // I/O conversion
		return f != recordOID || g == textOID
	case isNumber(f) && isNumber(g):
		return true
	case f == boolOID && g == int4OID, f == int4OID && g == boolOID:
		return true
	case isTime(f) && isTime(g):
		return f != intervalOID || g == timeOID
	case isJSON(f):
		return isJSON(g) || f == jsonbOID && (isNumber(g) || g == boolOID)
	case isOIDLike(f):
		return isOIDLike(g) || g == int8OID || g == int4OID
	case isOIDLike(g):
		return isInt(f)
	case from.isArray() && to.isArray():
		a, _ := from.elem()
		e, _ := to.elem()
		return castable(a, e)
	}
	return false
}

func isNumber(oid uint32) bool {
	return isInt(oid) || oid == numericOID || oid == float4OID || oid == float8OID
}

func isTime(oid uint32) bool {
	switch oid {
	case dateOID, timeOID, timestampOID, timestamptzOID, intervalOID:
		return true
	}
	return false
}

// coerce brings an expression to a type, and gives an untyped literal or
// parameter that type.
func (b *binder) coerce(e expr, to typ, ctx castContext) expr {
	out := expr{t: to, loc: e.loc, agg: e.agg, set: e.set}
	switch {
	case e.param > 0:
		if err := b.params.fix(e.param, to); err != nil {
			b.fail(err, e.loc)
		}
		out.sql = e.sql
		if to.mod >= 0 {
			out.sql = castText(e.sql, typ{to.oid, -1}, to)
		}
		return out
	case e.lit != nil:
		out.sql = b.literal(*e.lit, to, e.loc)
		return out
	case e.null:
		out.sql = "CAST(NULL AS " + to.duck() + ")"
		return out
	case e.t.oid == to.oid && (to.mod < 0 || to.mod == e.t.mod):
		e.t.mod = to.mod
		return e
	case e.t.oid == unknownOID:
		e.t = to
		return e
	}
	if ctx == implicitCast && !implicit(e.t.oid, to.oid) || !castable(e.t, to) && ctx != implicitCast {
		b.fail(pgerr.New(pgerr.CannotCoerce, "cannot cast type %s to %s", e.t, to), e.loc)
	}
	if ctx == implicitCast && to.oid == numericOID {
		out.sql = e.sql // the engine mixes integers and decimals without losing digits
		return out
	}
	out.sql = castText(e.sql, e.t, to)
	return out
}

// common is the type that several expressions share (select_common_type in
// PostgreSQL's parse_coerce.c). word names the construct in the error.
func (b *binder) common(es []expr, word string) typ {
	var ty typ
	for _, e := range es {
		switch {
		case e.t.oid == unknownOID, e.t == ty:
		case ty.oid == 0:
			ty = e.t
		case e.t.oid == ty.oid:
			ty.mod = -1
		case e.t.category() != ty.category():
			b.fail(pgerr.New(pgerr.DatatypeMismatch, "%s types %s and %s cannot be matched", word, ty, e.t), e.loc)
		default:
			i := typesByOID[ty.oid]
			if (i == nil || !i.preferred) && implicit(ty.oid, e.t.oid) && !implicit(e.t.oid, ty.oid) {
				ty = typ{e.t.oid, -1}
			} else if !implicit(e.t.oid, ty.oid) {
				b.fail(pgerr.New(pgerr.DatatypeMismatch, "%s types %s and %s cannot be matched", word, ty, e.t), e.loc)
			}
		}
	}
	if ty.oid == 0 {
		return t(textOID)
	}
	return ty
}

// unify brings expressions to their common type.
func (b *binder) unify(es []expr, word string) ([]expr, typ) {
	ty := b.common(es, word)
	for i := range es {
		es[i] = b.coerce(es[i], typ{ty.oid, -1}, implicitCast)
	}
	return es, ty
}

// literal writes an untyped string literal as a value of a type, and refuses
// what PostgreSQL refuses while it analyses.
func (b *binder) literal(s string, to typ, loc int32) string {
	bad := func(name string) {
		b.fail(pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type %s: %q", name, s), loc)
	}
	trimmed := strings.TrimSpace(s)
	switch to.oid {
	case int2OID, int4OID, int8OID, oidOID:
		bits := map[uint32]int{int2OID: 16, int4OID: 32, int8OID: 64, oidOID: 64}[to.oid]
		n, err := strconv.ParseInt(trimmed, 10, bits)
		if err != nil {
			if strings.HasSuffix(err.Error(), "value out of range") {
				b.fail(pgerr.New(pgerr.NumericValueOutOfRange, "value %q is out of range for type %s", s, to), loc)
			}
			bad(to.String())
		}
		return "CAST(" + strconv.FormatInt(n, 10) + " AS " + to.duck() + ")"
	case boolOID:
		v, ok := boolText(trimmed)
		if !ok {
			bad("boolean")
		}
		return v
	case float4OID, float8OID:
		if _, err := strconv.ParseFloat(trimmed, 64); err != nil && !strings.HasSuffix(err.Error(), "out of range") {
			bad(to.String())
		}
	case numericOID:
		if _, err := strconv.ParseFloat(trimmed, 64); err != nil {
			bad("numeric")
		}
	case dateOID, timestampOID, timestamptzOID:
		if sql := b.specialTime(lower(trimmed), to); sql != "" {
			return sql
		}
		if trimmed == "" || !strings.ContainsAny(trimmed, "0123456789") {
			b.fail(pgerr.New(pgerr.InvalidDatetimeFormat, "invalid input syntax for type %s: %q", to, s), loc)
		}
	case intervalOID:
		months, days, micros, ok := parseInterval(trimmed)
		if !ok {
			b.fail(pgerr.New(pgerr.InvalidDatetimeFormat, "invalid input syntax for type interval: %q", s), loc)
		}
		return intervalLiteral(months, days, micros)
	}
	if to.isArray() && to.oid != int2vectorOID && to.oid != oidvectorOID {
		if _, ok := parseArray(trimmed); !ok {
			b.fail(pgerr.New(pgerr.InvalidTextRepresentation, "malformed array literal: %q", s).
				WithDetail(`Array value must start with "{" or dimension information.`), loc)
		}
	}
	return typedLiteral(s, to)
}

// specialTime are the words that PostgreSQL's date types read as moments.
func (b *binder) specialTime(word string, to typ) string {
	now := func() string {
		b.session = true
		return sessionMark("now", nil, timestamptzOID)
	}
	var day string
	switch word {
	case "now":
		return castText(now(), t(timestamptzOID), to)
	case "today":
		day = castText(now(), t(timestamptzOID), t(dateOID))
	case "yesterday":
		day = "(" + castText(now(), t(timestamptzOID), t(dateOID)) + " - 1)"
	case "tomorrow":
		day = "(" + castText(now(), t(timestamptzOID), t(dateOID)) + " + 1)"
	case "epoch", "infinity", "-infinity":
		return "CAST('" + word + "' AS " + to.duck() + ")"
	default:
		return ""
	}
	return castText(day, t(dateOID), to)
}

func boolText(s string) (sql string, ok bool) {
	s = lower(s)
	switch {
	case s == "":
		return "", false
	case strings.HasPrefix("true", s), strings.HasPrefix("yes", s), s == "on", s == "1":
		return "TRUE", true
	case strings.HasPrefix("false", s), strings.HasPrefix("no", s), s == "of", s == "off", s == "0":
		return "FALSE", true
	}
	return "", false
}

// typedLiteral writes a value in PostgreSQL's text form for the engine.
func typedLiteral(s string, to typ) string {
	trimmed := strings.TrimSpace(s)
	switch {
	case to.oid == boolOID:
		if v, ok := boolText(trimmed); ok {
			return v
		}
	case to.oid == intervalOID:
		if months, days, micros, ok := parseInterval(trimmed); ok {
			return intervalLiteral(months, days, micros)
		}
	case to.oid == timestampOID:
		return castLength("CAST("+literal(withoutZone(trimmed))+" AS TIMESTAMP)", to)
	case to.oid == dateOID:
		return "CAST(" + literal(dateOnly(trimmed)) + " AS DATE)"
	case to.oid == float8OID || to.oid == float4OID:
		switch lower(trimmed) {
		case "infinity", "inf", "+infinity":
			trimmed = "inf"
		case "-infinity", "-inf":
			trimmed = "-inf"
		}
		return "CAST(" + literal(trimmed) + " AS " + to.duck() + ")"
	case to.oid == byteaOID:
		if strings.HasPrefix(s, `\x`) {
			return "unhex(" + literal(s[2:]) + ")"
		}
		return "encode(" + literal(s) + ")"
	case to.oid == unknownOID, to.oid == textOID, to.oid == charOID, to.oid == nameOID, to.oid == varcharOID, to.oid == bpcharOID:
		return castLength(literal(s), to)
	case to.oid == regclassOID, to.oid == regtypeOID, to.oid == regprocOID, to.oid == regprocedureOID, to.oid == regnamespaceOID, to.oid == regroleOID:
		return castText(literal(s), t(textOID), to)
	case to.isArray():
		e, _ := to.elem()
		items, ok := parseArray(trimmed)
		if !ok {
			return "CAST(" + macro("array_in") + "(" + literal(s) + ") AS " + to.duck() + ")"
		}
		parts := make([]string, len(items))
		for i, it := range items {
			if it == nil {
				parts[i] = "NULL"
			} else {
				parts[i] = typedLiteral(*it, e)
			}
		}
		return "CAST([" + strings.Join(parts, ", ") + "] AS " + to.duck() + ")"
	case isJSON(to.oid):
		return "CAST(" + literal(s) + " AS JSON)"
	}
	return "CAST(" + literal(trimmed) + " AS " + to.duck() + ")"
}

// castLength applies the length of a varchar(n), char(n), name or "char" and the
// precision of a timestamp.
func castLength(sql string, to typ) string {
	switch {
	case to.oid == varcharOID && to.mod >= 4:
		return fmt.Sprintf("left(%s, %d)", sql, to.mod-4)
	case to.oid == bpcharOID && to.mod >= 4:
		return fmt.Sprintf("rpad(%s, %d, ' ')", sql, to.mod-4)
	case to.oid == charOID:
		return "left(" + sql + ", 1)"
	case to.oid == nameOID:
		return "left(" + sql + ", 63)"
	case (to.oid == timestampOID || to.oid == timestamptzOID) && to.mod == 0:
		return "date_trunc('second', " + sql + " + INTERVAL '500 milliseconds')"
	}
	return sql
}

// castText converts a value from one type to another. The pairs that the engine
// spells or rounds differently are written out.
func castText(sql string, from, to typ) string {
	plain := "CAST(" + sql + " AS " + to.duck() + ")"
	switch {
	case to.category() == 'S' || to.oid == charOID:
		return castLength(textOf(sql, from), to)
	case from.category() == 'S' || from.oid == charOID:
		return fromText(sql, to)
	case to.oid == boolOID && isInt(from.oid):
		return "(" + sql + " <> 0)"
	case isJSON(from.oid) && isJSON(to.oid), isOIDLike(from.oid) && isOIDLike(to.oid):
		return sql
	case to.oid == numericOID && to.mod < 0 && from.oid == numericOID:
		return sql
	case from.oid == timestamptzOID && (to.oid == dateOID || to.oid == timeOID):
		return "CAST(CAST(" + sql + " AS TIMESTAMP) AS " + to.duck() + ")"
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
	case from.oid == regclassOID:
		return catalogMacro("regclass_name") + "(" + sql + ")"
	case from.oid == regtypeOID:
		return catalogMacro("regtype_name") + "(" + sql + ")"
	case from.oid == regnamespaceOID:
		return catalogMacro("regnamespace_name") + "(" + sql + ")"
	case from.oid == regprocOID || from.oid == regprocedureOID:
		return catalogMacro("regproc_name") + "(" + sql + ")"
	case from.oid == regroleOID:
		return catalogMacro("regrole_name") + "(" + sql + ")"
	case from.oid == int2vectorOID || from.oid == oidvectorOID:
		return "array_to_string(" + sql + ", ' ')"
	case from.isArray():
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

// fromText is the cast of text to another type.
func fromText(sql string, to typ) string {
	switch {
	case to.oid == boolOID:
		return macro("bool_in") + "(" + sql + ")"
	case to.oid == regclassOID:
		return catalogMacro("regclass_oid") + "(" + sql + ")"
	case to.oid == regtypeOID:
		return catalogMacro("regtype_oid") + "(" + sql + ")"
	case to.oid == regnamespaceOID:
		return catalogMacro("regnamespace_oid") + "(" + sql + ")"
	case to.oid == regprocOID || to.oid == regprocedureOID:
		return catalogMacro("regproc_oid") + "(" + sql + ")"
	case to.oid == regroleOID:
		return catalogMacro("regrole_oid") + "(" + sql + ")"
	case to.oid == byteaOID:
		return macro("bytea_in") + "(" + sql + ")"
	case to.oid == int2vectorOID || to.oid == oidvectorOID:
		return "CAST(string_split(" + sql + ", ' ') AS " + to.duck() + ")"
	case to.isArray():
		return "CAST(" + macro("array_in") + "(" + sql + ") AS " + to.duck() + ")"
	case isJSON(to.oid):
		return "CAST(" + sql + " AS JSON)"
	}
	return castLength("CAST("+sql+" AS "+to.duck()+")", to)
}
