package expression

import (
	"slices"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// aggregateLevel is the query that a call of an aggregate belongs to: the innermost one that
// has a column of its arguments, ORDER BY and FILTER, and l if none has (PostgreSQL manual,
// "Aggregate Expressions"). It is l for every other call, and where a subquery stands among
// the arguments.
func aggregateLevel(name string, n *pg.FuncCall, l *scope.Level) *scope.Level {
	of := functions.ByName[name]
	if l.Parent == nil || n.Over != nil || !n.AggWithinGroup && (len(of) == 0 || !of[0].Aggregate) {
		return l
	}
	var columns []*pg.ColumnRef
	known := true
	for _, m := range slices.Concat(n.Args, n.AggOrder, []*pg.Node{n.AggFilter}) {
		syntax.Visit(m.ProtoReflect(), func(m any) bool {
			switch v := m.(type) {
			case *pg.ColumnRef:
				columns = append(columns, v)
			case *pg.SubLink:
				known = false
			}
			return known
		})
	}
	if !known || len(columns) == 0 {
		return l
	}
	for at := l; at != nil; at = at.Parent {
		for _, c := range columns {
			if hasColumn(at, c) {
				return at
			}
		}
	}
	return l
}

// hasColumn reports whether the FROM clause of a query has what a column reference names.
func hasColumn(l *scope.Level, c *pg.ColumnRef) bool {
	names := syntax.Strings(c.Fields)
	if len(names) == 1 && len(c.Fields) == 1 {
		for _, f := range l.Namespace.Columns {
			if f.Name == names[0] {
				return true
			}
		}
	}
	for _, r := range l.Namespace.Ranges {
		switch {
		case len(names) == 1 && r.Alias == names[0]: // the whole row
			return true
		case len(names) == 1 && len(c.Fields) == 1 && r.Column(names[0]) != nil:
			return true
		case len(names) > 1 && r.Alias == names[len(names)-2]:
			return true
		}
	}
	return false
}

// outerAggregate resolves an aggregate in a subquery that belongs to a query around it, whose
// rows it aggregates. The subquery has its result as it has a column of that query.
func (b *Binder) outerAggregate(n *pg.FuncCall, at *scope.Level) scope.Expr {
	if at.Clause == "" && at.InFrom() {
		b.Fail(pgerr.New(pgerr.GroupingError, "aggregate functions are not allowed in FROM clause of their own query level"), n.Location)
	}
	outer := at.OuterAggregate
	at.OuterAggregate = true
	e := b.functionCall(n, at)
	at.OuterAggregate, e.HasAggs = outer, false
	b.dependOn(at)
	return e
}

// dependOn notes that a subquery has an aggregate of a query around it, or GROUPING.
func (b *Binder) dependOn(at *scope.Level) {
	b.ColumnUses = append(b.ColumnUses, scope.ColumnUse{Column: &scope.Column{}, Level: at, InSubquery: true, OuterAggregate: true})
}

// groupingFunc resolves GROUPING (...). It belongs to the innermost query level that has a
// column of its arguments, which may be outside of the query that contains it.
func (b *Binder) groupingFunc(n *pg.GroupingFunc, l *scope.Level) scope.Expr {
	mark := len(b.ColumnUses)
	var args []scope.Expr
	ungrouped(l, func() { args = b.Args(n.Args, l) })
	at := innermost(l, b.ColumnUses[mark:])
	b.ForgetUses(mark, at)
	out := scope.Expr{SQL: "0", Type: types.Of(types.Int4), HasAggs: at == l, Location: n.Location}
	if at.BeforeGroups {
		return out
	}
	switch {
	case at.Clause != "" && at.Clause != "HAVING":
		b.Fail(pgerr.New(pgerr.GroupingError, "grouping operations are not allowed in %s", at.Clause), n.Location)
	case at.InAggregate:
		b.Fail(pgerr.New(pgerr.GroupingError, "aggregate function calls cannot be nested"), n.Location)
	case at.InFrom():
		b.Fail(pgerr.New(pgerr.GroupingError, "grouping operations are not allowed in FROM clause of their own query level"), n.Location)
	}
	for i, e := range args {
		e = b.GroupingExpr(e)
		if at.Grouped[e.SQL].SQL == "" || at != l && e.Column == nil { // PostgreSQL finds only columns in a query around
			b.Fail(pgerr.New(pgerr.GroupingError, "arguments to GROUPING must be grouping expressions of the associated query level"), e.Location)
		}
		args[i].SQL = at.Grouped[e.SQL].Key
	}
	at.HasAggs = true
	if at != l {
		b.dependOn(at)
	}
	out.SQL = "CAST(grouping(" + JoinSQL(args) + ") AS INTEGER)"
	return out
}

// ungrouped runs resolve while the groups of a level and of those around it are not known.
func ungrouped(l *scope.Level, resolve func()) {
	groups := map[*scope.Level]map[string]scope.GroupedExpr{}
	for at := l; at != nil; at = at.Parent {
		groups[at], at.Grouped = at.Grouped, nil
	}
	resolve()
	for at, group := range groups {
		at.Grouped = group
	}
}

// innermost is the level closest to l of which columns are used; l for none.
func innermost(l *scope.Level, uses []scope.ColumnUse) *scope.Level {
	used := map[*scope.Level]bool{}
	for _, u := range uses {
		used[u.Level] = true
	}
	for at := l; at != nil; at = at.Parent {
		if used[at] {
			return at
		}
	}
	return l
}

// GroupingExpr is an expression as the engine groups by it: with a type, and no number that
// the engine takes for a position.
func (b *Binder) GroupingExpr(e scope.Expr) scope.Expr {
	if e.Type.OID == types.Unknown {
		e = b.Coerce(e, types.Of(types.Text), types.ImplicitCast)
	}
	e.SQL = GroupKey(e)
	return e
}
