package gateway

import (
	"context"
	"fmt"
	"io"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// yieldStream frees the connection for another statement. The engine keeps one
// open stream for each connection, while a client may leave portals half read:
// the rest of such a portal moves into a table of the engine, which spills to
// disk like any other (decision A4).
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

// hold moves the rest of a stream into a table, behind batches that were read
// from it already.
func (s *Session) hold(ctx context.Context, from *engineRows, read ...*column.Batch) (*heldRows, error) {
	conn, err := s.db.engine.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s.temps++
	name := fmt.Sprintf("p%d_%d", s.serial, s.temps)
	cols := make([]column.Named, len(from.rows.Columns()))
	for i, c := range from.rows.Columns() {
		cols[i] = column.Named{Name: fmt.Sprintf("c%d", i), Type: c.Type}
	}
	held := &heldRows{session: s, conn: conn, table: sessionSchema + "." + name}
	if err := held.fill(ctx, name, cols, from, read); err != nil {
		held.Close()
		return nil, err
	}
	return held, nil
}

// heldRows are rows that were moved out of the way.
type heldRows struct {
	session *Session
	conn    *duckdb.Conn // of its own: the session's serves the next statement
	table   string
	stmt    *duckdb.Stmt
	rows    *duckdb.Rows
}

func (h *heldRows) fill(ctx context.Context, name string, cols []column.Named, from *engineRows, read []*column.Batch) error {
	if err := h.conn.Load(ctx, sessionSchema, name, cols, read...); err != nil {
		return err
	}
	for {
		batch, err := from.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := h.conn.Append(ctx, sessionSchema, name, batch); err != nil {
			return err
		}
	}
	var err error
	if h.stmt, err = h.conn.Prepare(ctx, "SELECT * FROM "+h.table); err != nil {
		return err
	}
	h.rows, err = h.stmt.Query(ctx, nil)
	return err
}

func (h *heldRows) Next(ctx context.Context) (*column.Batch, error) { return h.rows.Next(ctx) }

func (h *heldRows) Close() {
	if h.rows != nil {
		h.rows.Close()
	}
	if h.stmt != nil {
		h.stmt.Close()
	}
	if err := h.conn.Exec(context.Background(), "DROP TABLE IF EXISTS "+h.table); err != nil {
		h.session.log.Warn("held rows stay in memory", "error", err)
	}
	h.conn.Close()
}
