package duckdb

import (
	"context"

	raw "github.com/duckdb/duckdb-go-bindings"
)

// WatchProgress enables progress tracking for the statements of the connection.
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

// Progress returns the estimated progress of the running statement, from 0 to 1; 0 if it is
// unknown or no statement runs. It may be called from any goroutine until Close.
func (c *Conn) Progress() float64 {
	p := raw.QueryProgress(c.raw)
	percentage, _, _ := raw.QueryProgressTypeMembers(&p)
	return min(max(percentage, 0), 100) / 100
}
