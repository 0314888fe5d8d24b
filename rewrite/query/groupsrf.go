package query

import (
	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"

	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// groupedSetAlias is the name of what groupedSet puts into FROM: no query of a client has it.
const groupedSetAlias = "ontosql grouped set"

// groupBySetReturning takes a set-returning function out of GROUP BY. PostgreSQL computes it for
// each row before it groups, which is what a function in FROM is: it comes as the
// text of a further item there, and s with a column in the function's place. The
// engine has no such thing.
func (b *Binder) groupBySetReturning(s *pg.SelectStmt, l *scope.Level) (*pg.SelectStmt, string) {
	var call *pg.FuncCall
	for _, n := range groupItems(s.GroupClause) {
		for _, c := range b.setReturningKeys(b.groupedBy(n, s, l)) {
			if call != nil && !sameCall(call, c) {
				b.Unsupported(c.Location, "GROUP BY of several set-returning functions is not supported")
			}
			call = c
		}
	}
	if call == nil {
		return s, ""
	}
	from := &pg.Node{Node: &pg.Node_RangeFunction{RangeFunction: &pg.RangeFunction{
		Lateral:   true,
		Functions: []*pg.Node{pg.MakeListNode([]*pg.Node{{Node: &pg.Node_FuncCall{FuncCall: call}}})},
		Alias:     &pg.Alias{Aliasname: groupedSetAlias},
	}}}
	item := b.FromClause([]*pg.Node{from}, l)
	column := &pg.ColumnRef{Fields: []*pg.Node{pg.MakeStrNode(groupedSetAlias)}, Location: call.Location}
	return &pg.SelectStmt{
		TargetList: b.withColumn(s.TargetList, call, column), GroupClause: b.withColumn(s.GroupClause, call, column),
		SortClause: b.withColumn(s.SortClause, call, column), DistinctClause: b.withColumn(s.DistinctClause, call, column),
		FromClause: s.FromClause, WhereClause: s.WhereClause, HavingClause: s.HavingClause, WindowClause: s.WindowClause,
		GroupDistinct: s.GroupDistinct, LimitCount: s.LimitCount, LimitOffset: s.LimitOffset, LimitOption: s.LimitOption, LockingClause: s.LockingClause,
	}, item
}

// groupItems are the items of GROUP BY, those of its grouping sets among them.
func groupItems(list []*pg.Node) (items []*pg.Node) {
	for _, n := range list {
		if set := n.GetGroupingSet(); set != nil {
			items = append(items, groupItems(set.Content)...)
			continue
		}
		items = append(items, n)
	}
	return items
}

// groupedBy is the expression that an item of GROUP BY refers to.
func (b *Binder) groupedBy(n *pg.Node, s *pg.SelectStmt, l *scope.Level) *pg.Node {
	if i := n.GetAConst().GetIval(); i != nil && i.Ival >= 1 && int(i.Ival) <= len(s.TargetList) {
		return s.TargetList[i.Ival-1]
	}
	c := n.GetColumnRef()
	if c == nil || len(c.Fields) != 1 || c.Fields[0].GetString_() == nil {
		return n
	}
	name := c.Fields[0].GetString_().Sval
	if f, in := l.FindColumn(b.State, name, c.Location); f != nil && in == l {
		return n
	}
	for _, target := range s.TargetList {
		if r := target.GetResTarget(); r.Name == name || r.Name == "" && columnName(r.Val) == name {
			return target
		}
	}
	return n
}

// setReturningKeys are the calls of set-returning functions in an expression, but for those in its
// subqueries and among their arguments.
func (b *Binder) setReturningKeys(n *pg.Node) (calls []*pg.FuncCall) {
	given := map[*pg.FuncCall]bool{} // among the arguments of calls
	syntax.Visit(n.ProtoReflect(), func(m any) bool {
		if c, ok := m.(*pg.FuncCall); ok && !given[c] {
			names := syntax.Strings(c.Funcname)
			if of := functions.ByName[names[len(names)-1]]; len(of) > 0 && of[0].ReturnsSet {
				calls = append(calls, c)
				syntax.Visit(c.ProtoReflect(), func(m any) bool {
					if c, ok := m.(*pg.FuncCall); ok {
						given[c] = true
					}
					return true
				})
			}
		}
		_, inside := m.(*pg.SubLink)
		return !inside
	})
	return calls
}

func sameCall(a, c *pg.FuncCall) bool {
	node := func(f *pg.FuncCall) *pg.Node {
		return syntax.WithoutLocations(&pg.Node{Node: &pg.Node_FuncCall{FuncCall: f}})
	}
	return proto.Equal(node(a), node(c))
}

// withColumn is a list with a column in the place of a call. Output columns keep their names.
func (b *Binder) withColumn(list []*pg.Node, call *pg.FuncCall, column *pg.ColumnRef) []*pg.Node {
	out := make([]*pg.Node, len(list))
	for i, n := range list {
		out[i] = n
		if c := n.GetResTarget().GetVal().GetColumnRef(); c != nil && c.Fields[len(c.Fields)-1].GetAStar() != nil {
			b.Unsupported(c.Location, "* beside a set-returning function in GROUP BY is not supported")
		}
		if n == nil || len(b.setReturningKeys(n)) == 0 {
			continue
		}
		changed := proto.Clone(n).(*pg.Node)
		if r := changed.GetResTarget(); r != nil && r.Name == "" {
			r.Name = columnName(r.Val)
		}
		syntax.Visit(changed.ProtoReflect(), func(m any) bool {
			if sub, ok := m.(*pg.SubLink); ok {
				b.Unsupported(sub.Location, "a subquery beside a set-returning function in GROUP BY is not supported")
			}
			if part, ok := m.(*pg.Node); ok && part.GetFuncCall() != nil && sameCall(part.GetFuncCall(), call) {
				part.Node = &pg.Node_ColumnRef{ColumnRef: column}
			}
			return true
		})
		out[i] = changed
	}
	return out
}
