package temptable

import (
	"context"
	"io"

	"github.com/ontosql/ontosql/column"
)

// spoolSize is the size in bytes of the rows that a spool keeps in memory.
const spoolSize = 1 << 20

// Spool keeps rows to be read later: up to spoolSize bytes in memory, more of them in a
// temporary table, which the engine spills to disk. A statement with RETURNING keeps its
// rows here until everything it writes is staged.
type Spool struct {
	Tables *Tables
	Types  []column.Type   // of the columns, for Table
	first  []*column.Batch // the rows in memory
	size   int64           // of them, in bytes
	held   *Rows           // all rows, if they are too many for memory
}

// Add adds a batch. The spool owns it from now on.
func (p *Spool) Add(ctx context.Context, b *column.Batch) error {
	if p.held != nil {
		return p.held.Append(ctx, b)
	}
	p.first = append(p.first, b)
	if p.size += b.CopySize(); p.size < spoolSize {
		return nil
	}
	types := make([]column.Type, len(b.Cols))
	for i := range b.Cols {
		types[i] = b.Cols[i].Type
	}
	return p.moveOut(ctx, types)
}

// AddAll adds copies of all rows of a stream, which it does not close.
func (p *Spool) AddAll(ctx context.Context, rows column.Stream) error {
	for {
		b, err := rows.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := p.Add(ctx, b.Copy(0)); err != nil {
			return err
		}
	}
}

// moveOut moves the rows in memory to a table.
func (p *Spool) moveOut(ctx context.Context, types []column.Type) (err error) {
	if p.held, err = p.Tables.NewRows(ctx, types, p.first); err != nil {
		return err
	}
	p.first = nil
	return nil
}

// Table is a table of the rows that were added, which exists until Close.
func (p *Spool) Table(ctx context.Context) (*Rows, error) {
	if p.held == nil {
		if err := p.moveOut(ctx, p.Types); err != nil {
			return nil, err
		}
	}
	return p.held, nil
}

// Stream is the stream of the rows that were added. The caller closes it.
func (p *Spool) Stream(ctx context.Context) (column.Stream, error) {
	if p.held == nil {
		return column.NewBatches(p.first...), nil
	}
	if err := p.held.Read(ctx); err != nil {
		return nil, err
	}
	held := p.held
	p.held = nil
	return held, nil
}

// Close frees the rows, unless rows has returned them.
func (p *Spool) Close() {
	if p.held != nil {
		p.held.Close()
	}
}
