package rewrite

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// exprBinder types and prints the expressions of one statement.
type exprBinder struct {
	*coercion.Coercer
	subqueries  subqueries
	filters     map[*pg.A_Expr]bool   // terms that drop a row when NULL as when false
	filterLinks map[*pg.SubLink]bool  // subqueries that are such terms
	paths       map[*pg.TypeCast]bool // casts to jsonpath where a path stands
	defaults    map[string]scope.Expr // by the text of a DEFAULT expression
}

// subqueries resolves the queries that stand in expressions.
type subqueries interface {
	query(s *pg.SelectStmt, outer *scope.Level, ctes *scope.CTE) query
}

// newExprBinder begins the resolution of expressions over refs, in which no subqueries
// may stand.
func newExprBinder(s *syntax.Statement, refs []syntax.Ref, shapes []scope.Shape, paramOIDs []uint32, env scope.Env) (*exprBinder, error) {
	b, err := scope.New(s, refs, shapes, paramOIDs, env)
	if err != nil {
		return nil, err
	}
	return &exprBinder{
		Coercer: &coercion.Coercer{State: b}, filters: map[*pg.A_Expr]bool{}, filterLinks: map[*pg.SubLink]bool{}, paths: map[*pg.TypeCast]bool{}, defaults: map[string]scope.Expr{},
	}, nil
}
