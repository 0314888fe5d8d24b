package gateway

import (
	"context"
	"time"

	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// Session is one client's session (wire.Session): its state (package session), and what the
// client has prepared and opened.
type Session struct {
	*session.Session
	clientState
	texts   *parsedTexts // of all sessions
	release func()       // of the database
}

var _ wire.Session = (*Session)(nil)

func (g *Gateway) newSession(ctx context.Context, a address, start wire.Startup) (*Session, error) {
	db, release, err := g.databases.Acquire(ctx, a.alias, a.branch)
	if err != nil {
		return nil, err
	}
	state, err := session.New(g.Peers, db, start, g.log)
	if err != nil {
		release()
		return nil, err
	}
	s := &Session{Session: state, texts: g.parsed, release: release}
	s.names, s.plans = start.Names, session.NewLRU[planned](session.MostPlans, nil)
	if s.names == nil {
		s.names = wire.NewNames()
	}
	s.Live["pg_cursors"], s.Live["pg_prepared_statements"] = s.cursorRows, s.preparedRows
	return s, nil
}

// Split cuts a simple-query string into statements (wire.Session).
func (s *Session) Split(ctx context.Context, sql string) ([]wire.Query, error) {
	s.busy()
	err := checkLength(sql)
	if q, ok := s.seen(sql); err == nil && ok {
		return []wire.Query{q}, nil
	}
	var texts []syntax.Text
	if err == nil {
		texts, err = syntax.Split(sql)
	}
	if err != nil {
		a := s.newAccount(introspect.ShownText(sql))
		a.Fail(s.Fail(ctx, err))
		a.Settle()
		return nil, a.Failed()
	}
	queries := make([]wire.Query, len(texts))
	for i, t := range texts {
		queries[i] = wire.Query{SQL: t.SQL, Offset: t.Offset}
	}
	s.split = nil
	if len(texts) == 1 {
		s.split = &texts[0]
	}
	return queries, nil
}

// analyze analyses a query without the catalog. The text of the last Split is already parsed, and
// one that is prepared may be one that another session has prepared.
func (s *Session) analyze(q wire.Query) (*syntax.Statement, error) {
	text := s.split
	s.split = nil
	if text != nil && q.Simple && text.SQL == q.SQL {
		return text.Analyze()
	}
	if !q.Simple {
		return s.texts.analyze(q.SQL)
	}
	return syntax.Analyze(q.SQL)
}

// Close ends the session (wire.Session).
func (s *Session) Close() {
	s.busy()
	s.closeCursors()
	s.CloseOpen()
	s.Session.Close()
	s.release()
}

// clientState is what the client has prepared and opened, and the statement that arrives. It
// outlives transactions.
type clientState struct {
	names    *wire.Names           // prepared statements and portals
	cursors  []*cursor             // in the order of DECLARE
	declared int                   // cursors so far
	plans    *session.LRU[planned] // statements that were planned before, by their text
	idle     *time.Timer           // of idle_in_transaction_session_timeout or idle_session_timeout

	split     *syntax.Text        // the last simple query string, if it is one statement
	executing int                 // depth of EXECUTE statements that are being bound
	parsed    *introspect.Account // of the last statement that was prepared, if none came after it
}
