package rewrite

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// special resolves the functions whose SQL hangs on literal arguments or on the
// types of all of them. ok is false to go on with the table.
func (b *binder) special(name string, n *pg.FuncCall, l *level) (e expr, ok bool) {
	switch name {
	case "to_char":
		return b.toChar(n, l), true
	case "_pg_expandarray":
		return b.expandArrayCall(n, l), true
	case "to_date", "to_timestamp":
		if len(n.Args) == 2 {
			return b.fromPattern(name, n, l), true
		}
	case "percentile_cont", "percentile_disc", "mode":
		return b.withinGroup(name, n, l), true
	case "row_to_json", "to_json", "to_jsonb":
		return b.rowToJSON(name, n, l)
	case "json_agg", "jsonb_agg":
		return b.rowAggregate(name, n, l)
	case "age":
		if len(n.Args) == 1 {
			return b.ageToToday(n, l)
		}
	case "pg_typeof":
		if len(n.Args) == 1 {
			e := b.expr(n.Args[0], l)
			return expr{sql: literal(e.t.String()), t: t(textOID), loc: n.Location}, true
		}
	case "count":
		if len(n.Args) == 1 && n.Over == nil {
			return b.countRow(n, l)
		}
	case "extract", "date_part", "date_trunc":
		b.checkField(name, n)
	case "format":
		return b.format(n, l), true
	}
	return expr{}, false
}

// timeFields are the fields of extract, date_part and date_trunc that both
// PostgreSQL and the engine know.
var timeFields = map[string]bool{
	"century": true, "day": true, "days": true, "decade": true, "dow": true, "doy": true, "epoch": true, "hour": true, "hours": true,
	"isodow": true, "isoyear": true, "microsecond": true, "microseconds": true, "millennium": true, "millisecond": true, "milliseconds": true,
	"minute": true, "minutes": true, "month": true, "months": true, "quarter": true, "second": true, "seconds": true, "timezone": true,
	"timezone_hour": true, "timezone_minute": true, "week": true, "weeks": true, "year": true, "years": true, "julian": true,
}

func (b *binder) checkField(name string, n *pg.FuncCall) {
	if len(n.Args) == 0 {
		return
	}
	if name != "date_trunc" && len(n.Args) == 2 && n.Args[1].GetAConst().GetSval() != nil {
		b.fail(pgerr.New(pgerr.AmbiguousFunction, "function pg_catalog.%s(unknown, unknown) is not unique", name).
			WithHint("Could not choose a best candidate function. You might need to add explicit type casts."), n.Location)
	}
	if s := n.Args[0].GetAConst().GetSval(); s != nil && !timeFields[lower(s.Sval)] {
		b.fail(pgerr.New(pgerr.InvalidParameterValue, "unit %q not recognized for type timestamp with time zone", s.Sval), n.Location)
	}
}

// ageToToday is age(x): from x to midnight of the current day.
func (b *binder) ageToToday(n *pg.FuncCall, l *level) (expr, bool) {
	x := b.expr(n.Args[0], l)
	if x.t.oid == xidOID {
		return expr{}, false
	}
	ty := t(timestampOID)
	if x.t.oid != timestampOID {
		ty = t(timestamptzOID)
	}
	x = b.coerce(x, ty, implicitCast)
	today := castText(castText(b.sessionValue("now", nil, timestamptzOID).sql, t(timestamptzOID), t(dateOID)), t(dateOID), ty)
	return expr{sql: "age(" + today + ", " + x.sql + ")", t: t(intervalOID), agg: x.agg}, true
}

