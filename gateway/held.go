package gateway

import (
	"context"
	"fmt"
	"io"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/storage"
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

// hold moves the rest of a stream into a table.
func (s *Session) hold(ctx context.Context, from *engineRows) (_ *heldRows, err error) {
	types := make([]column.Type, len(from.rows.Columns()))
	for i, c := range from.rows.Columns() {
		types[i] = c.Type
	}
	held, err := s.newHeld(ctx, types, nil)
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
			return held, held.read(ctx)
		}
		if err != nil {
			return nil, err
		}
		if err := held.append(ctx, batch); err != nil {
			return nil, err
		}
	}
}

// heldRows are rows that were moved out of the way.
type heldRows struct {
	session *Session
	conn    *duckdb.Conn // of its own: the session's serves the next statement
	name    string       // of the table
	stmt    *duckdb.Stmt
	rows    *duckdb.Rows
}

// table is the table, quoted for SQL.
func (h *heldRows) table() string { return storage.SessionSchema + "." + h.name }

// heldName is the name of its column i.
func heldName(i int) string { return fmt.Sprintf("c%d", i) }

// newHeld makes a table of rows. The caller closes it.
func (s *Session) newHeld(ctx context.Context, types []column.Type, batches []*column.Batch) (*heldRows, error) {
	cols := make([]column.Named, len(types))
	for i, t := range types {
		cols[i] = column.Named{Name: heldName(i), Type: t}
	}
	conn, err := s.db.engine.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s.temps++
	h := &heldRows{session: s, conn: conn, name: fmt.Sprintf("p%d_%d", s.serial, s.temps)}
	if err := conn.Load(ctx, storage.SessionSchema, h.name, cols, batches...); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// append adds rows behind the others.
func (h *heldRows) append(ctx context.Context, b *column.Batch) error {
	return h.conn.Append(ctx, storage.SessionSchema, h.name, b)
}

// read begins to read the rows; none is added afterwards.
func (h *heldRows) read(ctx context.Context) error {
	return h.query(ctx, "SELECT * FROM "+h.table())
}

// readSlice begins to read the rows with these numbers, from 1, in their order or in
// the opposite one.
func (h *heldRows) readSlice(ctx context.Context, from, to int64, back bool) error {
	order := ""
	if back {
		order = " DESC"
	}
	return h.query(ctx, fmt.Sprintf("SELECT * FROM %s WHERE rowid BETWEEN %d AND %d ORDER BY rowid%s", h.table(), from-1, to-1, order))
}

// query begins to read; earlier reading ends.
func (h *heldRows) query(ctx context.Context, sql string) (err error) {
	h.endRead()
	if h.stmt, err = h.conn.Prepare(ctx, sql); err != nil {
		return err
	}
	h.rows, err = h.stmt.Query(ctx, nil)
	return err
}

// endRead ends reading; the rows stay.
func (h *heldRows) endRead() {
	if h.rows != nil {
		h.rows.Close()
		h.rows = nil
	}
	if h.stmt != nil {
		h.stmt.Close()
		h.stmt = nil
	}
}

func (h *heldRows) Next(ctx context.Context) (*column.Batch, error) { return h.rows.Next(ctx) }

func (h *heldRows) Close() {
	h.endRead()
	if err := h.conn.Exec(context.Background(), "DROP TABLE IF EXISTS "+h.table()); err != nil {
		h.session.log.Warn("held rows stay in memory", "error", err)
	}
	h.conn.Close()
}
