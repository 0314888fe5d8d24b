package expression

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

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

// ranked prints the result of a hypothetical-set aggregate by the counts of rows: those
// before the hypothetical row, the distinct ones among these, those that are not behind
// it, and all.
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
