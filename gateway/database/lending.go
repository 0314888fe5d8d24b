package database

import (
	"context"
	"sync"

	"github.com/ontosql/ontosql/duckdb"
)

// mostSpare is the number of connections that are kept for the next borrower.
const mostSpare = 4

// spareConns are the connections to the engine that are lent and that nobody has now.
type spareConns struct {
	mu    sync.Mutex
	conns []*duckdb.Conn
}

// LendConn calls use with a connection to the engine that has a time zone, for a session that has no
// connection of its own (decision A4). use leaves nothing on it.
func (db *Database) LendConn(ctx context.Context, zone string, use func(*duckdb.Conn) error) error {
	conn, err := db.spare.take(ctx, db.Engine)
	if err != nil {
		return err
	}
	defer db.spare.put(conn)
	if err := conn.SetZone(ctx, zone); err != nil {
		return err
	}
	return use(conn)
}

func (s *spareConns) take(ctx context.Context, engine *duckdb.Engine) (*duckdb.Conn, error) {
	s.mu.Lock()
	if n := len(s.conns); n > 0 {
		defer s.mu.Unlock()
		conn := s.conns[n-1]
		s.conns = s.conns[:n-1]
		return conn, nil
	}
	s.mu.Unlock()
	return engine.Conn(ctx)
}

func (s *spareConns) put(conn *duckdb.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) == mostSpare {
		conn.Close()
		return
	}
	s.conns = append(s.conns, conn)
}

// close closes the connections; all have come back.
func (s *spareConns) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.conns {
		conn.Close()
	}
	s.conns = nil
}
