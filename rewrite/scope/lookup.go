package scope

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/enginesql"
)

// IsLookUp reports whether a statement gives columns of the rows that its one
// reference has for the keys that it names, and does nothing else with them.
func IsLookUp(s *pg.SelectStmt, sc *Scoped) bool {
	if len(sc.Needs) != 1 || len(s.FromClause) != 1 || s.FromClause[0].GetRangeVar() == nil && s.FromClause[0].GetRangeFunction() == nil ||
		s.Op != pg.SetOperation_SETOP_NONE || s.WithClause != nil || s.DistinctClause != nil || s.GroupClause != nil || s.HavingClause != nil ||
		s.WindowClause != nil || s.SortClause != nil || s.LimitCount != nil || s.LimitOffset != nil || s.LockingClause != nil {
		return false
	}
	keyed := slices.ContainsFunc(sc.pieces, func(p enginesql.Piece) bool { return p.Kind == enginesql.KeyCondition })
	return keyed && len(sc.Columns) > 0 && !slices.ContainsFunc(sc.Columns, func(o Output) bool { return o.Ref != 0 || o.Column == "" })
}
