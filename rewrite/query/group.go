package query

import (
	"cmp"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// grouping is a GROUP BY clause.
type grouping struct {
	items []string
	// targets are the outputs that are grouped by and are not resolved again, by their
	// numbers: their text is the item's.
	targets  map[int]scope.Expr
	sets     bool                                  // ROLLUP, CUBE or GROUPING SETS
	constant map[string]bool                       // the texts of items that name no column
	fields   map[*scope.RangeEntry]map[string]bool // the columns grouped by
	extra    map[string]bool                       // columns admitted by a primary key
	outputs  *SelectQuery                          // groupOutputs has resolved them
}

// groupBy resolves GROUP BY. A name means an input column first and an output
// second, the other way round than in ORDER BY.
func (b *Binder) groupBy(s *pg.SelectStmt, l *scope.Level) *grouping {
	g := &grouping{targets: map[int]scope.Expr{}, constant: map[string]bool{}, fields: map[*scope.RangeEntry]map[string]bool{}, extra: map[string]bool{}}
	if len(s.GroupClause) == 0 {
		l.Grouped = map[string]scope.GroupedExpr{}
		return g
	}
	if s.GroupDistinct {
		b.Unsupported(syntax.Location(s.GroupClause[0]), "GROUP BY DISTINCT is not supported")
	}
	saved := l.Clause
	l.Clause = "GROUP BY"
	mark := len(b.ColumnUses)
	keys := b.groupKeys(s.GroupClause, s, l, g)
	g.sets = slices.ContainsFunc(s.GroupClause, func(n *pg.Node) bool { return n.GetGroupingSet() != nil })
	var first map[string]string
	if g.sets {
		first = b.separate(keys, s, l, g)
	}
	b.ForgetUses(mark, l)
	l.Clause = saved
	b.group(keys, first, s, l, g)
	return g
}

// group makes resolved grouping expressions those of the query. first is the result of
// separate.
func (b *Binder) group(keys []groupKey, first map[string]string, s *pg.SelectStmt, l *scope.Level, g *grouping) {
	texts := make([]string, len(keys))
	l.Grouped = map[string]scope.GroupedExpr{}
	for i, k := range keys {
		g.constant[k.e.SQL] = k.constant
		if f := k.e.Column; f != nil && f.Range != nil {
			if g.fields[f.Range] == nil {
				g.fields[f.Range] = map[string]bool{}
			}
			g.fields[f.Range][f.Source] = true
		}
		texts[i] = b.EqualityOperand(k.e).SQL
		grouped := scope.GroupedExpr{SQL: b.groupValue(k.e, g), Key: cmp.Or(first[k.e.SQL], texts[i]), Printed: groupText(k.e.Printed, texts[i], g.sets)}
		l.Grouped[k.e.SQL] = grouped
		if k.output >= 0 {
			k.e.SQL, k.e.Printed = grouped.SQL, grouped.Printed
			g.targets[k.output] = k.e
		}
	}
	for _, n := range s.GroupClause {
		var item string
		item, texts = groupItem(n, texts)
		g.items = append(g.items, item)
	}
}

// groupText is what is printed of a grouping expression behind GROUP BY: the text of one row of
// the group, NULL where a grouping set does not group by the key.
func groupText(text, key string, sets bool) string {
	switch {
	case text == "":
		return ""
	case sets:
		return "CASE WHEN grouping(" + key + ") = 0 THEN any_value(" + text + ") END"
	}
	return "any_value(" + text + ")"
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

// checkGrouped refuses a column that is neither grouped nor aggregated, unless
// the primary key of its relation is grouped (decision A9).
func (b *Binder) checkGrouped(g *grouping, uses []scope.ColumnUse, l *scope.Level) {
	for _, u := range uses {
		if u.Level != l || l.Grouped[u.Column.SQL].SQL != "" || u.Column.Range == nil {
			continue
		}
		if s := u.Column.Range.Shape; !g.sets && s != nil && s.Unique && coversKey(s.Key, g.fields[u.Column.Range]) {
			g.extra[u.Column.SQL] = true
			continue
		}
		err := pgerr.New(pgerr.GroupingError, `column "%s.%s" must appear in the GROUP BY clause or be used in an aggregate function`, u.Column.Range.Alias, u.Column.Name)
		if u.InSubquery {
			err = pgerr.New(pgerr.GroupingError, `subquery uses ungrouped column "%s.%s" from outer query`, u.Column.Range.Alias, u.Column.Name)
		}
		if u.DirectArgument && !u.InSubquery {
			err = err.WithDetail("Direct arguments of an ordered-set aggregate must use only grouped columns.")
		}
		b.Fail(err, u.Location)
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
