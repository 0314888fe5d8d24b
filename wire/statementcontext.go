package wire

import (
	"context"
	"sync"
)

// statementContext is the context of messages that are handled without the session becoming idle
// between them. A CancelRequest cancels it. There is none while the session is idle, so that a
// CancelRequest has no effect then.
type statementContext struct {
	life context.Context // the context of the session

	mu   sync.Mutex
	ctx  context.Context
	stop context.CancelCauseFunc
}

func (b *statementContext) begin() context.Context {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx == nil {
		b.ctx, b.stop = context.WithCancelCause(b.life)
	}
	return b.ctx
}

func (b *statementContext) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx != nil {
		b.stop(nil)
		b.ctx, b.stop = nil, nil
	}
}

func (b *statementContext) cancel(cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx != nil {
		b.stop(cause)
	}
}
