package gateway

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/ontosql/ontosql"
)

// gates let the statements that write a type through: many at a time, or one
// that met a conflict alone (decision A32).
type gates struct {
	mu   sync.Mutex
	gate map[ontosql.TypeRef]*gate
}

type gate struct {
	turn *semaphore.Weighted // of those who want to be alone, one after the other
	pass *semaphore.Weighted // everybody at once, or one alone
}

const (
	// everybody is how many may pass together, more than there are sessions.
	everybody = 1 << 20
	// clearing bounds the wait until those who are inside have left, during which
	// nobody else is let in: a statement that runs for minutes must not stop all
	// others.
	clearing = time.Second
)

func (g *gates) of(t ontosql.TypeRef) *gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gate == nil {
		g.gate = map[ontosql.TypeRef]*gate{}
	}
	if g.gate[t] == nil {
		g.gate[t] = &gate{turn: semaphore.NewWeighted(1), pass: semaphore.NewWeighted(everybody)}
	}
	return g.gate[t]
}

// enter waits for its turn and returns what ends it.
func (g *gates) enter(ctx context.Context, t ontosql.TypeRef, alone bool) (leave func(), err error) {
	gate := g.of(t)
	if !alone {
		if gate.pass.Acquire(ctx, 1) != nil {
			return nil, context.Cause(ctx)
		}
		return func() { gate.pass.Release(1) }, nil
	}
	if gate.turn.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	short, cancel := context.WithTimeout(ctx, clearing)
	defer cancel()
	inside := int64(everybody)
	if gate.pass.Acquire(short, inside) != nil {
		if inside = 1; gate.pass.Acquire(ctx, inside) != nil {
			gate.turn.Release(1)
			return nil, context.Cause(ctx)
		}
	}
	return func() {
		gate.pass.Release(inside)
		gate.turn.Release(1)
	}, nil
}
