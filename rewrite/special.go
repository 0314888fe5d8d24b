package rewrite

import (
	"encoding/json"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// special resolves the functions whose SQL hangs on literal arguments or on the
// types of all of them. ok is false to go on with the table.
func (b *binder) special(name string, n *pg.FuncCall, l *level) (e expr, ok bool) {
	switch name {
	case "_pg_expandarray":
		return b.expandArrayCall(n, l), true
	case "percentile_cont", "percentile_disc", "mode":
		return b.withinGroup(name, n, l), true
	case "rank", "dense_rank", "percent_rank", "cume_dist":
		if n.AggWithinGroup {
			return b.hypothetical(name, n, l), true
		}
	case "to_char", "generate_series":
		b.ambiguous(name, n)
	case "string_agg":
		return b.joinedText(n, l)
	case "make_interval":
		return b.makeInterval(n, l), true
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
			return b.typeOfValue(n, l), true
		}
	case "count":
		if len(n.Args) == 1 && n.Over == nil {
			return b.countRow(n, l)
		}
	case "extract", "date_part", "date_trunc":
		b.checkField(name, n, l)
		return b.timeField(name, n, l)
	case "format", "concat", "concat_ws":
		return b.textOfAll(name, n, l)
	}
	return expr{}, false
}

// ageToToday is age(x): from x to midnight of the current day, and of an xid the
// commits since.
func (b *binder) ageToToday(n *pg.FuncCall, l *level) (expr, bool) {
	x := b.expr(n.Args[0], l)
	if x.t.oid == xidOID { // how many commits ago; what is below 3 is no transaction that anybody began
		head := b.sessionValue("ontosql.head", nil, int8OID)
		sql := "CASE WHEN " + x.sql + " < 3 THEN 2147483647 ELSE CAST(greatest(" + head.sql + " - " + x.sql + ", 0) AS INTEGER) END"
		return expr{sql: sql, t: t(int4OID), agg: x.agg, loc: n.Location}, true
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
	if r == nil || len(r.fields) == 0 || r.scalar {
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
		key, _ := json.Marshal(name)
		parts = append(parts, literal(string(key)+":")+" || "+jsonText(f))
	}
	if len(parts) == 0 {
		return "CAST('{}' AS JSON)"
	}
	return "CAST('{' || " + strings.Join(parts, " || ',' || ") + " || '}' AS JSON)"
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
	s := signature{name: name, agg: true, ret: ty, template: "list({1})", wrap: macro("json_of_list") + `({agg}, ', ' || chr(10) || ' ')`}
	return b.aggregate(n, s, []expr{{sql: rowJSON(e), t: t(jsonOID)}}, l, mark), true
}
