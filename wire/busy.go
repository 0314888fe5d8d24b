package wire

import (
	"context"
	"sync"
)

// busy is the context under which messages are handled: one from the first
// message after idleness to the next idleness or error, so that a CancelRequest
// reaches what runs, and an idle session not at all.
type busy struct {
	life context.Context // of the session

	mu   sync.Mutex
	ctx  context.Context
	stop context.CancelCauseFunc
}

func (b *busy) begin() context.Context {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx == nil {
		b.ctx, b.stop = context.WithCancelCause(b.life)
	}
	return b.ctx
}

func (b *busy) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx != nil {
		b.stop(nil)
		b.ctx, b.stop = nil, nil
	}
}

func (b *busy) cancel(cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx != nil {
		b.stop(cause)
	}
}
