package gateway

import (
	"context"

	"github.com/ontosql/ontosql/duckdb"
)

// freeConn returns the session's connection to the engine, free for a statement: an open
// stream of another portal has moved out of the way. Everything that runs on the
// connection takes it from here.
func (s *Session) freeConn(ctx context.Context) (*duckdb.Conn, error) {
	if err := s.yieldStream(ctx); err != nil {
		return nil, err
	}
	return s.conn, nil
}

// yieldStream frees the connection for another statement. A connection of the engine has one
// open stream, but a client may leave portals half read. The rest of such a portal moves to a
// temporary table, which the engine spills to disk (decision A4).
func (s *Session) yieldStream(ctx context.Context) error {
	stream := s.open
	if stream == nil {
		return nil
	}
	s.open = nil
	return stream.MoveAside(ctx)
}
