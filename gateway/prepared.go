package gateway

import (
	"context"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// What a session keeps of its statements (decision A11): the analysis and plan
// of each text, and what the engine has prepared of each of its own. Both are
// costs that a repeated statement does not pay again.
const (
	mostPlans    = 64
	mostPrepared = 64
	// longestKept is the length in bytes of texts that are kept.
	longestKept = 64 << 10
)

// prepare is a statement of the engine for sql. It stays the session's: the
// caller runs it and does not close it, unless keep is false, for a text that
// will not come again.
func (s *Session) prepare(ctx context.Context, sql string, keep bool) (st *duckdb.Stmt, kept bool, err error) {
	conn, err := s.freeConn(ctx)
	if err != nil {
		return nil, false, err
	}
	if st, ok := s.prepared.get(sql); ok {
		return st, true, nil
	}
	if st, err = conn.Prepare(ctx, sql); err != nil {
		return nil, false, err
	}
	if keep = keep && len(sql) <= longestKept; keep {
		s.prepared.put(sql, st)
	}
	return st, keep, nil
}

// planned is a statement that was analysed and planned.
type planned struct {
	st   *syntax.Statement
	plan *planner.Plan
}

// planKey is what the analysis and the plan of a statement hang on, besides the
// catalog version.
func planKey(q wire.Query, oids []uint32) string {
	var b strings.Builder
	b.WriteString(syntax.Bare(q.SQL))
	fmt.Fprintf(&b, "\x00%v%v", q.Simple, oids)
	return b.String()
}

// seen is the query of a simple-query string, if it is one that came before.
func (s *Session) seen(sql string) (q wire.Query, ok bool) {
	if len(sql) > longestKept {
		return q, false
	}
	text := strings.TrimLeft(sql, syntax.Blanks)
	q.Offset, q.Simple = len(sql)-len(text), true // blanks are of one byte
	q.SQL = strings.TrimRight(text, syntax.Blanks+";")
	_, ok = s.plans.get(planKey(q, nil))
	return q, ok
}

// recall is the statement of a query that came before, if its plan holds still.
func (s *Session) recall(ctx context.Context, key string, runsNow bool) (planned, bool, error) {
	known, ok := s.plans.get(key)
	if !ok {
		return planned{}, false, nil
	}
	pin := s.db.LastPin()
	switch {
	case known.plan.Detached():
		pin = planner.NoPin()
	case runsNow || s.tx.pin != nil:
		var err error
		if pin, err = s.pin(ctx); err != nil {
			return planned{}, false, err
		}
	}
	if pin != nil && known.plan.Version == s.Version(pin) {
		return known, true, nil
	}
	s.plans.remove(key)
	return planned{}, false, nil
}

// remember keeps a statement for the next time.
func (s *Session) remember(key string, p planned) {
	if len(key) > longestKept || p.plan == nil || p.st.Kind != syntax.Select && !planner.IsWrite(p.st) {
		return
	}
	s.plans.remove(key)
	s.plans.put(key, p)
}
