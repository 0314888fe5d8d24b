package casts

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Literal writes a value in PostgreSQL's text form for the engine.
func Literal(s string, to types.Type, in datetime.TimeInput) (string, *pgerr.Error) {
	switch to.OID {
	case types.Unknown, types.Text, types.Char, types.Name, types.Varchar, types.BPChar:
		return ApplyTypmod(enginesql.Literal(s), to), nil
	case types.Int2Vector, types.OIDVector:
		return Convert(enginesql.Literal(s), types.Of(types.Text), to), nil
	}
	if types.IsReg(to.OID) {
		return Convert(enginesql.Literal(s), types.Of(types.Text), to), nil
	}
	if elem, ok := to.Elem(); ok {
		items, lengths, err := input.Array(s)
		parts := make([]string, len(items))
		for i, it := range items {
			parts[i] = "NULL"
			if it != nil && err == nil {
				parts[i], err = Literal(*it, elem, in)
			}
		}
		switch long := len(items) > MaxLiteralElements; {
		case long && len(lengths) > 1 && err == nil:
			err = pgerr.New(pgerr.ProgramLimitExceeded, "a literal of an array of several dimensions has more than %d elements", MaxLiteralElements)
		case long:
			return arrayFromText(items, to), err
		}
		return ArrayConstructor(parts, lengths, to), err
	}
	text, err := input.Canonical(s, to, in)
	switch {
	case err != nil:
		return "", err
	case to.OID == types.Bool:
		return text, nil
	case to.OID == types.TimeTZ:
		return ApplyTypmod(input.TimeTZInSessionZone(enginesql.Literal(text)), to), nil
	case types.IsInteger(to.OID):
		return "CAST(" + text + " AS " + to.EngineType() + ")", nil
	case to.OID == types.Bytea:
		return "unhex(" + enginesql.Literal(text[2:]) + ")", nil
	}
	return ApplyTypmod("CAST("+enginesql.Literal(text)+" AS "+to.EngineType()+")", to), nil
}

// MaxLiteralElements is how many elements of a literal are written out: the engine plans each of
// them, and takes a second for some 70,000.
const MaxLiteralElements = 10_000

// arrayFromText is an array of one dimension as a text that the engine reads while it runs.
func arrayFromText(items []*string, to types.Type) string {
	texts := make([]string, len(items))
	for i, item := range items {
		if texts[i] = "NULL"; item != nil {
			texts[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(*item) + `"`
		}
	}
	return FromText(enginesql.Literal("{"+strings.Join(texts, ",")+"}"), to)
}

// ArrayConstructor is the list of elements, or of lists of them, that are an array of a type with
// these lengths.
func ArrayConstructor(elements []string, lengths []int, to types.Type) string {
	for i := len(lengths) - 1; i > 0; i-- {
		var rows []string
		for row := range slices.Chunk(elements, lengths[i]) {
			rows = append(rows, "["+strings.Join(row, ", ")+"]")
		}
		elements = rows
	}
	to.ExtraDims = max(len(lengths)-1, 0)
	return "CAST([" + strings.Join(elements, ", ") + "] AS " + to.EngineType() + ")"
}

// TextArrayLiteral is an array of texts with these lengths, of which nil is NULL.
func TextArrayLiteral(items []*string, lengths []int) string {
	to := types.TextArray(0)
	if len(items) > MaxLiteralElements && len(lengths) <= 1 {
		return arrayFromText(items, to)
	}
	parts := make([]string, len(items))
	for i, item := range items {
		if parts[i] = "NULL"; item != nil {
			parts[i] = enginesql.Literal(*item)
		}
	}
	return ArrayConstructor(parts, lengths, to)
}

// ApplyTypmod applies the length of a varchar(n), char(n), bit(n), name or "char" and the
// precision of a timestamp.
func ApplyTypmod(sql string, to types.Type) string {
	switch {
	case to.OID == types.Varchar && to.Typmod >= 4:
		return fmt.Sprintf("left(%s, %d)", sql, to.Typmod-4)
	case to.OID == types.BPChar && to.Typmod >= 4:
		return fmt.Sprintf("rpad(%s, %d, ' ')", sql, to.Typmod-4)
	case types.IsBits(to.OID) && to.Typmod > 0:
		return fmt.Sprintf("ontosql_%s_sized(%s, %d, 1)", types.ByOID[to.OID].Name, sql, to.Typmod)
	case to.OID == types.Char:
		return enginesql.Macro("char_in") + "(" + sql + ")"
	case to.OID == types.Name:
		return "left(" + sql + ", 63)"
	case (to.OID == types.Timestamp || to.OID == types.TimestampTZ) && to.Typmod >= 0 && to.Typmod < 6:
		return fmt.Sprintf("%s(%s, %.0f)", enginesql.Macro("moment_rounded"), sql, math.Pow10(6-int(to.Typmod)))
	case to.OID == types.Time && to.Typmod >= 0 && to.Typmod < 6:
		return fmt.Sprintf("%s(%s, %.0f)", enginesql.Macro("clock_rounded"), sql, math.Pow10(6-int(to.Typmod)))
	case to.OID == types.TimeTZ && to.Typmod >= 0 && to.Typmod < 6:
		return fmt.Sprintf("%s(%s, %.0f)", enginesql.Macro("timetz_rounded"), sql, math.Pow10(6-int(to.Typmod)))
	case to.OID == types.Interval && to.Typmod >= 0:
		return ApplyIntervalTypmod(sql, to.Typmod)
	}
	return sql
}

// ApplyIntervalTypmod prints an interval with the fields of a type modifier only
// (AdjustIntervalForTypmod).
func ApplyIntervalTypmod(sql string, mod int32) string {
	fields, round := types.IntervalFields(mod)
	_, months, micros := types.LastIntervalField(fields)
	if months == 1 && micros == 1 && round == 1 {
		return sql
	}
	days := 1
	if fields&(types.IntervalYear|types.IntervalMonth) != 0 && fields&(types.IntervalDay|types.IntervalHour|types.IntervalMinute|types.IntervalSecond) == 0 {
		days = 0
	}
	return fmt.Sprintf("%s(%s, %d, %d, %d, %d)", enginesql.Macro("interval_cut"), sql, months, days, micros, round)
}
