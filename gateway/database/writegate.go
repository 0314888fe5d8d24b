package database

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/ontosql/ontosql"
)

// WriteGates admit the statements that write a type: many at a time, or one alone that runs
// again after a conflict (decision A32).
type WriteGates struct {
	mu   sync.Mutex
	gate map[ontosql.TypeRef]*gate
}

type gate struct {
	turn *semaphore.Weighted // held by the statement that runs alone or is about to
	pass *semaphore.Weighted // 1 for each statement, all for one that runs alone
}

const (
	// everybody is the weight of all statements, more than there are sessions.
	everybody = 1 << 20
	// clearing bounds the wait for the statements inside to end. No other statement is
	// admitted during the wait, so a statement that runs for minutes must not prolong it.
	clearing = time.Second
)

func (g *WriteGates) of(t ontosql.TypeRef) *gate {
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

// Enter waits until the statement is admitted. The caller calls leave after the statement.
func (g *WriteGates) Enter(ctx context.Context, t ontosql.TypeRef, alone bool) (leave func(), err error) {
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
