package expression

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
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
		b.failPolymorphic()
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

// directArguments resolves the direct arguments of an ordered-set aggregate. They are
// evaluated once for each group, so they may use only grouped columns.
func (b *Binder) directArguments(n *pg.FuncCall, l *scope.Level) []scope.Expr {
	mark := len(b.ColumnUses)
	inner := *l
	inner.InAggregate = true
	args := b.Args(n.Args, &inner)
	for i := mark; i < len(b.ColumnUses); i++ {
		if b.ColumnUses[i].Level == &inner {
			b.ColumnUses[i].Level, b.ColumnUses[i].DirectArgument = l, true
		}
	}
	return args
}

// hypothetical prints rank(v) WITHIN GROUP (ORDER BY x) and its like: the rank that a row
// of the direct arguments would have among the rows of the group.
func (b *Binder) hypothetical(name string, n *pg.FuncCall, l *scope.Level) scope.Expr {
	if len(n.Args) != len(n.AggOrder) {
		b.UndefinedFunction(name, b.Args(n.Args, l), n.Location)
	}
	b.enterAggregate(n, l)
	direct := b.directArguments(n, l)
	mark := len(b.ColumnUses)
	inner := *l
	inner.InAggregate, inner.Grouped = true, nil
	h := hypotheticalRow{}
	for i := range direct {
		by := n.AggOrder[i].GetSortBy()
		pair, ty := b.Unify([]scope.Expr{b.Expr(by.Node, &inner), direct[i]}, "WITHIN GROUP")
		h.column = append(h.column, b.ComparisonOperand(pair[0], ty).SQL)
		h.value = append(h.value, b.ComparisonOperand(pair[1], ty).SQL)
		h.direction = append(h.direction, SortDirection(b, by))
	}
	filter := ""
	if n.AggFilter != nil {
		filter = b.Condition(n.AggFilter, &inner, "FILTER").SQL
	}
	out := scope.Expr{Type: types.Of(types.Float8), HasAggs: true, Location: n.Location}
	if name == "rank" || name == "dense_rank" {
		out.Type = types.Of(types.Int8)
	}
	if out.SQL = h.counted(name, filter); dependsOnGroup(n.Args) {
		out.SQL = h.listed(name, filter)
	}
	b.ForgetUses(mark, l)
	l.HasAggs = true
	return out
}

// dependsOnGroup reports whether expressions may have another value in another group.
func dependsOnGroup(args []*pg.Node) bool {
	found := false
	for _, n := range args {
		syntax.Visit(n.ProtoReflect(), func(m any) bool {
			switch m.(type) {
			case *pg.ColumnRef, *pg.SubLink:
				found = true
			}
			return !found
		})
	}
	return found
}

// hypotheticalRow has the sort columns of a hypothetical-set aggregate, the values of the
// hypothetical row in them, and the sort directions.
type hypotheticalRow struct{ column, value, direction []string }

// conditions are two tests of a row of the group: whether it sorts before the hypothetical
// row, and whether it is equal to it.
func (h hypotheticalRow) conditions() (before, equal string) {
	var firsts, sames []string
	for i, x := range h.column {
		first := precedes(x, h.value[i], h.direction[i])
		firsts = append(firsts, "("+strings.Join(append(append([]string{}, sames...), first), " AND ")+")")
		sames = append(sames, x+" IS NOT DISTINCT FROM "+h.value[i])
	}
	return strings.Join(firsts, " OR "), strings.Join(sames, " AND ")
}

// counted prints the aggregate of values that are the same for all groups: it counts rows.
func (h hypotheticalRow) counted(name, filter string) string {
	more := ""
	if filter != "" {
		more = " AND " + filter
	}
	before, equal := h.conditions()
	smaller := " FILTER (WHERE (" + before + ")" + more + ")"
	notLarger := " FILTER (WHERE (" + before + " OR " + equal + ")" + more + ")"
	all := "count(*) FILTER (WHERE TRUE" + more + ")"
	return ranked(name, "count(*)"+smaller, "count(DISTINCT row("+strings.Join(h.column, ", ")+"))"+smaller, "count(*)"+notLarger, all)
}

// listed prints the aggregate of values that depend on the group. It collects the rows and
// compares them afterwards: inside an aggregate of the engine, a grouped column has the
// value of the row, also in a grouping set that does not group by it.
func (h hypotheticalRow) listed(name, filter string) string {
	fields, made, each := make([]string, len(h.column)), "", hypotheticalRow{direction: h.direction}
	for i, x := range h.column {
		field := "'c" + strconv.Itoa(i+1) + "'"
		fields[i] = field + ": " + x
		made += ", " + field + ": " + h.value[i]
		each.column = append(each.column, "each["+field+"]")
		each.value = append(each.value, "made["+field+"]")
	}
	if filter != "" {
		filter = " FILTER (WHERE " + filter + ")"
	}
	before, equal := each.conditions()
	smaller := "list_filter(made['l'], lambda each: " + before + ")"
	notLarger := "list_filter(made['l'], lambda each: " + before + " OR " + equal + ")"
	rank := ranked(name, "len("+smaller+")", "len(list_distinct("+smaller+"))", "len("+notLarger+")", "len(made['l'])")
	return "list_transform([{'l': coalesce(list({" + strings.Join(fields, ", ") + "})" + filter + ", [])" + made + "}], lambda made: " + rank + ")[1]"
}

// ranked prints the result of a hypothetical-set aggregate from counts of rows: those before
// the hypothetical row, the distinct ones among these, those not after it, and all.
func ranked(name, before, distinct, notLarger, all string) string {
	switch name {
	case "rank":
		return "(" + before + " + 1)"
	case "dense_rank":
		return "(" + distinct + " + 1)"
	case "percent_rank":
		return "coalesce(" + before + " / nullif(CAST(" + all + " AS DOUBLE), 0), 0)"
	}
	return "((" + notLarger + " + 1) / (CAST(" + all + " AS DOUBLE) + 1))"
}

// precedes is the condition under which x sorts before v.
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
