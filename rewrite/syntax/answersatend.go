package syntax

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// MayOverflow is the statement in the mode of the field.
func (s *Statement) MayOverflow(may bool) *Statement {
	if s.Overflows == may {
		return s
	}
	other := *s
	other.Overflows = may
	return &other
}

// AnswersAtEnd reports whether the statement is a query that computes its rows before it returns
// the first one: it sorts, leaves out duplicates, or has one row of aggregates.
func (s *Statement) AnswersAtEnd() bool {
	return s.Kind == Select && len(s.Parts) == 0 && answersAtEnd(s.Node.GetSelectStmt())
}

func answersAtEnd(q *pg.SelectStmt) bool {
	if q == nil {
		return false
	}
	if len(q.SortClause) > 0 || len(q.DistinctClause) > 0 {
		return true
	}
	if q.Op != pg.SetOperation_SETOP_NONE {
		return !q.All // otherwise rows of the left side are sent before the right side is computed
	}
	if len(q.GroupClause) > 0 { // what is computed of a group is computed when its row is sent
		return false
	}
	return slices.ContainsFunc(q.TargetList, func(n *pg.Node) bool { return hasAggregate(n) })
}

// hasAggregate reports whether an expression calls one of PostgreSQL's numeric aggregates.
func hasAggregate(n *pg.Node) (found bool) {
	Visit(n.ProtoReflect(), func(m any) bool {
		if call, ok := m.(*pg.FuncCall); ok && call.Over == nil {
			names := Strings(call.Funcname)
			found = found || slices.Contains([]string{"sum", "avg", "min", "max", "count"}, names[len(names)-1])
		}
		_, inside := m.(*pg.SubLink)
		return !found && !inside
	})
	return found
}
