package rewrite

import (
	"fmt"
	"math"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// literal writes an untyped string literal as a value of a type, and refuses
// what PostgreSQL refuses while it analyses.
func (b *binder) literal(s string, to typ, loc int32) string {
	if to.oid == dateOID || to.oid == timestampOID || to.oid == timestamptzOID {
		if sql := b.specialTime(lower(strings.Trim(s, blanks)), to); sql != "" {
			return sql
		}
	}
	if isNamed(to.oid) {
		return objectNamed(literal(s), to, b.st.tree.position(loc))
	}
	sql, err := typedLiteral(s, to, b.env.DateOrder())
	switch {
	case err == nil:
		return sql
	case to.oid == numericOID && to.mod >= 0 && err.Code == pgerr.NumericValueOutOfRange: // it is fitted when it is read
		loc = -1
	}
	b.fail(err, loc)
	return ""
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
func typedLiteral(s string, to typ, order pgfunc.DateOrder) (string, *pgerr.Error) {
	switch to.oid {
	case unknownOID, textOID, charOID, nameOID, varcharOID, bpcharOID:
		return castLength(literal(s), to), nil
	case int2vectorOID, oidvectorOID:
		return castText(literal(s), t(textOID), to), nil
	}
	if isNamed(to.oid) {
		return castText(literal(s), t(textOID), to), nil
	}
	if elem, ok := to.elem(); ok {
		items, err := arrayInput(s)
		parts := make([]string, len(items))
		for i, it := range items {
			parts[i] = "NULL"
			if it != nil && err == nil {
				parts[i], err = typedLiteral(*it, elem, order)
			}
		}
		return "CAST([" + strings.Join(parts, ", ") + "] AS " + to.duck() + ")", err
	}
	text, err := input(s, to, order)
	switch {
	case err != nil:
		return "", err
	case to.oid == boolOID:
		return text, nil
	case to.oid == timetzOID:
		return castLength(timetzHere(literal(text)), to), nil
	case isInt(to.oid):
		return "CAST(" + text + " AS " + to.duck() + ")", nil
	case to.oid == byteaOID:
		return "unhex(" + literal(text[2:]) + ")", nil
	}
	return castLength("CAST("+literal(text)+" AS "+to.duck()+")", to), nil
}

// castLength applies the length of a varchar(n), char(n), bit(n), name or "char" and the
// precision of a timestamp.
func castLength(sql string, to typ) string {
	switch {
	case to.oid == varcharOID && to.mod >= 4:
		return fmt.Sprintf("left(%s, %d)", sql, to.mod-4)
	case to.oid == bpcharOID && to.mod >= 4:
		return fmt.Sprintf("rpad(%s, %d, ' ')", sql, to.mod-4)
	case isBits(to.oid) && to.mod > 0:
		return fmt.Sprintf("ontosql_%s_sized(%s, %d, 1)", typesByOID[to.oid].name, sql, to.mod)
	case to.oid == charOID:
		return "left(" + sql + ", 1)"
	case to.oid == nameOID:
		return "left(" + sql + ", 63)"
	case (to.oid == timestampOID || to.oid == timestamptzOID) && to.mod >= 0 && to.mod < 6:
		return fmt.Sprintf("%s(%s, %.0f)", macro("moment_rounded"), sql, math.Pow10(6-int(to.mod)))
	case to.oid == timeOID && to.mod >= 0 && to.mod < 6:
		return fmt.Sprintf("%s(%s, %.0f)", macro("clock_rounded"), sql, math.Pow10(6-int(to.mod)))
	case to.oid == timetzOID && to.mod >= 0 && to.mod < 6:
		return fmt.Sprintf("%s(%s, %.0f)", macro("timetz_rounded"), sql, math.Pow10(6-int(to.mod)))
	case to.oid == intervalOID && to.mod >= 0:
		return cutInterval(sql, to.mod)
	}
	return sql
}
