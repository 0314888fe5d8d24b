package wire

import (
	"context"
	"sync"
)

// statementContext is the context of the messages that are handled without an idle pause between them. A
// CancelRequest ends it and has no effect on an idle session.
type statementContext struct {
	life context.Context // of the session

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
