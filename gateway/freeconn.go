package gateway

import (
	"context"
	"fmt"
	"io"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/temptable"
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
	p := s.open
	if p == nil {
		return nil
	}
	s.open = nil
	streaming, ok := p.rows.(*engineRows)
	if !ok {
		return nil
	}
	held, err := s.hold(ctx, streaming)
	streaming.Close()
	if err != nil {
		p.rows, p.lost = nil, fmt.Errorf("hold the rows of an open portal: %w", err)
		return p.lost
	}
	p.rows = held
	return nil
}

// hold moves the rest of a stream into a table.
func (s *Session) hold(ctx context.Context, from *engineRows) (_ *temptable.Rows, err error) {
	types := make([]column.Type, len(from.plan.Columns)) // the engine has one more where there are none
	for i := range types {
		types[i] = from.rows.Columns()[i].Type
	}
	held, err := s.temp.NewRows(ctx, types, nil)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			held.Close()
		}
	}()
	for {
		batch, err := from.Next(ctx)
		if err == io.EOF {
			return held, held.Read(ctx)
		}
		if err != nil {
			return nil, err
		}
		if err := held.Append(ctx, batch); err != nil {
			return nil, err
		}
	}
}
