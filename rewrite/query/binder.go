package query

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Binder resolves and prints the queries of one statement.
type Binder struct {
	*expression.Binder
	locking   *levelLocks     // of the query whose FROM is resolved, nil for none
	inherited []lockRequest   // of the query around, for the query that is resolved next
	byKey     *scope.KeyQuery // of the whole statement, nil before it is resolved
	joined    map[*pg.JoinExpr][]conjunct
}

// New begins the resolution of one statement over refs.
func New(s *syntax.Statement, refs []syntax.Ref, shapes []scope.Shape, paramOIDs []uint32, env scope.Env) (*Binder, error) {
	e, err := expression.New(s, refs, shapes, paramOIDs, env)
	if err != nil {
		return nil, err
	}
	b := &Binder{Binder: e, joined: map[*pg.JoinExpr][]conjunct{}}
	e.Subqueries = b
	return b, nil
}
