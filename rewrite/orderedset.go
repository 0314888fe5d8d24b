package rewrite

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/types"
)

// withinGroup is an ordered-set aggregate: mode, and the percentiles, which are
// taken from the sorted list of all values.
func (b *exprBinder) withinGroup(name string, n *pg.FuncCall, l *level) expr {
	if !n.AggWithinGroup || len(n.AggOrder) != 1 {
		b.noFunction(name, b.args(n.Args, l), n.Location)
	}
	b.enterAggregate(n, l)
	mark := len(b.uses)
	inner := *l
	inner.inAgg, inner.group = true, nil
	by := n.AggOrder[0].GetSortBy()
	x := b.expr(by.Node, &inner)
	if untyped(x) && name != "percentile_cont" {
		b.undecided()
	}
	x = b.known(x)
	constant := len(b.uses) == mark
	filter := b.aggregateFilter(n, &inner)
	out := expr{t: x.t, agg: true, loc: n.Location}
	switch {
	case name == "mode" && len(n.Args) == 0 && constant: // the engine would take it for a fraction
		out.sql = "any_value(" + x.sql + ")" + filter
	case name == "mode" && len(n.Args) == 0:
		out.sql = "mode(" + x.sql + " ORDER BY " + x.sql + sortDirection(b, by) + ")" + filter
	case name != "mode" && len(n.Args) == 1:
		b.percentile(name, n, x, sortDirection(b, by), filter, &inner, &out)
	default:
		b.noFunction(name, b.args(n.Args, l), n.Location)
	}
	b.forget(mark, l)
	l.hasAgg = true
	return out
}

// percentile prints percentile_cont or percentile_disc, of one fraction or of an
// array of them.
func (b *exprBinder) percentile(name string, n *pg.FuncCall, x expr, direction, filter string, l *level, out *expr) {
	if name == "percentile_cont" && x.t.OID != types.Interval {
		x = b.coerce(x, types.Of(types.Float8), types.ImplicitCast)
		out.t = x.t
	}
	p := b.expr(n.Args[0], l)
	fn := enginesql.Macro(name)
	if x.t.OID == types.Interval && name == "percentile_cont" {
		fn = enginesql.Macro("percentile_span")
	}
	sorted := "list(" + x.sql + " ORDER BY " + x.sql + direction + ")" + filter
	call := fn + "(list_filter(l1, lambda v1: v1 IS NOT NULL), "
	if p.t.IsArray() {
		if several(p) {
			b.unsupported(p.loc, "%s of arrays of several dimensions is not supported", name)
		}
		p = b.coerce(p, types.Of(float8ArrayOID), types.ImplicitCast)
		out.t = types.ArrayOf(out.t)
		call = "CASE WHEN len(list_filter(l1, lambda v1: v1 IS NOT NULL)) > 0 THEN list_transform(" + p.sql + ", lambda p1: " + call + "p1)) END"
	} else {
		p = b.coerce(p, types.Of(types.Float8), types.ImplicitCast)
		call += p.sql + ")"
	}
	// The aggregate is an argument of a lambda, in whose body none may stand.
	out.sql = "list_transform([" + sorted + "], lambda l1: " + call + ")[1]"
}

const float8ArrayOID = 1022

// aggregateFilter prints FILTER (WHERE ...), "" for none.
func (b *exprBinder) aggregateFilter(n *pg.FuncCall, l *level) string {
	if n.AggFilter == nil {
		return ""
	}
	return " FILTER (WHERE " + b.condition(n.AggFilter, l, "FILTER").sql + ")"
}

// hypothetical is rank(v) WITHIN GROUP (ORDER BY x) and its like: where a row of
// the arguments would stand among those of the group.
func (b *exprBinder) hypothetical(name string, n *pg.FuncCall, l *level) expr {
	if len(n.Args) != len(n.AggOrder) {
		b.noFunction(name, b.args(n.Args, l), n.Location)
	}
	b.enterAggregate(n, l)
	mark := len(b.uses)
	inner := *l
	inner.inAgg, inner.group = true, nil
	var before, same, row []string
	for i, a := range n.Args {
		by := n.AggOrder[i].GetSortBy()
		pair, _ := b.unify([]expr{b.expr(by.Node, &inner), b.expr(a, &inner)}, "WITHIN GROUP")
		first := precedes(pair[0].sql, pair[1].sql, sortDirection(b, by))
		before = append(before, "("+strings.Join(append(append([]string{}, same...), first), " AND ")+")")
		same = append(same, pair[0].sql+" IS NOT DISTINCT FROM "+pair[1].sql)
		row = append(row, pair[0].sql)
	}
	more := ""
	if n.AggFilter != nil {
		more = " AND " + b.condition(n.AggFilter, &inner, "FILTER").sql
	}
	smaller := " FILTER (WHERE (" + strings.Join(before, " OR ") + ")" + more + ")"
	notLarger := " FILTER (WHERE (" + strings.Join(before, " OR ") + " OR " + strings.Join(same, " AND ") + ")" + more + ")"
	all := "count(*) FILTER (WHERE TRUE" + more + ")"
	out := expr{t: types.Of(types.Float8), agg: true, loc: n.Location}
	switch name {
	case "rank":
		out.t, out.sql = types.Of(types.Int8), "(count(*)"+smaller+" + 1)"
	case "dense_rank":
		out.t, out.sql = types.Of(types.Int8), "(count(DISTINCT row("+strings.Join(row, ", ")+"))"+smaller+" + 1)"
	case "percent_rank":
		out.sql = "coalesce(count(*)" + smaller + " / nullif(CAST(" + all + " AS DOUBLE), 0), 0)"
	default:
		out.sql = "((count(*)" + notLarger + " + 1) / (CAST(" + all + " AS DOUBLE) + 1))"
	}
	b.forget(mark, l)
	l.hasAgg = true
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
func (b *exprBinder) joinedText(n *pg.FuncCall, l *level) (expr, bool) {
	if len(n.Args) != 2 || n.Args[1].GetAConst().GetSval() != nil {
		return expr{}, false
	}
	mark := len(b.uses)
	inner := *l
	inner.inAgg = true
	if n.Over == nil {
		b.enterAggregate(n, l)
		inner.group = nil
	}
	args := b.args(n.Args, &inner)
	bytes := args[0].t.OID == types.Bytea && types.Implicit(args[1].t.OID, types.Bytea)
	if !bytes && (!types.Implicit(args[0].t.OID, types.Text) || !types.Implicit(args[1].t.OID, types.Text)) {
		return expr{}, false
	}
	for _, by := range n.AggOrder {
		sorted := by.GetSortBy()
		if !n.AggDistinct || len(n.AggOrder) == 1 && b.expr(sorted.Node, &inner).sql == args[0].sql && sortDirection(b, sorted) == sortDirection(b, &pg.SortBy{}) {
			continue
		}
		b.unsupported(n.Location, "string_agg of DISTINCT values with delimiters of their own is supported in the ascending order of the values only")
	}
	s := functions.Signature{Name: "joined", Aggregate: true, Result: types.Text, Template: "list([{1}, {2}])", Wrap: enginesql.Macro("joined") + "({agg})"}
	if bytes {
		s.Result, s.Template, s.Wrap = types.Bytea, "list([hex({1}), hex({2})])", "unhex("+s.Wrap+")"
	}
	for i := range args {
		args[i] = b.coerce(args[i], types.Of(s.Result), types.ImplicitCast)
	}
	return b.aggregate(n, s, args, l, mark), true
}