// makeInterval is make_interval(days => 3, ...).
func (b *binder) makeInterval(n *pg.FuncCall, l *level) expr {
	units := []string{"years", "months", "weeks", "days", "hours", "mins", "secs"}
	calls := map[string]string{
		"years": "to_years", "months": "to_months", "weeks": "to_weeks", "days": "to_days", "hours": "to_hours", "mins": "to_minutes", "secs": "to_seconds",
	}
	out := expr{t: t(intervalOID)}
	var parts []string
	for i, a := range n.Args {
		if i >= len(units) {
			b.noFunction("make_interval", b.args(n.Args, l), n.Location)
		}
		name := units[i]
		if x := a.GetNamedArgExpr(); x != nil {
			name, a = x.Name, x.Arg
		}
		ty := t(int4OID)
		if name == "secs" {
			ty = t(float8OID)
		}
		if calls[name] == "" {
			b.noFunction("make_interval", nil, n.Location)
		}
		e := b.coerce(b.expr(a, l), ty, implicitCast)
		out.agg = out.agg || e.agg
		parts = append(parts, calls[name]+"("+e.sql+")")
	}
	if len(parts) == 0 {
		parts = []string{"to_days(0)"}
	}
	out.sql = "(" + strings.Join(parts, " + ") + ")"
	return out
}

// countRow is count(c) of a whole row: every row counts.
func (b *binder) countRow(n *pg.FuncCall, l *level) (expr, bool) {
	c := n.Args[0].GetColumnRef()
	if c == nil || n.AggDistinct {
		return expr{}, false
	}
	names := strs(c.Fields)
	if c.Fields[len(c.Fields)-1].GetAStar() != nil && len(names) == 2 { // count(c.*)
		names = names[:1]
	}
	if len(names) != 1 {
		return expr{}, false
	}
	if f, _ := l.named(b, names[0], c.Location); f != nil {
		return expr{}, false
	}
	r, at := l.relation("", names[0])
	if r == nil || len(r.fields) == 0 {
		return expr{}, false
	}
	mark := len(b.uses)
	b.enterAggregate(n, l)
	s := signature{name: "count", agg: true, ret: int8OID, template: "count({1})"}
	var fields []expr
	for _, f := range r.fields {
		fields = append(fields, b.fieldExpr(f, c.Location, at))
	}
	// The row of an outer join that found nothing is NULL as a whole.
	probe := expr{sql: "CASE WHEN coalesce(" + allText(fields) + ") IS NOT NULL THEN 1 END", t: t(int4OID)}
	if len(l.ns.rels) == 1 {
		probe.sql = "1"
	}
	return b.aggregate(n, s, []expr{probe}, l, mark), true
}

func allText(fields []expr) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = "CAST(" + f.sql + " AS VARCHAR)"
	}
	return strings.Join(parts, ", ")
}

// withinGroup is an ordered-set aggregate.
func (b *binder) withinGroup(name string, n *pg.FuncCall, l *level) expr {
	if !n.AggWithinGroup || len(n.AggOrder) != 1 {
		b.noFunction(name, b.args(n.Args, l), n.Location)
	}
	b.enterAggregate(n, l)
	mark := len(b.uses)
	inner := *l
	inner.inAgg, inner.group = true, nil
	by := n.AggOrder[0].GetSortBy()
	x := b.known(b.expr(by.Node, &inner))
	ty := x.t
	var call string
	switch name {
	case "mode":
		call = "mode(" + x.sql + ")"
	default:
		if name == "percentile_cont" && ty.oid != intervalOID {
			x = b.coerce(x, t(float8OID), implicitCast)
			ty = t(float8OID)
		}
		if len(n.Args) != 1 {
			b.noFunction(name, b.args(n.Args, l), n.Location)
		}
		p := b.expr(n.Args[0], &inner)
		p = b.coerce(p, t(float8OID), implicitCast)
		fn := map[string]string{"percentile_cont": "quantile_cont", "percentile_disc": "quantile_disc"}[name]
		call = fn + "(" + x.sql + ", " + p.sql
		if by.SortbyDir == pg.SortByDir_SORTBY_DESC {
			call = fn + "(" + x.sql + ", 1 - " + p.sql
		}
		call += ")"
	}
	if n.AggFilter != nil {
		call += " FILTER (WHERE " + b.condition(n.AggFilter, &inner, "FILTER").sql + ")"
	}
	b.forget(mark, l)
	l.hasAgg = true
	return expr{sql: call, t: ty, agg: true, loc: n.Location}
}

