package expression

import (
	"slices"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/jsontext"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// specialCall resolves the functions whose SQL depends on literal arguments or on the types of
// all arguments. ok is false for other functions.
func (b *Binder) specialCall(name string, n *pg.FuncCall, l *scope.Level) (e scope.Expr, ok bool) {
	if e, ok = b.variadicCall(name, n, l); ok {
		return e, true
	}
	switch name {
	case "_pg_expandarray":
		return b.expandArrayCall(n, l), true
	case "_pg_truetypid", "_pg_truetypmod":
		return b.trueType(name, n, l)
	case "percentile_cont", "percentile_disc", "mode":
		return b.withinGroup(name, n, l), true
	case "rank", "dense_rank", "percent_rank", "cume_dist":
		if n.AggWithinGroup {
			return b.hypothetical(name, n, l), true
		}
	case "string_agg":
		return b.joinedText(n, l)
	case "make_interval":
		return b.makeInterval(n, l), true
	case "row_to_json", "to_json", "to_jsonb":
		return b.rowToJSON(name, n, l)
	case "array_to_json":
		return b.arrayToJSON(n, l)
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
	case "pg_collation_for":
		if len(n.Args) == 1 {
			return b.collationFor(n, l), true
		}
	case "num_nulls", "num_nonnulls":
		return b.nullCount(name, n, l)
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
	return scope.Expr{}, false
}

// trueType is information_schema's _pg_truetypid and _pg_truetypmod of a row of
// pg_attribute and its row of pg_type: the type below a domain.
func (b *Binder) trueType(name string, n *pg.FuncCall, l *scope.Level) (e scope.Expr, ok bool) {
	if len(n.Args) != 2 || n.Args[0].GetColumnRef() == nil || n.Args[1].GetColumnRef() == nil {
		return e, false
	}
	column := func(row int, name string) *pg.Node {
		of := n.Args[row].GetColumnRef()
		fields := slices.DeleteFunc(slices.Clone(of.Fields), func(f *pg.Node) bool { return f.GetAStar() != nil })
		return pg.MakeColumnRefNode(append(fields, pg.MakeStrNode(name)), of.Location)
	}
	declared, base := column(0, "atttypid"), column(1, "typbasetype")
	if name == "_pg_truetypmod" {
		declared, base = column(0, "atttypmod"), column(1, "typtypmod")
	}
	isDomain := pg.MakeAExprNode(pg.A_Expr_Kind_AEXPR_OP, []*pg.Node{pg.MakeStrNode("=")}, column(1, "typtype"), pg.MakeAConstStrNode("d", n.Location), n.Location)
	return b.Expr(&pg.Node{Node: &pg.Node_CaseExpr{CaseExpr: &pg.CaseExpr{
		Args:      []*pg.Node{pg.MakeCaseWhenNode(isDomain, base, n.Location)},
		Defresult: declared, Location: n.Location,
	}}}, l), true
}

// ageToToday is age(x): from x to midnight of the current day, and of an xid the
// commits since.
func (b *Binder) ageToToday(n *pg.FuncCall, l *scope.Level) (scope.Expr, bool) {
	x := b.Expr(n.Args[0], l)
	b.refuseAmbiguousCall("age", []scope.Expr{x}, n)
	if x.Type.OID == types.XID { // the number of commits since then; ids below 3 are no ordinary transactions
		head := b.sessionValue("ontosql.head", nil, types.Int8)
		sql := "CASE WHEN " + x.SQL + " < 3 THEN 2147483647 ELSE CAST(greatest(" + head.SQL + " - " + x.SQL + ", 0) AS INTEGER) END"
		return scope.Expr{SQL: sql, Type: types.Of(types.Int4), HasAggs: x.HasAggs, Location: n.Location}, true
	}
	ty := types.Of(types.Timestamp)
	if x.Type.OID != types.Timestamp {
		ty = types.Of(types.TimestampTZ)
	}
	x = b.Coerce(x, ty, types.ImplicitCast)
	today := casts.Convert(casts.Convert(b.sessionValue("now", nil, types.TimestampTZ).SQL, types.Of(types.TimestampTZ), types.Of(types.Date)), types.Of(types.Date), ty)
	return scope.Expr{SQL: "age(" + today + ", " + x.SQL + ")", Type: types.Of(types.Interval), HasAggs: x.HasAggs}, true
}

// makeInterval is make_interval(days => 3, ...).
func (b *Binder) makeInterval(n *pg.FuncCall, l *scope.Level) scope.Expr {
	units := []string{"years", "months", "weeks", "days", "hours", "mins", "secs"}
	calls := map[string]string{
		"years": "to_years", "months": "to_months", "weeks": "to_weeks", "days": "to_days", "hours": "to_hours", "mins": "to_minutes", "secs": "to_seconds",
	}
	out := scope.Expr{Type: types.Of(types.Interval)}
	var parts []string
	for i, a := range n.Args {
		if i >= len(units) {
			b.UndefinedFunction("make_interval", b.Args(n.Args, l), n.Location)
		}
		name := units[i]
		if x := a.GetNamedArgExpr(); x != nil {
			name, a = x.Name, x.Arg
		}
		ty := types.Of(types.Int4)
		if name == "secs" {
			ty = types.Of(types.Float8)
		}
		if calls[name] == "" {
			b.noNamedFunction(n, l)
		}
		e := b.Expr(a, l)
		if !types.Implicit(e.Type.OID, ty.OID) {
			b.noNamedFunction(n, l)
		}
		e = b.Coerce(e, ty, types.ImplicitCast)
		out.HasAggs = out.HasAggs || e.HasAggs
		parts = append(parts, calls[name]+"("+e.SQL+")")
	}
	if len(parts) == 0 {
		parts = []string{"to_days(0)"}
	}
	out.SQL = "(" + strings.Join(parts, " + ") + ")"
	return out
}

// countRow is count(c) of a whole row: every row counts.
func (b *Binder) countRow(n *pg.FuncCall, l *scope.Level) (scope.Expr, bool) {
	c := n.Args[0].GetColumnRef()
	if c == nil || n.AggDistinct {
		return scope.Expr{}, false
	}
	names := syntax.Strings(c.Fields)
	if c.Fields[len(c.Fields)-1].GetAStar() != nil && len(names) == 2 { // count(c.*)
		names = names[:1]
	}
	if len(names) != 1 {
		return scope.Expr{}, false
	}
	if f, _ := l.FindColumn(b.State, names[0], c.Location); f != nil {
		return scope.Expr{}, false
	}
	r, at := l.FindRange("", names[0])
	if r == nil || len(r.Columns) == 0 || r.Scalar {
		return scope.Expr{}, false
	}
	mark := len(b.ColumnUses)
	b.enterAggregate(n, l)
	s := functions.Signature{Name: "count", Aggregate: true, Result: types.Int8, Template: "count({1})"}
	var fields []scope.Expr
	for _, f := range r.Columns {
		fields = append(fields, b.ColumnExpr(f, c.Location, at))
	}
	// The row of an outer join that found nothing is NULL as a whole.
	probe := scope.Expr{SQL: "CASE WHEN coalesce(" + allText(fields) + ") IS NOT NULL THEN 1 END", Type: types.Of(types.Int4)}
	if len(l.Namespace.Ranges) == 1 && !l.OuterAggregate { // in a subquery, count(1) would count its rows
		probe.SQL = "1"
	}
	return b.aggregate(n, s, []scope.Expr{probe}, l, mark), true
}

func allText(fields []scope.Expr) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = "CAST(" + f.SQL + " AS VARCHAR)"
	}
	return strings.Join(parts, ", ")
}

