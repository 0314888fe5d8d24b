package rewrite

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
)

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
		f, err := strconv.ParseFloat(trimmed, 64)
		if err != nil {
			bad("numeric")
		}
		if math.IsNaN(f) || math.IsInf(f, 0) || math.Abs(f) >= 1e26 && to.mod < 0 {
			b.fail(pgerr.New(pgerr.NumericValueOutOfRange, "value %q is out of range for type numeric", s).
				WithDetail("A numeric has at most 26 digits before the point, and no NaN or infinity."), loc)
		}
	case dateOID, timestampOID, timestamptzOID:
		if sql := b.specialTime(lower(trimmed), to); sql != "" {
			return sql
		}
		if trimmed == "" || !strings.ContainsAny(trimmed, "0123456789") {
			b.fail(pgerr.New(pgerr.InvalidDatetimeFormat, "invalid input syntax for type %s: %q", to, s), loc)
		}
	case jsonOID, jsonbOID:
		if !json.Valid([]byte(s)) {
			b.fail(pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type json"), loc)
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
	now := func() string { return sessionMark("now", nil, timestamptzOID) }
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
