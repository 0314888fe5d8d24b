package query

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/scope"
)

// keyQuery is what a resolved SELECT asks for if it reads rows by their keys (scope.KeyQuery), nil
// if the engine has to answer.
func (b *Binder) keyQuery(s *pg.SelectStmt, l *scope.Level, q *SelectQuery) *scope.KeyQuery {
	if len(b.Refs) != 1 || len(s.FromClause) != 1 || s.FromClause[0].GetRangeVar() == nil && s.FromClause[0].GetRangeFunction() == nil ||
		s.Op != pg.SetOperation_SETOP_NONE || s.WithClause != nil || len(s.DistinctClause) > 0 || len(s.GroupClause) > 0 || s.HavingClause != nil ||
		len(s.WindowClause) > 0 || len(s.SortClause) > 0 || s.LimitCount != nil || s.LimitOffset != nil || len(s.LockingClause) > 0 || s.WhereClause == nil {
		return nil
	}
	if len(l.Namespace.Ranges) != 1 || l.Namespace.Ranges[0].Ref != 0 || b.Shapes[0].Kind != scope.TypeTable || len(q.TargetList) == 0 {
		return nil
	}
	k := &scope.KeyQuery{}
	for _, target := range q.TargetList {
		c, ok := keyColumn(target.Expr.Column)
		if !ok {
			return nil
		}
		k.Outputs = append(k.Outputs, c)
	}
	for _, n := range scope.Conjuncts(s.WhereClause) {
		c, ok := b.keyCondition(n, l)
		if !ok {
			return nil
		}
		k.Keys = append(k.Keys, c)
	}
	if !slices.ContainsFunc(k.Keys, func(c scope.KeyCondition) bool { return c.Place == 0 }) {
		return nil
	}
	return k
}

// keyColumn is a column of a type, false for any other.
func keyColumn(c *scope.Column) (scope.KeyQueryColumn, bool) {
	if c == nil || c.Range == nil || c.Range.Ref < 0 || c.Source == "" {
		return scope.KeyQueryColumn{}, false
	}
	return scope.KeyQueryColumn{Ref: c.Range.Ref, Name: c.Source, System: c.System}, true
}
