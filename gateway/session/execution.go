package session

import (
	"context"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/sqlstate"
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
