package expression

import (
	"strings"

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
	switch {
	case name == "mode" && len(n.Args) == 0 && constant: // the engine would take it for a fraction
		out.SQL = "any_value(" + x.SQL + ")" + filter
	case name == "mode" && len(n.Args) == 0:
		out.SQL = "mode(" + x.SQL + " ORDER BY " + x.SQL + SortDirection(b, by) + ")" + filter
	case name != "mode" && len(n.Args) == 1:
		b.percentile(name, n, x, SortDirection(b, by), filter, &inner, &out)
	default:
		b.UndefinedFunction(name, b.Args(n.Args, l), n.Location)
	}
	b.ForgetUses(mark, l)
	l.HasAggs = true
	return out
}

// percentile prints percentile_cont or percentile_disc, of one fraction or of an
// array of them.
func (b *Binder) percentile(name string, n *pg.FuncCall, x scope.Expr, direction, filter string, l *scope.Level, out *scope.Expr) {
	if name == "percentile_cont" && x.Type.OID != types.Interval {
		x = b.Coerce(x, types.Of(types.Float8), types.ImplicitCast)
		out.Type = x.Type
	}
	p := b.Expr(n.Args[0], l)
	fn := enginesql.Macro(name)
	if x.Type.OID == types.Interval && name == "percentile_cont" {
		fn = enginesql.Macro("percentile_span")
	}
	sorted := "list(" + x.SQL + " ORDER BY " + x.SQL + direction + ")" + filter
	call := fn + "(list_filter(l1, lambda v1: v1 IS NOT NULL), "
	if p.Type.IsArray() {
		if coercion.IsMultiDim(p) {
			b.Unsupported(p.Location, "%s of arrays of several dimensions is not supported", name)
		}
		p = b.Coerce(p, types.Of(float8ArrayOID), types.ImplicitCast)
		out.Type = types.ArrayOf(out.Type)
		call = "CASE WHEN len(list_filter(l1, lambda v1: v1 IS NOT NULL)) > 0 THEN list_transform(" + p.SQL + ", lambda p1: " + call + "p1)) END"
	} else {
		p = b.Coerce(p, types.Of(types.Float8), types.ImplicitCast)
		call += p.SQL + ")"
	}
	// The aggregate is an argument of a lambda, in whose body none may stand.
	out.SQL = "list_transform([" + sorted + "], lambda l1: " + call + ")[1]"
}

const float8ArrayOID = 1022

// aggregateFilter prints FILTER (WHERE ...), "" for none.
func (b *Binder) aggregateFilter(n *pg.FuncCall, l *scope.Level) string {
	if n.AggFilter == nil {
		return ""
	}
	return " FILTER (WHERE " + b.Condition(n.AggFilter, l, "FILTER").SQL + ")"
}

// hypothetical is rank(v) WITHIN GROUP (ORDER BY x) and its like: where a row of
// the arguments would stand among those of the group.
func (b *Binder) hypothetical(name string, n *pg.FuncCall, l *scope.Level) scope.Expr {
	if len(n.Args) != len(n.AggOrder) {
		b.UndefinedFunction(name, b.Args(n.Args, l), n.Location)
	}
	b.enterAggregate(n, l)
	mark := len(b.ColumnUses)
	inner := *l
	inner.InAggregate, inner.Grouped = true, nil
	var before, same, row []string
	for i, a := range n.Args {
		by := n.AggOrder[i].GetSortBy()
		pair, _ := b.Unify([]scope.Expr{b.Expr(by.Node, &inner), b.Expr(a, &inner)}, "WITHIN GROUP")
		first := precedes(pair[0].SQL, pair[1].SQL, SortDirection(b, by))
		before = append(before, "("+strings.Join(append(append([]string{}, same...), first), " AND ")+")")
		same = append(same, pair[0].SQL+" IS NOT DISTINCT FROM "+pair[1].SQL)
		row = append(row, pair[0].SQL)
	}
	more := ""
	if n.AggFilter != nil {
		more = " AND " + b.Condition(n.AggFilter, &inner, "FILTER").SQL
	}
	smaller := " FILTER (WHERE (" + strings.Join(before, " OR ") + ")" + more + ")"
	notLarger := " FILTER (WHERE (" + strings.Join(before, " OR ") + " OR " + strings.Join(same, " AND ") + ")" + more + ")"
	all := "count(*) FILTER (WHERE TRUE" + more + ")"
	out := scope.Expr{Type: types.Of(types.Float8), HasAggs: true, Location: n.Location}
	switch name {
	case "rank":
		out.Type, out.SQL = types.Of(types.Int8), "(count(*)"+smaller+" + 1)"
	case "dense_rank":
		out.Type, out.SQL = types.Of(types.Int8), "(count(DISTINCT row("+strings.Join(row, ", ")+"))"+smaller+" + 1)"
	case "percent_rank":
		out.SQL = "coalesce(count(*)" + smaller + " / nullif(CAST(" + all + " AS DOUBLE), 0), 0)"
	default:
		out.SQL = "((count(*)" + notLarger + " + 1) / (CAST(" + all + " AS DOUBLE) + 1))"
	}
	b.ForgetUses(mark, l)
	l.HasAggs = true
	return out
}

// precedes says that x stands before v in an order.
func precedes(x, v, direction string) string {
	op, null, value := " < ", v, x
	if strings.HasPrefix(direction, " DESC") {
		op = " > "
	}
	if strings.HasSuffix(direction, "NULLS FIRST") {
		null, value = x, v
	}
	return "coalesce(" + x + op + v + ", " + null + " IS NULL AND " + value + " IS NOT NULL)"
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
