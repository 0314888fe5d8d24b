package coercion

import (
	"fmt"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/types"
)

// literal writes an untyped string literal as a value of a type, and refuses
// what PostgreSQL refuses while it analyses.
func (b *Coercer) literal(s string, to types.Type, loc int32) string {
	switch to.OID {
	case types.Date, types.Time, types.TimeTZ, types.Timestamp, types.TimestampTZ:
		if b.FixedTimes {
			b.checkFixedTime(s, to, loc)
		}
		if sql := b.movingTime(s, to); sql != "" {
			return sql
		}
	}
	if elem, ok := to.Elem(); ok && (elem.OID == types.Date || elem.OID == types.Timestamp || elem.OID == types.TimestampTZ) {
		if items, lengths, err := input.Array(s); err == nil && len(items) > 0 && len(items) <= casts.MaxLiteralElements { // any of which may move
			parts := make([]string, len(items))
			for i, item := range items {
				if parts[i] = "NULL"; item != nil {
					parts[i] = b.literal(*item, elem, loc)
				}
			}
			return casts.ArrayConstructor(parts, lengths, to)
		}
	}
	if types.IsReg(to.OID) {
		return casts.RegByName(enginesql.Literal(s), to, b.Stmt.Tree.Position(loc))
	}
	sql, err := casts.Literal(s, to, b.timeInput())
	of := to
	if elem, ok := to.Elem(); ok {
		of = elem
	}
	switch {
	case err == nil:
		return sql
	case of.OID == types.Numeric && to.Typmod >= 0 && err.Code == pgerr.NumericValueOutOfRange: // it is fitted when it is read
		loc = -1
	}
	b.Fail(err, loc)
	return ""
}

// timeInput is how the session reads the literals of dates, times and intervals.
func (b *Coercer) timeInput() datetime.TimeInput {
	return datetime.TimeInput{Order: b.Env.DateOrder(), SQLIntervals: b.Env.Setting("IntervalStyle") == "sql_standard"}
}

// checkFixedTime refuses a literal that is another time at another moment, in another time zone
// or with another DateStyle. PostgreSQL keeps the time that it is when it is analysed, and here
// the text is read again.
func (b *Coercer) checkFixedTime(s string, to types.Type, loc int32) {
	name := types.ByOID[to.OID].Name
	text, err := datetime.ReadTimeText(s, name, b.Env.DateOrder())
	if err != nil {
		return // casts.Literal reports it
	}
	_, zoned := text.Offset()
	read := map[string]bool{}
	for _, order := range []datetime.DateOrder{datetime.MonthFirst, datetime.DayFirst, datetime.YearFirst} {
		one, err := datetime.ReadTime(s, name, datetime.TimeInput{Order: order})
		read[one] = err == nil
	}
	here := !zoned && (to.OID == types.TimestampTZ || to.OID == types.TimeTZ) && !read["infinity"] && !read["-infinity"]
	if text.Moves() || here || len(read) > 1 {
		b.Fail(pgerr.Unsupported("%s is not supported here: it is not the same time in every session", enginesql.Literal(s)).
			WithHint("Write the date as YYYY-MM-DD, and the time zone of a timestamp with time zone."), loc)
	}
}

// movingTime reads a text whose moment moves: now, or a day that is counted from today's.
// It is "" for others.
func (b *Coercer) movingTime(s string, to types.Type) string {
	text, err := datetime.ReadTimeText(s, types.ByOID[to.OID].Name, b.Env.DateOrder())
	if err != nil || !text.Moves() {
		return ""
	}
	now := enginesql.SessionPlaceholder("now", nil, types.TimestampTZ)
	if text.Now {
		return casts.Convert(now, types.Of(types.TimestampTZ), to)
	}
	day := casts.Convert(now, types.Of(types.TimestampTZ), types.Of(types.Date))
	if text.Days != 0 {
		day = fmt.Sprintf("(%s + %d)", day, text.Days)
	}
	clock := text.Clock()
	if to.OID == types.Date || clock == 0 && to.OID == types.Timestamp {
		return casts.Convert(day, types.Of(types.Date), to)
	}
	east, zoned := text.Offset()
	if zoned = zoned && to.OID == types.TimestampTZ; zoned {
		clock -= int64(east) * 1_000_000
	}
	zone := "UTC"
	if name := text.Zone(); zoned && name != "" { // whose offset depends on the day
		zone, clock = name, text.Clock()
	}
	at := fmt.Sprintf("(CAST(%s AS TIMESTAMP) + to_microseconds(%d))", day, clock)
	if zoned {
		return casts.ApplyTypmod("timezone("+enginesql.Literal(zone)+", "+at+")", to)
	}
	return casts.Convert(at, types.Of(types.Timestamp), to)
}