// rowToJSON is row_to_json(t), and to_json of a whole row.
func (b *Binder) rowToJSON(name string, n *pg.FuncCall, l *scope.Level) (scope.Expr, bool) {
	if len(n.Args) < 1 {
		return scope.Expr{}, false
	}
	e := b.Expr(n.Args[0], l)
	if e.Row == nil && (types.RowFields(e.Type) == nil || name != "row_to_json") {
		if name == "row_to_json" {
			b.UndefinedFunction(name, []scope.Expr{e}, n.Location)
		}
		return scope.Expr{}, false
	}
	if len(n.Args) > 2 || len(n.Args) > 1 && name != "row_to_json" {
		b.UndefinedFunction(name, b.Args(n.Args, l), n.Location)
	}
	ty := types.Of(types.JSON)
	if name == "to_jsonb" {
		ty = types.Of(types.JSONB)
	}
	sql := b.inLines(n, e, l, func(between string) string { return jsontext.AnyRow(e, ty.OID, between) })
	return scope.Expr{SQL: sql, Type: ty, HasAggs: e.HasAggs, Location: n.Location}, true
}

// inLines is row_to_json(x, lines) or array_to_json(x, lines): made is the document with
// the value of between between its members.
func (b *Binder) inLines(n *pg.FuncCall, x scope.Expr, l *scope.Level, made func(between string) string) string {
	const none, some = "','", "',' || " + onItsLine
	if len(n.Args) == 1 {
		return made(none)
	}
	lines := b.Expr(n.Args[1], l)
	if !types.Implicit(lines.Type.OID, types.Bool) {
		b.UndefinedFunction(n.Funcname[len(n.Funcname)-1].GetString_().Sval, []scope.Expr{x, lines}, n.Location)
	}
	switch lines = b.Coerce(lines, types.Of(types.Bool), types.ImplicitCast); lines.SQL {
	case "TRUE":
		return made(some)
	case "FALSE":
		return made(none)
	}
	return "CASE " + lines.SQL + " WHEN TRUE THEN " + made(some) + " WHEN FALSE THEN " + made(none) + " END"
}

