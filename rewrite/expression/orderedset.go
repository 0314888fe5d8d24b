package expression

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// withinGroup is an ordered-set aggregate: mode, and the percentiles, which are
// taken from the sorted list of all values.
func (b *Binder) withinGroup(name string, n *pg.FuncCall, l *scope.Level) scope.Expr {
	if !n.AggWithinGroup || len(n.AggOrder) != 1 {
		b.UndefinedFunction(name, b.Args(n.Args, l), n.Location)
	}
	b.enterAggregate(n, l)
	mark := len(b.ColumnUses)
	inner := *l
	inner.InAggregate, inner.Grouped = true, nil
	by := n.AggOrder[0].GetSortBy()
	x := b.Expr(by.Node, &inner)
	if untyped(x) && name != "percentile_cont" {
		b.undecided()
	}
	x = b.DefaultToText(x)
	constant := len(b.ColumnUses) == mark
	filter := b.aggregateFilter(n, &inner)
	out := scope.Expr{Type: x.Type, HasAggs: true, Location: n.Location}
	b.ForgetUses(mark, l)
	switch {
	case name == "mode" && len(n.Args) == 0 && constant: // the engine would take it for a fraction
		out.SQL = "any_value(" + x.SQL + ")" + filter
	case name == "mode" && len(n.Args) == 0:
		out.SQL = "mode(" + x.SQL + " ORDER BY " + x.SQL + SortDirection(b, by) + ")" + filter
	case name != "mode" && len(n.Args) == 1:
		b.percentile(name, x, b.directArguments(n, l)[0], SortDirection(b, by), filter, &out)
	default:
		b.UndefinedFunction(name, b.Args(n.Args, l), n.Location)
	}
	l.HasAggs = true
	return out
}

// percentile prints percentile_cont or percentile_disc of the fraction p, or of an array of
// fractions.
func (b *Binder) percentile(name string, x, p scope.Expr, direction, filter string, out *scope.Expr) {
	if name == "percentile_cont" && x.Type.OID != types.Interval {
		x = b.Coerce(x, types.Of(types.Float8), types.ImplicitCast)
		out.Type = x.Type
	}
	fn := enginesql.Macro(name)
	if x.Type.OID == types.Interval && name == "percentile_cont" {
		fn = enginesql.Macro("percentile_span")
	}
	sorted := "list(" + x.SQL + " ORDER BY " + x.SQL + direction + ")" + filter
	call := fn + "(list_filter(l1['l'], lambda v1: v1 IS NOT NULL), "
	if p.Type.IsArray() {
		if coercion.IsMultiDim(p) {
			b.Unsupported(p.Location, "%s of arrays of several dimensions is not supported", name)
		}
		p = b.Coerce(p, types.Of(float8ArrayOID), types.ImplicitCast)
		out.Type = types.ArrayOf(out.Type)
		call = "CASE WHEN len(list_filter(l1['l'], lambda v1: v1 IS NOT NULL)) > 0 THEN list_transform(l1['p'], lambda p1: " + call + "p1)) END"
	} else {
		p = b.Coerce(p, types.Of(types.Float8), types.ImplicitCast)
		call += "l1['p'])"
	}
	// The aggregates are in the argument of a lambda: the engine allows none in its body.
	of := func(sorted string) string {
		return "list_transform([{'l': " + sorted + ", 'p': " + p.SQL + "}], lambda l1: " + call + ")[1]"
	}
	out.SQL = of(sorted)
	if x.Printed != "" && coercion.IsNumeric(out.Type) {
		out.Printed = of("list(" + x.Printed + " ORDER BY " + x.SQL + direction + ")" + filter)
	}
}

const float8ArrayOID = 1022

// aggregateFilter prints FILTER (WHERE ...), "" for none.
func (b *Binder) aggregateFilter(n *pg.FuncCall, l *scope.Level) string {
	if n.AggFilter == nil {
		return ""
	}
	return " FILTER (WHERE " + b.Condition(n.AggFilter, l, "FILTER").SQL + ")"
}

// joinedText is string_agg with a delimiter that changes from row to row, which the
// engine's has not.
func (b *Binder) joinedText(n *pg.FuncCall, l *scope.Level) (scope.Expr, bool) {
	if len(n.Args) != 2 || n.Args[1].GetAConst().GetSval() != nil {
		return scope.Expr{}, false
	}
	mark := len(b.ColumnUses)
	inner := *l
	inner.InAggregate = true
	if n.Over == nil {
		b.enterAggregate(n, l)
		inner.Grouped = nil
	}
	args := b.Args(n.Args, &inner)
	bytes := args[0].Type.OID == types.Bytea && types.Implicit(args[1].Type.OID, types.Bytea)
	if !bytes && (!types.Implicit(args[0].Type.OID, types.Text) || !types.Implicit(args[1].Type.OID, types.Text)) {
		return scope.Expr{}, false
	}
	for _, by := range n.AggOrder {
		sorted := by.GetSortBy()
		if !n.AggDistinct || len(n.AggOrder) == 1 && b.Expr(sorted.Node, &inner).SQL == args[0].SQL && SortDirection(b, sorted) == SortDirection(b, &pg.SortBy{}) {
			continue
		}
		b.Unsupported(n.Location, "string_agg of DISTINCT values with delimiters of their own is supported in the ascending order of the values only")
	}
	s := functions.Signature{Name: "joined", Aggregate: true, Result: types.Text, Template: "list([{1}, {2}])", Wrap: enginesql.Macro("joined") + "({agg})"}
	if bytes {
		s.Result, s.Template, s.Wrap = types.Bytea, "list([hex({1}), hex({2})])", "unhex("+s.Wrap+")"
	}
	for i := range args {
		args[i] = b.Coerce(args[i], types.Of(s.Result), types.ImplicitCast)
	}
	return b.aggregate(n, s, args, l, mark), true
}