// rowToJSON is row_to_json(t), and to_json of a whole row.
func (b *binder) rowToJSON(name string, n *pg.FuncCall, l *level) (expr, bool) {
	if len(n.Args) < 1 {
		return expr{}, false
	}
	e := b.expr(n.Args[0], l)
	if e.row == nil {
		if name == "row_to_json" {
			b.noFunction(name, []expr{e}, n.Location)
		}
		return expr{}, false
	}
	ty := t(jsonOID)
	if name == "to_jsonb" {
		ty = t(jsonbOID)
	}
	return expr{sql: rowJSON(e), t: ty, agg: e.agg, loc: n.Location}, true
}

// rowJSON writes a row as a JSON object, by field names or f1, f2, ...
func rowJSON(e expr) string {
	var parts []string
	for i, f := range e.row {
		name := "f" + strconv.Itoa(i+1)
		if f.field != nil {
			name = f.field.name
		}
		parts = append(parts, literal(name), f.sql)
	}
	return "json_object(" + strings.Join(parts, ", ") + ")"
}

// rowAggregate is json_agg(t) of whole rows.
func (b *binder) rowAggregate(name string, n *pg.FuncCall, l *level) (expr, bool) {
	if len(n.Args) != 1 {
		return expr{}, false
	}
	mark := len(b.uses)
	inner := *l
	inner.inAgg, inner.group = true, nil
	e := b.expr(n.Args[0], &inner)
	if e.row == nil {
		return expr{}, false
	}
	b.enterAggregate(n, l)
	ty := uint32(jsonOID)
	if name == "jsonb_agg" {
		ty = jsonbOID
	}
	s := signature{name: name, agg: true, ret: ty, template: "list({1})", wrap: "to_json({agg})"}
	return b.aggregate(n, s, []expr{{sql: rowJSON(e), t: t(jsonOID)}}, l, mark), true
}

// format is format(pattern, ...) with %s, %I and %L only.
func (b *binder) format(n *pg.FuncCall, l *level) expr {
	if len(n.Args) == 0 || n.Args[0].GetAConst().GetSval() == nil {
		b.unsupported(n.Location, "format is supported with a literal pattern only")
	}
	pattern := n.Args[0].GetAConst().GetSval().Sval
	out := expr{t: t(textOID), loc: n.Location}
	var parts []string
	next := 1
	for pattern != "" {
		i := strings.IndexByte(pattern, '%')
		if i < 0 {
			i = len(pattern)
		}
		if i > 0 {
			parts = append(parts, literal(pattern[:i]))
		}
		if pattern = pattern[i:]; pattern == "" {
			break
		}
		if len(pattern) < 2 {
			b.fail(pgerr.New(pgerr.InvalidParameterValue, "unterminated format() type specifier"), n.Location)
		}
		verb := pattern[1]
		pattern = pattern[2:]
		if verb == '%' {
			parts = append(parts, literal("%"))
			continue
		}
		if next >= len(n.Args) {
			b.fail(pgerr.New(pgerr.InvalidParameterValue, "too few arguments for format()"), n.Location)
		}
		e := b.known(b.expr(n.Args[next], l))
		next++
		out.agg = out.agg || e.agg
		text := outputOf(e.sql, e.t)
		switch verb {
		case 's':
			parts = append(parts, "coalesce("+text+", '')")
		case 'I':
			parts = append(parts, macro("quote_ident")+"("+text+")")
		case 'L':
			parts = append(parts, "coalesce("+macro("quote_literal")+"("+text+"), 'NULL')")
		default:
			b.unsupported(n.Location, "format() with %%%c is not supported", verb)
		}
	}
	if len(parts) == 0 {
		parts = []string{"''"}
	}
	out.sql = "(" + strings.Join(parts, " || ") + ")"
	return out
}
