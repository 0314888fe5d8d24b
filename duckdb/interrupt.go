package duckdb

import (
	"context"
	"fmt"
	"io"
	"time"

	raw "github.com/duckdb/duckdb-go-bindings"
)

// interruptEvery is the interval at which an interrupt is repeated: DuckDB ignores one that
// arrives between planning and execution.
const interruptEvery = 2 * time.Millisecond

// interruptible runs call, which blocks inside DuckDB, and interrupts it when ctx ends
// (decision A25). The error of an interrupted call is the context's cause, whatever error
// DuckDB returned. A call that succeeded in spite of the interrupt has taken effect (a COMMIT,
// for example) and is not reported as failed.
func (c *Conn) interruptible(ctx context.Context, call func() error) error {
	if err := ctx.Err(); err != nil {
		return interrupted(ctx)
	}
	if ctx.Done() == nil {
		return call()
	}
	c.done.Store(ctx.Done())
	defer c.done.Store((<-chan struct{})(nil))
	returned, quiet := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(quiet)
		tick := time.NewTicker(interruptEvery)
		defer tick.Stop()
		for {
			raw.Interrupt(c.raw)
			select {
			case <-returned:
				return
			case <-tick.C:
			}
		}
	})
	err := call()
	close(returned)
	if !stop() {
		// Wait for the last interrupt, which would hit the connection's next statement.
		<-quiet
	}
	if err != nil && err != io.EOF && ctx.Err() != nil {
		return interrupted(ctx)
	}
	return err
}

func interrupted(ctx context.Context) error {
	return fmt.Errorf("interrupted: %w", context.Cause(ctx))
}
