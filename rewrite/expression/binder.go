package expression

import (
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// Binder types and prints the expressions of one statement.
type Binder struct {
	*coercion.Coercer
	Subqueries  Subqueries
	filters     map[*pg.A_Expr]bool   // terms that drop a row when NULL as when false
	filterLinks map[*pg.SubLink]bool  // subqueries that are such terms
	paths       map[*pg.TypeCast]bool // casts to jsonpath where a path stands
	Defaults    map[string]scope.Expr // by the text of a DEFAULT expression
}

// Subqueries resolves subqueries in expressions.
type Subqueries interface {
	Query(s *pg.SelectStmt, outer *scope.Level, ctes *scope.CTE) Query
}

// New begins the resolution of expressions over refs, in which no subqueries
// may stand.
func New(s *syntax.Statement, refs []syntax.Ref, shapes []scope.Shape, paramOIDs []uint32, env scope.Env) (*Binder, error) {
	b, err := scope.New(s, refs, shapes, paramOIDs, env)
	if err != nil {
		return nil, err
	}
	return &Binder{
		Coercer: &coercion.Coercer{State: b}, filters: map[*pg.A_Expr]bool{}, filterLinks: map[*pg.SubLink]bool{}, paths: map[*pg.TypeCast]bool{}, Defaults: map[string]scope.Expr{},
	}, nil
}
