package duckdb

import (
	"context"

	raw "github.com/duckdb/duckdb-go-bindings"
)

// WatchProgress makes the engine keep account of how far the statements of the
// connection are, for Progress.
func (c *Conn) WatchProgress(ctx context.Context) error {
	for _, sql := range []string{
		"SET enable_progress_bar = true",
		"SET enable_progress_bar_print = false",
		"SET progress_bar_time = 0", // milliseconds before it is first computed
	} {
		if err := c.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// Progress is about which part of the statement that runs is done, from 0 to 1;
// 0 where the engine cannot tell, and while none runs. It may be called from any
// goroutine until Close.
func (c *Conn) Progress() float64 {
	p := raw.QueryProgress(c.raw)
	percentage, _, _ := raw.QueryProgressTypeMembers(&p)
	return min(max(percentage, 0), 100) / 100
}
