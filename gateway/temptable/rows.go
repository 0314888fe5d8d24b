package temptable

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// Rows are rows in a temporary table, which the engine spills to disk. They are read
// as a stream.
type Rows struct {
	conn *duckdb.Conn // of its own: the session's connection serves the next statement
	log  *slog.Logger
	name string // of the table
	bare bool   // the rows have no columns: the table has one, of false
	stmt *duckdb.Stmt
	rows *duckdb.Rows
}

// Table is the name of the table, quoted for SQL.
func (h *Rows) Table() string { return Schema + "." + h.name }

// ColumnName is the name of column i of a table of rows.
func ColumnName(i int) string { return fmt.Sprintf("c%d", i) }

// NewRows makes a table of rows with the given columns. The caller closes it.
func (t *Tables) NewRows(ctx context.Context, types []column.Type, batches []*column.Batch) (*Rows, error) {
	cols := make([]column.Named, len(types))
	for i, t := range types {
		cols[i] = column.Named{Name: ColumnName(i), Type: t}
	}
	conn, err := t.engine.Conn(ctx)
	if err != nil {
		return nil, err
	}
	h := &Rows{conn: conn, log: t.log, name: t.Name("p"), bare: len(types) == 0}
	if h.bare {
		cols = []column.Named{{Name: ColumnName(0), Type: column.Type{Kind: column.Bool}}}
	}
	stored := make([]*column.Batch, len(batches))
	for i, b := range batches {
		stored[i] = h.stored(b)
	}
	if err := conn.Load(ctx, Schema, h.name, cols, stored...); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// Fill makes a table of rows that fill appends. The caller closes it.
func (t *Tables) Fill(ctx context.Context, types []column.Type, fill func(*Rows) error) (*Rows, error) {
	h, err := t.NewRows(ctx, types, nil)
	if err != nil {
		return nil, err
	}
	if err := fill(h); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// Append adds rows after the others.
func (h *Rows) Append(ctx context.Context, b *column.Batch) error {
	return h.conn.Append(ctx, Schema, h.name, h.stored(b))
}

// stored is a batch with the columns of the table.
func (h *Rows) stored(b *column.Batch) *column.Batch {
	if !h.bare {
		return b
	}
	return &column.Batch{Len: b.Len, Cols: []column.Vector{{Type: column.Type{Kind: column.Bool}, Bool: make([]bool, b.Len)}}}
}

// Read starts to read all rows. No rows may be added afterwards.
func (h *Rows) Read(ctx context.Context) error {
	return h.query(ctx, "SELECT * FROM "+h.Table())
}

// ReadRange starts to read the rows with the numbers from and to, counted from 1, forward
// or backward.
func (h *Rows) ReadRange(ctx context.Context, from, to int64, back bool) error {
	order := ""
	if back {
		order = " DESC"
	}
	return h.query(ctx, fmt.Sprintf("SELECT * FROM %s WHERE rowid BETWEEN %d AND %d ORDER BY rowid%s", h.Table(), from-1, to-1, order))
}

// query starts to read; an earlier read ends.
func (h *Rows) query(ctx context.Context, sql string) (err error) {
	h.EndRead()
	if h.stmt, err = h.conn.Prepare(ctx, sql); err != nil {
		return err
	}
	h.rows, err = h.stmt.Query(ctx, nil)
	return err
}

// EndRead ends a read; the rows stay.
func (h *Rows) EndRead() {
	if h.rows != nil {
		h.rows.Close()
		h.rows = nil
	}
	if h.stmt != nil {
		h.stmt.Close()
		h.stmt = nil
	}
}

// Next returns the next batch of the read that was started (column.Stream).
func (h *Rows) Next(ctx context.Context) (*column.Batch, error) {
	b, err := h.rows.Next(ctx)
	if err == nil && h.bare {
		b.Cols = nil
	}
	return b, err
}

// Close drops the table (column.Stream).
func (h *Rows) Close() {
	h.EndRead()
	if err := h.conn.Exec(context.Background(), "DROP TABLE IF EXISTS "+h.Table()); err != nil {
		h.log.Warn("temporary rows stay in memory", "error", err)
	}
	h.conn.Close()
}
