package column

import (
	"context"
	"io"
)

// Stream gives rows in batches. Next returns io.EOF after the last batch; a batch may be
// reused by the next call. The reader closes the stream.
type Stream interface {
	Next(ctx context.Context) (*Batch, error)
	Close()
}

// Batches is a Stream of batches in memory.
type Batches struct{ rest []*Batch }

// NewBatches makes a stream of batches, which it does not change.
func NewBatches(batches ...*Batch) *Batches { return &Batches{batches} }

// Next returns the next batch (Stream). It returns the cause of a ctx that has ended.
func (b *Batches) Next(ctx context.Context) (*Batch, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(b.rest) == 0 {
		return nil, io.EOF
	}
	next := b.rest[0]
	b.rest = b.rest[1:]
	return next, nil
}

// Close does nothing (Stream).
func (b *Batches) Close() {}