// arrayToJSON is array_to_json(array, lines).
func (b *Binder) arrayToJSON(n *pg.FuncCall, l *scope.Level) (scope.Expr, bool) {
	if len(n.Args) != 2 {
		return scope.Expr{}, false
	}
	x := b.Expr(n.Args[0], l)
	elem, ok := x.Type.Item()
	if !ok {
		b.UndefinedFunction("array_to_json", b.Args(n.Args, l), n.Location)
	}
	sql := b.inLines(n, x, l, func(between string) string {
		if x.Printed != "" {
			return jsontext.Numbers(x.Printed, x.Type.ExtraDims, between)
		}
		return jsontext.List(x.SQL, elem, types.JSON, between)
	})
	return scope.Expr{SQL: sql, Type: types.Of(types.JSON), HasAggs: x.HasAggs, Location: n.Location}, true
}

// onItsLine is what rows and arrays begin with in json_agg, but for the first.
const onItsLine = "chr(10) || ' '"

// rowAggregate is json_agg(t) of whole rows.
func (b *Binder) rowAggregate(name string, n *pg.FuncCall, l *scope.Level) (scope.Expr, bool) {
	if len(n.Args) != 1 {
		return scope.Expr{}, false
	}
	mark := len(b.ColumnUses)
	inner := *l
	inner.InAggregate, inner.Grouped = true, nil
	e := b.Expr(n.Args[0], &inner)
	if e.Row == nil && types.RowFields(e.Type) == nil {
		return scope.Expr{}, false
	}
	b.enterAggregate(n, l)
	ty := uint32(types.JSON)
	if name == "jsonb_agg" {
		ty = types.JSONB
	}
	s := functions.Signature{Name: name, Aggregate: true, Result: ty, Template: "list({1})", Wrap: enginesql.Macro("json_of_list") + "({agg}, " + onItsLine + ")"}
	return b.aggregate(n, s, []scope.Expr{{SQL: jsontext.AnyRow(e, ty, "','"), Type: types.Of(types.JSON)}}, l, mark), true
}

// nullCount is num_nulls and num_nonnulls of arguments of any types.
func (b *Binder) nullCount(name string, n *pg.FuncCall, l *scope.Level) (scope.Expr, bool) {
	if len(n.Args) == 0 {
		return scope.Expr{}, false
	}
	word := " IS NULL"
	if name == "num_nonnulls" {
		word = " IS NOT NULL"
	}
	args := b.Args(n.Args, l)
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = "CAST(" + b.DefaultToText(a).SQL + word + " AS INTEGER)"
	}
	return scope.Expr{SQL: "(" + strings.Join(parts, " + ") + ")", Type: types.Of(types.Int4), HasAggs: coercion.AnyHasAggs(args), Location: n.Location}, true
}

// collationFor is COLLATION FOR (x), by what x is written as.
func (b *Binder) collationFor(n *pg.FuncCall, l *scope.Level) scope.Expr {
	e := b.Expr(n.Args[0], l)
	out := scope.Expr{Type: types.Of(types.Text), HasAggs: e.HasAggs, Location: n.Location}
	c := n.Args[0].GetCollateClause()
	switch {
	case c != nil:
		names := syntax.Strings(c.Collname)
		out.SQL = enginesql.Literal(`"` + names[len(names)-1] + `"`)
	case e.Type.OID == types.Unknown:
		out.SQL = "CAST(NULL AS VARCHAR)"
	case e.Type.OID == types.Name:
		out.SQL = enginesql.Literal(`"C"`)
	case types.IsText(e.Type.OID):
		out.SQL = enginesql.Literal(`"default"`)
	default:
		b.Fail(pgerr.New(pgerr.DatatypeMismatch, "collations are not supported by type %s", types.Of(e.Type.OID)), -1)
	}
	return out
}
