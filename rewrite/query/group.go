package query

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// grouping is a GROUP BY clause.
type grouping struct {
	items []string
	keys  []scope.Expr // what is grouped by, as the outputs mention it
	// whole are the targets that an item names by number or alias: they are
	// resolved once, so that their text is the item's.
	whole    map[*pg.Node]scope.Expr
	sets     bool                                  // ROLLUP, CUBE or GROUPING SETS
	constant map[string]bool                       // the texts of items that name no column
	fields   map[*scope.RangeEntry]map[string]bool // the columns grouped by
	extra    map[string]bool                       // columns admitted by a primary key
}

// groupBy resolves GROUP BY. A name means an input column first and an output
// second, the other way round than in ORDER BY.
func (b *Binder) groupBy(s *pg.SelectStmt, l *scope.Level) *grouping {
	g := &grouping{whole: map[*pg.Node]scope.Expr{}, constant: map[string]bool{}, fields: map[*scope.RangeEntry]map[string]bool{}, extra: map[string]bool{}}
	if len(s.GroupClause) == 0 {
		l.Grouped = map[string]string{}
		return g
	}
	if s.GroupDistinct {
		b.Unsupported(syntax.Location(s.GroupClause[0]), "GROUP BY DISTINCT is not supported")
	}
	saved := l.Clause
	l.Clause = "GROUP BY"
	mark := len(b.ColumnUses)
	for _, n := range s.GroupClause {
		g.items = append(g.items, b.groupItem(n, s, l, g))
	}
	b.ForgetUses(mark, l)
	l.Clause = saved
	l.Grouped = map[string]string{}
	for _, key := range g.keys {
		l.Grouped[key.SQL] = b.groupValue(key, g)
	}
	for n, e := range g.whole {
		if as, ok := l.Grouped[e.SQL]; ok {
			e.SQL = as
			g.whole[n] = e
		}
	}
	return g
}

// groupValue is a grouping expression behind GROUP BY: of a type whose equal values are
// not all spelled alike, one value of the group.
func (b *Binder) groupValue(e scope.Expr, g *grouping) string {
	key := b.EqualityOperand(e).SQL
	switch {
	case key == e.SQL && g.sets && g.constant[e.SQL]: // which the engine has for a group of more rows, too
		return "CASE WHEN grouping(" + key + ") = 0 THEN " + e.SQL + " END"
	case key == e.SQL:
		return e.SQL
	case g.sets: // a group of more rows has none
		return "CASE WHEN grouping(" + key + ") = 0 THEN any_value(" + e.SQL + ") END"
	}
	return "any_value(" + e.SQL + ")"
}

func (b *Binder) groupItem(n *pg.Node, s *pg.SelectStmt, l *scope.Level, g *grouping) string {
	if set := n.GetGroupingSet(); set != nil {
		g.sets = true
		var parts []string
		for _, c := range set.Content {
			parts = append(parts, b.groupItem(c, s, l, g))
		}
		list := "(" + strings.Join(parts, ", ") + ")"
		switch set.Kind {
		case pg.GroupingSetKind_GROUPING_SET_ROLLUP:
			return "ROLLUP " + list
		case pg.GroupingSetKind_GROUPING_SET_CUBE:
			return "CUBE " + list
		case pg.GroupingSetKind_GROUPING_SET_SETS:
			return "GROUPING SETS " + list
		}
		return list
	}
	if row := n.GetRowExpr(); row != nil && row.RowFormat == pg.CoercionForm_COERCE_IMPLICIT_CAST {
		var parts []string
		for _, c := range row.Args {
			parts = append(parts, b.groupItem(c, s, l, g))
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	mark := len(b.ColumnUses)
	e := b.groupKey(n, s, l, g)
	if e.Type.OID == types.Unknown {
		e = b.Coerce(e, types.Of(types.Text), types.ImplicitCast)
	}
	g.constant[e.SQL] = len(b.ColumnUses) == mark
	g.keys = append(g.keys, e)
	if f := e.Column; f != nil && f.Range != nil {
		if g.fields[f.Range] == nil {
			g.fields[f.Range] = map[string]bool{}
		}
		g.fields[f.Range][f.Source] = true
	}
	return b.EqualityOperand(e).SQL
}

func (b *Binder) groupKey(n *pg.Node, s *pg.SelectStmt, l *scope.Level, g *grouping) scope.Expr {
	if c := n.GetAConst(); c != nil {
		probe := &SelectQuery{}
		b.TargetList(s.TargetList, &scope.Level{Parent: l.Parent, Namespace: l.Namespace, CTEs: l.CTEs, Windows: l.Windows}, probe, nil)
		at, _ := b.findTarget(n, probe, "GROUP BY")
		return b.groupTarget(probe.TargetList[at].node, probe.TargetList[at].Expr, l, g)
	}
	if c := n.GetColumnRef(); c != nil && len(c.Fields) == 1 && c.Fields[0].GetString_() != nil {
		name := c.Fields[0].GetString_().Sval
		if f, in := l.FindColumn(b.State, name, c.Location); f == nil || in != l {
			for _, tn := range s.TargetList {
				r := tn.GetResTarget()
				label := r.Name
				if label == "" {
					label = columnName(r.Val)
				}
				if label == name && r.Val.GetColumnRef() == nil {
					return b.groupTarget(r.Val, b.Expr(r.Val, l), l, g)
				}
				if label == name && r.Name != "" {
					return b.groupTarget(r.Val, b.Expr(r.Val, l), l, g)
				}
			}
		}
	}
	return b.Expr(n, l)
}

func (b *Binder) groupTarget(n *pg.Node, e scope.Expr, l *scope.Level, g *grouping) scope.Expr {
	if n.GetColumnRef() == nil {
		if e.HasAggs {
			b.Fail(pgerr.New(pgerr.GroupingError, "aggregate functions are not allowed in GROUP BY"), syntax.Location(n))
		}
		if e.Type.OID == types.Unknown {
			e = b.Coerce(e, types.Of(types.Text), types.ImplicitCast)
		}
		e.SQL = expression.GroupKey(e)
		g.whole[n] = e
	}
	return e
}

// checkGrouped refuses a column that is neither grouped nor aggregated, unless
// the primary key of its relation is grouped (decision A9).
func (b *Binder) checkGrouped(g *grouping, uses []scope.ColumnUse, l *scope.Level) {
	for _, u := range uses {
		if u.Level != l || l.Grouped[u.Column.SQL] != "" || u.Column.Range == nil {
			continue
		}
		if s := u.Column.Range.Shape; !g.sets && s != nil && s.Unique && coversKey(s.Key, g.fields[u.Column.Range]) {
			g.extra[u.Column.SQL] = true
			continue
		}
		b.Fail(pgerr.New(pgerr.GroupingError, `column "%s.%s" must appear in the GROUP BY clause or be used in an aggregate function`, u.Column.Range.Alias, u.Column.Name), u.Location)
	}
}

func coversKey(key []string, grouped map[string]bool) bool {
	for _, k := range key {
		if !grouped[k] {
			return false
		}
	}
	return len(key) > 0
}

func (g *grouping) text() string {
	if len(g.items) == 0 {
		return ""
	}
	items := slices.Clone(g.items)
	for sql := range g.extra {
		items = append(items, sql)
	}
	slices.Sort(items[len(g.items):])
	return " GROUP BY " + strings.Join(items, ", ")
}
