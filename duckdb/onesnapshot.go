package duckdb

import (
	"context"
	"errors"

	raw "github.com/duckdb/duckdb-go-bindings"
)

// OnOneSnapshot is for a query of rows that other connections change meanwhile: run prepares and
// starts it, within a transaction that ends with the rows. By itself, a statement is planned in one
// transaction and run in a later one; its plan leaves out conditions that held for all rows when it
// was planned, and so it may show rows that came in between, or miss them. The connection must not
// be in a transaction.
func (c *Conn) OnOneSnapshot(ctx context.Context, run func() (*Rows, error)) (*Rows, error) {
	for try := 0; ; try++ {
		if err := c.Exec(ctx, "BEGIN TRANSACTION"); err != nil {
			return nil, err
		}
		c.transaction = true
		r, err := run()
		c.transaction = false
		if err == nil {
			r.transaction = true
			return r, nil
		}
		_ = c.endTransaction("ROLLBACK")
		if !spuriousInterrupt(ctx, err) && !errors.Is(err, ErrSpuriousInterrupt) || try == maxReruns {
			return nil, err
		}
	}
}

// endTransaction runs COMMIT or ROLLBACK, which are not cancelled.
func (c *Conn) endTransaction(sql string) error {
	var result raw.Result
	defer raw.DestroyResult(&result)
	if raw.Query(c.raw, sql, &result) == raw.StateError {
		return c.engine.newError(raw.ResultError(&result))
	}
	return nil
}

// commit commits the transaction of rows that were read to their end.
func (r *Rows) commit() error {
	if !r.transaction {
		return nil
	}
	raw.DestroyResult(&r.result) // which is a statement that still runs
	r.transaction = false
	err := r.conn.endTransaction("COMMIT")
	if err != nil {
		_ = r.conn.endTransaction("ROLLBACK") // there may be nothing to roll back
	}
	return err
}
