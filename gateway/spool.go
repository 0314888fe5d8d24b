package gateway

import (
	"context"

	"github.com/ontosql/ontosql/column"
)

// spoolSize is how many bytes of rows a spool keeps in memory.
const spoolSize = 1 << 20

// spool keeps the rows that a writing statement returns until all it writes is
// staged, and committed where it stands alone: a few in memory, more in a table
// of the engine, which spills.
type spool struct {
	session *Session
	first   []*column.Batch
	size    int64
	held    *heldRows // once they are too many for memory
}

// add takes the next batch, which is the spool's from now on.
func (p *spool) add(ctx context.Context, b *column.Batch) error {
	if p.held != nil {
		return p.held.append(ctx, b)
	}
	p.first = append(p.first, b)
	if p.size += b.CopySize(); p.size < spoolSize {
		return nil
	}
	types := make([]column.Type, len(b.Cols))
	for i := range b.Cols {
		types[i] = b.Cols[i].Type
	}
	var err error
	if p.held, err = p.session.newHeld(ctx, types, p.first); err != nil {
		return err
	}
	p.first = nil
	return nil
}

// rows are the rows that were added, which are the caller's to close.
func (p *spool) rows(ctx context.Context) (rows, error) {
	if p.held == nil {
		return &keptRows{p.first}, nil
	}
	if err := p.held.read(ctx); err != nil {
		return nil, err
	}
	held := p.held
	p.held = nil
	return held, nil
}

// drop forgets the rows.
func (p *spool) drop() {
	if p.held != nil {
		p.held.Close()
	}
}
