package expression

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// timeFieldNamed is the name of a field that the engine knows for what PostgreSQL reads as
// one, of which it looks at ten letters (8.5.4 of its manual has the units).
func timeFieldNamed(name string) string {
	name = strings.ToLower(name)
	switch unit := datetime.IntervalUnit(name); {
	case unit != "":
		return unit
	case name == "qtr":
		return "quarter"
	case name == "j", name == "jd":
		return "julian"
	case strings.HasPrefix(name, "timezone_h"):
		return "timezone_hour"
	case strings.HasPrefix(name, "timezone_m"):
		return "timezone_minute"
	}
	return name
}

// timeFields are the fields of extract, date_part and date_trunc that both
// PostgreSQL and the engine know.
var timeFields = map[string]bool{
	"century": true, "day": true, "decade": true, "dow": true, "doy": true, "epoch": true, "hour": true, "isodow": true, "isoyear": true,
	"julian": true, "microsecond": true, "millennium": true, "millisecond": true, "minute": true, "month": true, "quarter": true,
	"second": true, "timezone": true, "timezone_hour": true, "timezone_minute": true, "week": true, "year": true,
}

// clockFields are those of a time of day: a date has none of them, and a time no
// other, but the epoch.
var clockFields = []string{"hour", "minute", "second", "millisecond", "microsecond"}

// partsOnly are no units that a moment can be cut to.
var partsOnly = []string{"dow", "isodow", "doy", "isoyear", "julian", "epoch"}

// calendarFields are those that an interval has not.
var calendarFields = []string{"dow", "isodow", "doy", "isoyear", "julian", "timezone", "timezone_hour", "timezone_minute"}

func (b *Binder) checkField(name string, n *pg.FuncCall, l *scope.Level) {
	if len(n.Args) < 2 {
		return
	}
	s := n.Args[0].GetAConst().GetSval()
	if s == nil {
		return
	}
	mark := len(b.ColumnUses)
	of := b.Expr(n.Args[1], l)
	b.ColumnUses = b.ColumnUses[:mark]
	if len(n.Args) == 2 { // in a zone it is a timestamptz that is cut
		b.refuseAmbiguousCall(name, []scope.Expr{b.Expr(n.Args[0], l), of}, n)
	}
	ty := of.Type
	if name == "date_trunc" && ty.OID == types.Date {
		ty = types.Of(types.TimestampTZ)
	}
	field := timeFieldNamed(s.Sval)
	switch {
	case !timeFields[field], name == "date_trunc" && slices.Contains(partsOnly, field):
		b.Fail(pgerr.New(pgerr.InvalidParameterValue, "unit \"%s\" not recognized for type %s", strings.ToLower(s.Sval), ty), -1)
	case name == "date_trunc" && strings.HasPrefix(field, "timezone"),
		name == "extract" && ty.OID == types.Date && (slices.Contains(clockFields, field) || strings.HasPrefix(field, "timezone")),
		ty.OID == types.Time && name != "date_trunc" && field != "epoch" && !slices.Contains(clockFields, field),
		ty.OID == types.TimeTZ && name != "date_trunc" && field != "epoch" && !slices.Contains(clockFields, field) && !strings.HasPrefix(field, "timezone"),
		ty.OID == types.Interval && name != "date_trunc" && slices.Contains(calendarFields, field):
		b.Fail(pgerr.New(pgerr.FeatureNotSupported, "unit \"%s\" not supported for type %s", strings.ToLower(s.Sval), ty), -1)
	}
}

// eraFields are numbers of years and decades. The engine counts the year before the first
// as 0, and decades towards that.
var eraFields = []string{"year", "isoyear", "decade"}

// yearSpan is a number of years of which one begins with the year first.
type yearSpan struct{ first, years int }

// manyYears are the fields that date_trunc cuts years to. The engine cuts them towards
// the year 0.
var manyYears = map[string]yearSpan{"decade": {0, 10}, "century": {1, 100}, "millennium": {1, 1000}}

