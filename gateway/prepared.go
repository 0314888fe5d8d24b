package gateway

import (
	"context"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// planned is a statement that was analysed and planned.
type planned struct {
	st   *syntax.Statement
	plan *planner.Plan
}

// planKey identifies the analysis and the plan of a statement, besides the catalog version.
func planKey(q wire.Query, oids []uint32) string {
	var b strings.Builder
	b.WriteString(syntax.Bare(q.SQL))
	fmt.Fprintf(&b, "\x00%v%v", q.Simple, oids)
	return b.String()
}

// seen is the query of a simple-query string, if it is one that came before.
func (s *Session) seen(sql string) (q wire.Query, ok bool) {
	if len(sql) > session.LongestKept {
		return q, false
	}
	text := strings.TrimLeft(sql, syntax.Blanks)
	q.Offset, q.Simple = len(sql)-len(text), true // blanks are of one byte
	q.SQL = strings.TrimRight(text, syntax.Blanks+";")
	_, ok = s.plans.Get(planKey(q, nil))
	return q, ok
}

// recall is the statement of a query that came before, if its plan holds still.
func (s *Session) recall(ctx context.Context, key string, runsNow bool) (planned, bool, error) {
	known, ok := s.plans.Get(key)
	if !ok {
		return planned{}, false, nil
	}
	pin := s.DB.LastPin()
	switch {
	case known.plan.Detached():
		pin = planner.NoPin()
	case runsNow || s.Tx.Pin != nil:
		var err error
		if pin, err = s.Pin(ctx); err != nil {
			return planned{}, false, err
		}
	}
	if pin != nil && known.plan.Version == s.Version(pin) {
		return known, true, nil
	}
	s.plans.Remove(key)
	return planned{}, false, nil
}

// remember keeps a statement for the next time.
func (s *Session) remember(key string, p planned) {
	if len(key) > session.LongestKept || p.plan == nil || p.st.Kind != syntax.Select && !planner.IsWrite(p.st) {
		return
	}
	s.plans.Remove(key)
	s.plans.Put(key, p)
}
