package session

import (
	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/staging"
)

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
