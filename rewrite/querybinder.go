package rewrite

import (
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// queryBinder resolves and prints the queries of one statement.
type queryBinder struct{ *expression.Binder }

// newQueryBinder begins the resolution of one statement over refs.
func newQueryBinder(s *syntax.Statement, refs []syntax.Ref, shapes []scope.Shape, paramOIDs []uint32, env scope.Env) (*queryBinder, error) {
	e, err := expression.New(s, refs, shapes, paramOIDs, env)
	if err != nil {
		return nil, err
	}
	b := &queryBinder{e}
	e.Subqueries = b
	return b, nil
}
