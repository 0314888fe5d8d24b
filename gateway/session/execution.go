package session

import (
	"context"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// Execution is the running statement as functions of the session see it. It is zero while no
// statement runs.
type Execution struct {
	Ctx      context.Context
	Args     [][]byte
	Account  *introspect.Account
	answered map[sessionCall]scope.SessionValue
	moment   map[string][]pgcatalog.Row // what the relations of live that were asked for had
	held     map[ontosql.TypeRef]int64  // the newest staged versions that are seen, nil for all (Hold)
	Part     int                        // the number of the query of the statement that runs, 0 for the only one
}

// sessionCall is a mention of a function that the session answers (scope.Env).
type sessionCall struct {
	name, args   string
	before, part int
}

// Deadline is the time at which statement_timeout cancels a statement that begins now, zero for
// no limit.
func (s *Session) Deadline() time.Time {
	if limit := s.Settings.Timeout("statement_timeout"); limit > 0 {
		return time.Now().Add(limit)
	}
	return time.Time{}
}

// Within is ctx with the deadline. A zero deadline is no limit.
func Within(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	if deadline.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, deadline, sqlstate.ErrStatementTimeout)
}

// Hold makes the queries of the running statement see what the transaction has written before
// it, and not what they write themselves (PostgreSQL manual, 7.8.4). The caller calls release
// when all have run.
func (s *Session) Hold() (release func()) {
	held := map[ontosql.TypeRef]int64{}
	for _, g := range s.Tx.Staged {
		held[g.Type.Ref] = g.Count()
	}
	s.Running.held = held
	s.Tables.Hold(s.KeepsSnapshot())
	return func() {
		s.Running.held = nil
		s.Tables.Unhold()
	}
}

// Seen is the number of the newest version in a staging that the running statement sees.
func (s *Session) Seen(g *staging.Rows) int64 {
	if s.Running.held != nil {
		return s.Running.held[g.Type.Ref]
	}
	return g.Count()
}
