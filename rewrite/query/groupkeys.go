package query

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// groupKey is one grouping expression.
type groupKey struct {
	e        scope.Expr
	output   int  // the output that it is, or -1
	constant bool // it names no column
}

// groupKeys resolves the grouping expressions below items of GROUP BY, in their order.
func (b *Binder) groupKeys(items []*pg.Node, s *pg.SelectStmt, l *scope.Level, g *grouping) []groupKey {
	var keys []groupKey
	for _, n := range items {
		if parts, ok := groupParts(n); ok {
			keys = append(keys, b.groupKeys(parts, s, l, g)...)
			continue
		}
		k := b.groupKey(n, s, l, g)
		k.e = b.GroupingExpr(k.e)
		keys = append(keys, k)
	}
	return keys
}

// groupParts are the items within an item of GROUP BY; ok is false for an expression.
func groupParts(n *pg.Node) (parts []*pg.Node, ok bool) {
	if set := n.GetGroupingSet(); set != nil {
		return set.Content, true
	}
	if row := n.GetRowExpr(); row != nil && row.RowFormat == pg.CoercionForm_COERCE_IMPLICIT_CAST {
		return row.Args, true
	}
	return nil, false
}

// groupKey resolves a grouping expression: the position of an output, or the name of a
// column or else of an output, or an expression of columns.
func (b *Binder) groupKey(n *pg.Node, s *pg.SelectStmt, l *scope.Level, g *grouping) groupKey {
	if n.GetAConst() != nil {
		outputs := b.groupOutputs(s, l, g)
		at, _ := b.findTarget(n, outputs, "GROUP BY")
		tg := outputs.TargetList[at]
		b.refuseGroupedAggregate(tg.Expr, tg.node)
		return groupKey{e: tg.Expr, output: at, constant: tg.constant}
	}
	mark := len(b.ColumnUses)
	if c := n.GetColumnRef(); c != nil && len(c.Fields) == 1 && c.Fields[0].GetString_() != nil {
		name := c.Fields[0].GetString_().Sval
		if f, in := l.FindColumn(b.State, name, c.Location); f == nil || in != l {
			for i, tn := range s.TargetList {
				r := tn.GetResTarget()
				if r.Name == name || r.Name == "" && r.Val.GetColumnRef() == nil && columnName(r.Val) == name {
					e := b.Expr(r.Val, l)
					b.refuseGroupedAggregate(e, r.Val)
					constant := len(b.ColumnUses) == mark
					return groupKey{e: e, output: b.outputAt(s.TargetList[:i], l), constant: constant}
				}
			}
		}
	}
	e := b.Expr(n, l)
	return groupKey{e: e, output: -1, constant: len(b.ColumnUses) == mark}
}

func (b *Binder) refuseGroupedAggregate(e scope.Expr, n *pg.Node) {
	if e.HasAggs {
		b.Fail(pgerr.New(pgerr.GroupingError, "aggregate functions are not allowed in GROUP BY"), syntax.Location(n))
	}
}

// groupOutputs are the outputs of the query, resolved before its groups are known.
func (b *Binder) groupOutputs(s *pg.SelectStmt, l *scope.Level, g *grouping) *SelectQuery {
	if g.outputs == nil {
		g.outputs = &SelectQuery{}
		before := &scope.Level{Parent: l.Parent, Namespace: l.Namespace, CTEs: l.CTEs, Windows: l.Windows, BeforeGroups: true}
		b.TargetList(s.TargetList, before, g.outputs, nil)
	}
	return g.outputs
}

// outputAt is the number of output columns of targets.
func (b *Binder) outputAt(list []*pg.Node, l *scope.Level) int {
	if !slices.ContainsFunc(list, func(n *pg.Node) bool {
		c, all := n.GetResTarget().Val.GetColumnRef(), n.GetResTarget().Val.GetAIndirection()
		return all != nil || c != nil && c.Fields[len(c.Fields)-1].GetAStar() != nil
	}) {
		return len(list)
	}
	before := &SelectQuery{}
	b.TargetList(list, &scope.Level{Parent: l.Parent, Namespace: l.Namespace, CTEs: l.CTEs, Windows: l.Windows, BeforeGroups: true}, before, nil)
	return len(before.TargetList)
}

// separate tells apart the grouping expressions that are equal and are several outputs, as in
//
//	SELECT a AS x, a AS y ... GROUP BY x, ROLLUP (y)
//
// PostgreSQL groups by outputs: y may be NULL where x is not. The engine groups by
// expressions: the second of equal ones is printed in another way. An expression that is
// no output by its name or position is the first output that is equal to it. first is what
// the engine groups by of the first of equal expressions, by their texts.
func (b *Binder) separate(keys []groupKey, s *pg.SelectStmt, l *scope.Level, g *grouping) (first map[string]string) {
	first = map[string]string{}
	at := map[string][]int{} // the outputs that are grouped by, by their texts
	outputs := b.groupOutputs(s, l, g)
	texts := make([]string, len(outputs.TargetList))
	for i, tg := range outputs.TargetList {
		texts[i] = b.GroupingExpr(tg.Expr).SQL
	}
	for i, k := range keys {
		if k.output < 0 {
			keys[i].output = slices.Index(texts, k.e.SQL)
		}
		if out := keys[i].output; !slices.Contains(at[k.e.SQL], out) {
			at[k.e.SQL] = append(at[k.e.SQL], out)
		}
	}
	for i, k := range keys {
		same := at[k.e.SQL]
		slices.Sort(same)
		for range slices.Index(same, k.output) {
			keys[i].e.SQL = "CASE WHEN TRUE THEN " + keys[i].e.SQL + " END"
		}
		if first[k.e.SQL] == "" {
			first[k.e.SQL] = b.EqualityOperand(keys[i].e).SQL
		}
	}
	return first
}

// groupItem prints an item of GROUP BY of the texts of its grouping expressions, and
// returns the texts behind them.
func groupItem(n *pg.Node, texts []string) (item string, rest []string) {
	parts, ok := groupParts(n)
	if !ok {
		return texts[0], texts[1:]
	}
	items := make([]string, len(parts))
	for i, part := range parts {
		items[i], texts = groupItem(part, texts)
	}
	list := "(" + strings.Join(items, ", ") + ")"
	switch n.GetGroupingSet().GetKind() {
	case pg.GroupingSetKind_GROUPING_SET_ROLLUP:
		return "ROLLUP " + list, texts
	case pg.GroupingSetKind_GROUPING_SET_CUBE:
		return "CUBE " + list, texts
	case pg.GroupingSetKind_GROUPING_SET_SETS:
		return "GROUPING SETS " + list, texts
	}
	return list, texts
}
