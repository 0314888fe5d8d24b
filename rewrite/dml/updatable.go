package dml

import (
	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// NotOneTable is why a view that does not read one table or view is not updatable.
const NotOneTable = "Views that do not select from a single table or view are not automatically updatable."

// NotUpdatable is why rows cannot be written through the query of a view, as PostgreSQL's errors
// say it, "" if they can (PostgreSQL's view_query_is_auto_updatable). columns says that a column
// is written.
func NotUpdatable(query *syntax.Statement, columns bool) string {
	n := query.Node.GetSelectStmt()
	has := targetCalls(n)
	for _, c := range []struct {
		is     bool
		reason string
	}{
		{len(n.DistinctClause) > 0, "Views containing DISTINCT are not automatically updatable."},
		{len(n.GroupClause) > 0, "Views containing GROUP BY are not automatically updatable."},
		{n.HavingClause != nil, "Views containing HAVING are not automatically updatable."},
		{n.Op > pg.SetOperation_SETOP_NONE, "Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable."},
		{n.WithClause != nil, "Views containing WITH are not automatically updatable."},
		{n.LimitCount != nil || n.LimitOffset != nil, "Views containing LIMIT or OFFSET are not automatically updatable."},
		{has.aggregates, "Views that return aggregate functions are not automatically updatable."},
		{has.windows, "Views that return window functions are not automatically updatable."},
		{has.sets, "Views that return set-returning functions are not automatically updatable."},
		{len(n.FromClause) == 1 && n.FromClause[0].GetRangeTableSample() != nil, "Views containing TABLESAMPLE are not automatically updatable."},
		{Base(query) < 0, NotOneTable},
	} {
		if c.is {
			return c.reason
		}
	}
	if columns && !namesColumn(n.TargetList) {
		return "Views that have no updatable columns are not automatically updatable."
	}
	return ""
}

// Base is the reference of the relation that the query of an updatable view reads, -1 if it
// reads something else.
func Base(query *syntax.Statement) int {
	from := query.Node.GetSelectStmt().FromClause
	if len(from) != 1 || from[0].GetRangeVar() == nil {
		return -1
	}
	if ref, ok := query.RangeRefs[from[0].GetRangeVar()]; ok {
		return ref
	}
	return -1
}

// namesColumn reports whether one of the items is a column.
func namesColumn(list []*pg.Node) bool {
	for _, n := range list {
		if n.GetResTarget().GetVal().GetColumnRef() != nil {
			return true
		}
	}
	return false
}

// called are the kinds of functions that a query calls in its target list.
type called struct{ aggregates, windows, sets bool }

func targetCalls(n *pg.SelectStmt) (has called) {
	for _, item := range n.TargetList {
		has.look(item.ProtoReflect())
	}
	return has
}

// look looks at an expression, but not into its subqueries.
func (c *called) look(m protoreflect.Message) {
	if call, ok := m.Interface().(*pg.FuncCall); ok {
		names := syntax.Strings(call.Funcname)
		of := functions.ByName[names[len(names)-1]]
		switch {
		case call.Over != nil:
			c.windows = true
		case len(of) > 0 && of[0].Aggregate, call.AggStar:
			c.aggregates = true
		case len(of) > 0 && of[0].ReturnsSet:
			c.sets = true
		}
	}
	syntax.VisitChildren(m, func(_ protoreflect.Name, child protoreflect.Message) bool {
		if _, is := child.Interface().(*pg.SelectStmt); !is {
			c.look(child)
		}
		return true
	})
}

// Named are the columns of the relation that a view reads which its columns are, "" for other
// expressions.
func Named(v *View) []string {
	var out []string
	for _, item := range v.items() {
		name := ""
		for _, c := range v.names() {
			if item.name != "" && c.Name == item.name {
				name = c.Column
			}
		}
		out = append(out, name)
	}
	return out
}

// TargetColumns are the columns of the table below views which the columns of the first are, -1
// for other expressions.
func TargetColumns(target *scope.Shape, views []*View) []int {
	var out []int
	for _, c := range targetNames(target, views) {
		out = append(out, c.column)
	}
	return out
}