// timeField is extract, date_part and date_trunc of the fields for which the engine's type
// or answer is another. ok is false to go on with the table.
func (b *Binder) timeField(name string, n *pg.FuncCall, l *scope.Level) (scope.Expr, bool) {
	if len(n.Args) != 2 {
		return scope.Expr{}, false
	}
	s := n.Args[0].GetAConst().GetSval()
	if s == nil {
		return scope.Expr{}, false
	}
	field := timeFieldNamed(s.Sval)
	of := slices.Contains(eraFields, field)
	if name == "date_trunc" && manyYears[field] == (yearSpan{}) {
		return b.truncated(n, l)
	}
	if name == "date_part" && !of {
		return scope.Expr{}, false
	}
	mark := len(b.ColumnUses)
	sig, args, ok := b.ResolveOverload(functions.ByName[name], b.Args(n.Args, l))
	if !ok {
		b.ColumnUses = b.ColumnUses[:mark]
		return scope.Expr{}, false
	}
	x := args[1]
	out := scope.Expr{Type: types.Of(sig.Result), HasAggs: x.HasAggs, ReturnsSet: x.ReturnsSet, List: x.List, Location: n.Location}
	// With a zone, the engine counts years BC from 1 on, like years AD.
	local := x.SQL
	if x.Type.OID == types.TimestampTZ && (of || name == "date_trunc") {
		local = "CAST(" + local + " AS TIMESTAMP)"
	}
	part := func(field string) string {
		if x.Type.OID == types.TimeTZ {
			return "(ontosql_timetz_field('" + field + "', " + x.SQL + ") // 1000000)"
		}
		return "date_part('" + field + "', " + local + ")"
	}
	of = of && x.Type.OID != types.Interval
	era := enginesql.Macro("in_era") + "(" + part(field) + ")"
	if field == "decade" {
		era = "floor(" + part("year") + " / 10.0)"
	}
	switch {
	case name == "date_part" && of:
		out.SQL = enginesql.Macro("endless") + "(" + x.SQL + ", CAST(" + era + " AS DOUBLE))"
	case name == "date_part", name == "date_trunc" && x.Type.OID == types.Interval:
		return scope.Expr{}, false
	case name == "date_trunc":
		span := manyYears[field]
		behind := fmt.Sprintf("((%s - %d) %% %[3]d + %[3]d) %% %[3]d", part("year"), span.first, span.years)
		out.SQL = "CAST(date_trunc('year', " + local + ") - coalesce(to_years(CAST(" + behind + " AS INTEGER)), INTERVAL 0 YEAR) AS " + out.Type.EngineType() + ")"
	case field == "second":
		out.SQL = "(CAST(" + part("microseconds") + " AS DECIMAL(18,0)) * 0.000001)"
	case field == "millisecond":
		out.SQL = "(CAST(" + part("microseconds") + " AS DECIMAL(18,0)) * 0.001)"
	case (field == "epoch" || field == "julian") && x.Type.OID != types.Date:
		return scope.Expr{}, false
	case of:
		out.SQL = "CAST(" + era + " AS DECIMAL(18,0))"
	default:
		out.SQL = "CAST(" + part(field) + " AS DECIMAL(18,0))"
	}
	if name == "extract" {
		out.Printed = extracted(field, x, out)
	}
	return out, true
}

// truncated is date_trunc of a timestamp, with or without a zone. ok is false for other types.
func (b *Binder) truncated(n *pg.FuncCall, l *scope.Level) (e scope.Expr, ok bool) {
	mark := len(b.ColumnUses)
	sig, args, ok := b.ResolveOverload(functions.ByName["date_trunc"], b.Args(n.Args, l))
	if !ok || args[1].Type.OID == types.Interval {
		b.ColumnUses = b.ColumnUses[:mark]
		return scope.Expr{}, false
	}
	x := args[1]
	e = scope.Expr{SQL: CallText(&sig, args), Type: coercion.ResultType(&sig, args), HasAggs: coercion.AnyHasAggs(args), ReturnsSet: coercion.AnyReturnsSet(args), Location: n.Location}
	e.List = listOf(e.SQL, args)
	if l.Clause == "WHERE" {
		e.Truncated = &scope.Truncated{SQL: e.SQL, Plain: enginesql.Macro("date_trunc") + "(" + args[0].SQL + ", " + x.SQL + ")", Of: x.SQL}
	}
	return e, true
}

// asRange is an operand that is compared with another one: date_trunc compared with a constant
// is in the form that the engine compares as a range, if the constant is finite.
func asRange(e, with scope.Expr) scope.Expr {
	t := e.Truncated
	if t == nil || e.SQL != t.SQL || with.Type.OID != e.Type.OID || strings.Contains(with.SQL, `"`) { // it has columns
		return e
	}
	e.SQL = "CASE WHEN isfinite(" + with.SQL + ") THEN " + t.Plain + " ELSE " + t.Of + " END"
	return e
}

// endlessFields are the fields that grow with the time. Those of infinity are infinite, the
// others are NULL.
var endlessFields = []string{"epoch", "year", "isoyear", "decade", "century", "millennium", "julian"}

// extracted is the text of a field that extract takes of x, where that may be infinite: the
// engine's numeric cannot be. It is "" for other fields.
func extracted(field string, x, value scope.Expr) string {
	if !slices.Contains(endlessFields, field) || !slices.Contains([]uint32{types.Date, types.Timestamp, types.TimestampTZ}, x.Type.OID) {
		return ""
	}
	text := "CAST(" + value.SQL + " AS VARCHAR)" // of a whole number
	if (field == "epoch" || field == "julian") && x.Type.OID != types.Date {
		text = value.Text()
	}
	return enginesql.Macro("endless_text") + "(" + x.SQL + ", " + text + ")"
}

// typeOfValue is pg_typeof(x). Its argument is not computed, but an aggregate in it
// makes one row of all.
func (b *Binder) typeOfValue(n *pg.FuncCall, l *scope.Level) scope.Expr {
	e := b.Expr(n.Args[0], l)
	out := scope.Expr{SQL: "CAST(" + strconv.Itoa(int(e.Type.OID)) + " AS UINTEGER)", TypeName: enginesql.Literal(types.Of(e.Type.OID).String()), Type: types.Of(types.Regtype), HasAggs: e.HasAggs, Location: n.Location}
	if e.HasAggs {
		out.SQL = "coalesce(max(" + out.SQL + "), " + out.SQL + ")"
		out.TypeName = "coalesce(max(" + out.TypeName + "), " + out.TypeName + ")"
	}
	return out
}
