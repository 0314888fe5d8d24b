package session

import (
	"context"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/workspace"
)

// FreeConn returns the session's connection to the engine without an open stream. Every
// statement of the engine takes the connection from here; the first one makes it (decision A4).
func (s *Session) FreeConn(ctx context.Context) (*duckdb.Conn, error) {
	if err := s.YieldStream(ctx); err != nil {
		return nil, err
	}
	if s.conn == nil {
		conn, err := s.DB.Engine.Conn(ctx)
		if err != nil {
			return nil, err
		}
		s.conn, s.zone = conn, ""
	}
	return s.conn, s.FollowZone(ctx)
}

// WithConn calls use with a connection that has the session's settings and no open stream: that of
// the session, or one that is lent to a session that has none. use leaves nothing on it.
func (s *Session) WithConn(ctx context.Context, use func(*duckdb.Conn) error) error {
	if s.conn == nil {
		return s.DB.LendConn(ctx, settings.EngineZone(s.Settings.Value("timezone")), use)
	}
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return err
	}
	return use(conn)
}

// FollowSettings gives effect to settings that may have changed: who the session acts as, and FollowZone.
func (s *Session) FollowSettings(ctx context.Context) error {
	s.FollowIdentity()
	return s.FollowZone(ctx)
}

// FollowZone sets the time zone of the connection if the setting TimeZone has changed. No other
// setting reaches the engine.
func (s *Session) FollowZone(ctx context.Context) error {
	zone := s.Settings.Value("timezone")
	if s.conn == nil || zone == s.zone {
		return nil
	}
	if err := s.YieldStream(ctx); err != nil {
		return err
	}
	s.Prepared.Clear() // constants of a plan were computed in the old zone
	err := s.conn.SetZone(ctx, settings.EngineZone(zone))
	if err == nil {
		s.zone = zone
	}
	return err
}

// LateConn is the session's connection for a caller who may not need it.
func (s *Session) LateConn() workspace.Conn { return lateConn{s} }

type lateConn struct{ session *Session }

// Exec implements workspace.Conn.
func (c lateConn) Exec(ctx context.Context, sql string) error {
	conn, err := c.session.FreeConn(ctx)
	if err != nil {
		return err
	}
	return conn.Exec(ctx, sql)
}

// ExecTogether implements workspace.Conn.
func (c lateConn) ExecTogether(ctx context.Context, statements []string) error {
	conn, err := c.session.FreeConn(ctx)
	if err != nil {
		return err
	}
	return conn.ExecTogether(ctx, statements)
}

// YieldStream frees the connection for another statement. The engine has one open stream per
// connection, but a client may leave a portal half read. The remaining rows of such a portal
// move to a temporary table, which the engine spills to disk (decision A4).
func (s *Session) YieldStream(ctx context.Context) error {
	stream := s.Open
	if stream == nil {
		return nil
	}
	s.Open = nil
	return stream.MoveAside(ctx)
}

// The sizes of a session's statement caches (decision A11): analysed and planned statements,
// and prepared statements of the engine.
const (
	MostPlans    = 64
	MostPrepared = 64
	// LongestKept is the length in bytes of texts that are kept.
	LongestKept = 64 << 10
)

// PrepareEngine prepares a statement of the engine. If kept is true, the session owns the
// statement and the caller must not close it. keep is false for a text that is used once.
func (s *Session) PrepareEngine(ctx context.Context, sql string, keep bool) (st *duckdb.Stmt, kept bool, err error) {
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return nil, false, err
	}
	if st, ok := s.Prepared.Get(sql); ok {
		return st, true, nil
	}
	if st, err = conn.Prepare(ctx, sql); err != nil {
		return nil, false, err
	}
	if keep = keep && len(sql) <= LongestKept; keep {
		s.Prepared.Put(sql, st)
	}
	return st, keep, nil
}

// RunQuery runs a query to its end.
func (s *Session) RunQuery(ctx context.Context, sql string, args []any) error {
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return err
	}
	return conn.Each(ctx, sql, args, func(*column.Batch, int) {})
}

// EngineArgs are the parameters that the engine's SQL contains, as it binds them: those
// that are used, and those of each list.
func EngineArgs(args [][]byte, used []int, lists ...[]int) []any {
	out := make([]any, len(used), len(used)+len(lists))
	for i, n := range used {
		if args[n-1] != nil {
			out[i] = string(args[n-1])
		}
	}
	for _, list := range lists {
		out = append(out, EngineArgs(args, list))
	}
	return out
}
