package rewrite

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// literal writes an untyped string literal as a value of a type, and refuses
// what PostgreSQL refuses while it analyses.
func (b *binder) literal(s string, to typ, loc int32) string {
	switch to.oid {
	case dateOID, timeOID, timetzOID, timestampOID, timestamptzOID:
		if sql := b.movingTime(s, to); sql != "" {
			return sql
		}
	}
	if elem, ok := to.elem(); ok && (elem.oid == dateOID || elem.oid == timestampOID || elem.oid == timestamptzOID) {
		if items, lengths, err := arrayInput(s); err == nil && len(items) > 0 && len(items) <= mostWritten { // any of which may move
			parts := make([]string, len(items))
			for i, item := range items {
				if parts[i] = "NULL"; item != nil {
					parts[i] = b.literal(*item, elem, loc)
				}
			}
			return listed(parts, lengths, to)
		}
	}
	if isNamed(to.oid) {
		return objectNamed(literal(s), to, b.st.tree.position(loc))
	}
	sql, err := typedLiteral(s, to, b.timeInput())
	switch {
	case err == nil:
		return sql
	case to.oid == numericOID && to.mod >= 0 && err.Code == pgerr.NumericValueOutOfRange: // it is fitted when it is read
		loc = -1
	}
	b.fail(err, loc)
	return ""
}

// timeInput is how the session reads the literals of dates, times and intervals.
func (b *binder) timeInput() pgfunc.TimeInput {
	return pgfunc.TimeInput{Order: b.env.DateOrder(), SQLIntervals: b.env.Setting("IntervalStyle") == "sql_standard"}
}

// movingTime reads a text whose moment moves: now, or a day that is counted from today's.
// It is "" for others.
func (b *binder) movingTime(s string, to typ) string {
	text, err := pgfunc.ReadTimeText(s, typesByOID[to.oid].name, b.env.DateOrder())
	if err != nil || !text.Moves() {
		return ""
	}
	now := sessionMark("now", nil, timestamptzOID)
	if text.Now {
		return castText(now, t(timestamptzOID), to)
	}
	day := castText(now, t(timestamptzOID), t(dateOID))
	if text.Days != 0 {
		day = fmt.Sprintf("(%s + %d)", day, text.Days)
	}
	clock := text.Clock()
	if to.oid == dateOID || clock == 0 && to.oid == timestampOID {
		return castText(day, t(dateOID), to)
	}
	east, zoned := text.Offset()
	if zoned = zoned && to.oid == timestamptzOID; zoned {
		clock -= int64(east) * 1_000_000
	}
	zone := "UTC"
	if name := text.Zone(); zoned && name != "" { // whose offset hangs on the day
		zone, clock = name, text.Clock()
	}
	at := fmt.Sprintf("(CAST(%s AS TIMESTAMP) + to_microseconds(%d))", day, clock)
	if zoned {
		return castLength("timezone("+literal(zone)+", "+at+")", to)
	}
	return castText(at, t(timestampOID), to)
}

// typedLiteral writes a value in PostgreSQL's text form for the engine.
func typedLiteral(s string, to typ, in pgfunc.TimeInput) (string, *pgerr.Error) {
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
		items, lengths, err := arrayInput(s)
		parts := make([]string, len(items))
		for i, it := range items {
			parts[i] = "NULL"
			if it != nil && err == nil {
				parts[i], err = typedLiteral(*it, elem, in)
			}
		}
		switch long := len(items) > mostWritten; {
		case long && len(lengths) > 1 && err == nil:
			err = pgerr.New(pgerr.ProgramLimitExceeded, "a literal of an array of several dimensions has more than %d elements", mostWritten)
		case long:
			return readArray(items, to), err
		}
		return listed(parts, lengths, to), err
	}
	text, err := input(s, to, in)
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

// mostWritten is how many elements of a literal are written out: the engine plans each of
// them, and takes a second for some 70,000.
const mostWritten = 10_000

// readArray is an array of one dimension as a text that the engine reads while it runs.
func readArray(items []*string, to typ) string {
	texts := make([]string, len(items))
	for i, item := range items {
		if texts[i] = "NULL"; item != nil {
			texts[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(*item) + `"`
		}
	}
	return fromText(literal("{"+strings.Join(texts, ",")+"}"), to)
}

// listed is the list of elements, or of lists of them, that are an array of a type with
// these lengths.
func listed(elements []string, lengths []int, to typ) string {
	for i := len(lengths) - 1; i > 0; i-- {
		var rows []string
		for row := range slices.Chunk(elements, lengths[i]) {
			rows = append(rows, "["+strings.Join(row, ", ")+"]")
		}
		elements = rows
	}
	to.dim = max(len(lengths)-1, 0)
	return "CAST([" + strings.Join(elements, ", ") + "] AS " + to.duck() + ")"
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

// cutInterval prints an interval with the fields of a type modifier only
// (AdjustIntervalForTypmod).
func cutInterval(sql string, mod int32) string {
	fields, round := intervalFields(mod)
	_, months, micros := lastField(fields)
	if months == 1 && micros == 1 && round == 1 {
		return sql
	}
	days := 1
	if fields&(fieldYear|fieldMonth) != 0 && fields&(fieldDay|fieldHour|fieldMinute|fieldSecond) == 0 {
		days = 0
	}
	return fmt.Sprintf("%s(%s, %d, %d, %d, %d)", macro("interval_cut"), sql, months, days, micros, round)
}
