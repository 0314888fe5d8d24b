package duckdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/column"
)

var (
	// ErrBusy is returned while the connection has an open Rows. Another statement would end
	// that stream, so its reader must drain or close it first (decision A4).
	ErrBusy = errors.New("connection has an open result")
	// ErrNotOneStatement is returned for a text with no statement or with several.
	ErrNotOneStatement = errors.New("not exactly one statement")
	// ErrSpuriousInterrupt is returned if DuckDB interrupted the statement without a cancelled
	// context, after its snapshot was fixed. No row was returned; the statement can be run
	// again.
	ErrSpuriousInterrupt = errors.New("statement was cut off")
)

// Conn is one connection, with its settings, transaction, temporary tables and at most one
// open Rows. It is not safe for concurrent use.
type Conn struct {
	engine *Engine
	raw    raw.Connection
	number int64        // DuckDB's connection id
	zone   string       // its time zone
	done   atomic.Value // <-chan struct{}: closed when the running call is cancelled
	open   *Rows
	// transaction: OnOneSnapshot starts a query.
	transaction bool
}

// Conn opens a connection. The caller closes it.
func (e *Engine) Conn(ctx context.Context) (*Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("connect: %w", context.Cause(ctx))
	}
	if err := e.Err(); err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	c := &Conn{engine: e, zone: DefaultZone}
	if raw.Connect(e.db, &c.raw) == raw.StateError {
		// It returns an error without a text if it cannot allocate the connection.
		return nil, fmt.Errorf("connect: %w", &Error{Type: OutOfMemory, Condition: MemoryExhausted, Position: -1, Message: "no memory for a connection"})
	}
	var own raw.ClientContext
	raw.ConnectionGetClientContext(c.raw, &own)
	defer raw.DestroyClientContext(&own)
	c.number = int64(raw.ClientContextGetConnectionId(own))
	e.conns.Store(c.number, c)
	return c, nil
}

// Close closes an open Rows, rolls back an open transaction and disconnects. Statements of the
// connection must not be used afterwards.
func (c *Conn) Close() {
	if c.open != nil {
		c.open.release()
	}
	raw.Disconnect(&c.raw)
	c.engine.conns.Delete(c.number)
}

// SetZone sets the time zone, if the connection has another.
func (c *Conn) SetZone(ctx context.Context, zone string) error {
	if zone == c.zone {
		return nil
	}
	err := c.Exec(ctx, "SET TimeZone = "+Literal(zone))
	if err == nil {
		c.zone = zone
	}
	return err
}

// Exec runs one statement and discards its rows. It expects the statement to be short
// (Stmt.ExpectShort).
func (c *Conn) Exec(ctx context.Context, sql string) error { return c.exec(ctx, sql, false) }

// ExecBackground is Exec for a long statement that may run on a single worker thread: the
// calling thread sleeps instead of polling, which leaves its processor to others.
func (c *Conn) ExecBackground(ctx context.Context, sql string) error { return c.exec(ctx, sql, true) }

func (c *Conn) exec(ctx context.Context, sql string, background bool) error {
	s, err := c.Prepare(ctx, sql)
	if err != nil {
		return err
	}
	defer s.Close()
	s.short, s.background = !background, background
	rows, err := s.Query(ctx, nil)
	if err != nil {
		return err
	}
	return rows.drain(ctx)
}

// ExecAll runs statements one after the other up to the first error. It is Exec for constant
// statements, such as hundreds of definitions: none is prepared, which saves a third of their
// time.
func (c *Conn) ExecAll(ctx context.Context, statements []string) error {
	if c.open != nil {
		return ErrBusy
	}
	sql := strings.Join(statements, ";\n")
	if err := checkText(sql); err != nil {
		return err
	}
	return c.interruptible(ctx, func() error {
		var result raw.Result
		defer raw.DestroyResult(&result)
		if raw.Query(c.raw, sql, &result) == raw.StateError {
			return c.engine.newError(raw.ResultError(&result))
		}
		return nil
	})
}

// ExecTogether is ExecAll in a transaction of its own: if it returns an error, no statement has
// taken effect. The connection must not be in a transaction.
func (c *Conn) ExecTogether(ctx context.Context, statements []string) error {
	all := slices.Concat([]string{"BEGIN TRANSACTION"}, statements, []string{"COMMIT"})
	for try := 0; ; try++ {
		err := c.ExecAll(ctx, all)
		if err == nil || errors.Is(err, ErrBusy) {
			return err
		}
		_ = c.Exec(context.WithoutCancel(ctx), "ROLLBACK") // there may be nothing to roll back
		if !spuriousInterrupt(ctx, err) || try == maxReruns {
			return err
		}
	}
}

// Each runs one query, which it expects to be short, and calls visit for each row. args are those
// of Stmt.Query.
func (c *Conn) Each(ctx context.Context, sql string, args []any, visit func(b *column.Batch, i int)) error {
	s, err := c.Prepare(ctx, sql)
	if err != nil {
		return err
	}
	defer s.Close()
	s.ExpectShort()
	rows, err := s.Query(ctx, args)
	if err != nil {
		return err
	}
	return rows.Each(ctx, visit)
}

// Prepare plans exactly one statement. The caller closes it.
func (c *Conn) Prepare(ctx context.Context, sql string) (*Stmt, error) {
	if c.open != nil {
		return nil, ErrBusy
	}
	if err := checkText(sql); err != nil {
		return nil, err
	}
	s := &Stmt{conn: c}
	err := c.interruptible(ctx, func() error {
		var list raw.ExtractedStatements
		defer raw.DestroyExtracted(&list)
		switch n := raw.ExtractStatements(c.raw, sql, &list); {
		case n == 0:
			if text := raw.ExtractStatementsError(list); text != "" {
				return c.engine.newError(text)
			}
			return ErrNotOneStatement
		case n > 1:
			return ErrNotOneStatement
		}
		if raw.PrepareExtractedStatement(c.raw, list, 0, &s.raw) == raw.StateError {
			return c.engine.newError(raw.PrepareError(s.raw))
		}
		return nil
	})
	if err != nil {
		raw.DestroyPrepare(&s.raw)
		return nil, err
	}
	s.describe()
	return s, nil
}

// checkText is the error of a text with a NUL: the C API ends the text there, and would run what
// precedes it.
func checkText(sql string) error {
	if strings.IndexByte(sql, 0) >= 0 {
		return &Error{Type: InvalidInput, Position: -1, Message: "statement contains a NUL byte"}
	}
	return nil
}
