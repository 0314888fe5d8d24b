package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/column"
)

// Table is the content of a table that Load makes.
type Table struct {
	Name    string
	Columns []column.Named
	Batches []*column.Batch // each with Columns, in their order
}

// Source gives batches, io.EOF behind the last. Each is valid until the next one is
// asked for.
type Source interface {
	Next(ctx context.Context) (*column.Batch, error)
}

// batches are a Source.
type batches []*column.Batch

func (b *batches) Next(context.Context) (*column.Batch, error) {
	if len(*b) == 0 {
		return nil, io.EOF
	}
	first := (*b)[0]
	*b = (*b)[1:]
	return first, nil
}

// Load makes schema.table consist of the given columns and rows, whatever it
// was before, in a transaction of its own: other connections see the old table
// or the new one. The schema is created when it is missing. Every batch has
// the columns cols, in their order. Type.Name is not kept (see TypeName).
func (c *Conn) Load(ctx context.Context, schema, table string, cols []column.Named, rows ...*column.Batch) error {
	return c.LoadAll(ctx, schema, []Table{{Name: table, Columns: cols, Batches: rows}})
}

// LoadAll is Load of several tables in one transaction.
func (c *Conn) LoadAll(ctx context.Context, schema string, tables []Table) error {
	return c.inTransaction(ctx, schema, func() error {
		for _, t := range tables {
			if err := c.load(ctx, schema, t.Name, t.Columns, (*batches)(&t.Batches)); err != nil {
				return fmt.Errorf("load %s.%s: %w", schema, t.Name, err)
			}
		}
		return nil
	})
}

// LoadFrom is Load of the rows of a source, as many as they are: of those on their
// way no more than some ten thousand are in memory outside the engine. What the
// source returns as its error is returned as it is.
func (c *Conn) LoadFrom(ctx context.Context, schema, table string, cols []column.Named, rows Source) error {
	return c.inTransaction(ctx, schema, func() error { return c.load(ctx, schema, table, cols, rows) })
}

// inTransaction runs a load into a schema, which is created when it is missing.
func (c *Conn) inTransaction(ctx context.Context, schema string, load func() error) (err error) {
	if err := c.Exec(ctx, "BEGIN"); err != nil {
		return fmt.Errorf("load into %s: %w", schema, err)
	}
	defer func() {
		if err != nil {
			// The caller's context may be the reason for the error.
			err = errors.Join(err, c.Exec(context.WithoutCancel(ctx), "ROLLBACK"))
		}
	}()
	if err := c.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+Ident(schema)); err != nil {
		return fmt.Errorf("load into %s: %w", schema, err)
	}
	if err := load(); err != nil {
		return err
	}
	return c.Exec(ctx, "COMMIT")
}

func (c *Conn) load(ctx context.Context, schema, table string, cols []column.Named, rows Source) error {
	defs := make([]string, len(cols))
	for i, col := range cols {
		defs[i] = Ident(col.Name) + " " + TypeName(col.Type)
	}
	err := c.Exec(ctx, "CREATE OR REPLACE TABLE "+Ident(schema)+"."+Ident(table)+" ("+strings.Join(defs, ", ")+")")
	if err != nil {
		return err
	}
	first, err := rows.Next(ctx)
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	return c.append(ctx, schema, table, first, rows)
}

// Append adds rows to a table in the connection's transaction, or in one of its
// own. The batches have the table's columns, in their order.
func (c *Conn) Append(ctx context.Context, schema, table string, rows ...*column.Batch) error {
	return c.append(ctx, schema, table, nil, (*batches)(&rows))
}

// append adds a batch, if it is not nil, and those of a source.
func (c *Conn) append(ctx context.Context, schema, table string, batch *column.Batch, rows Source) error {
	if c.open != nil {
		return ErrBusy
	}
	var app raw.Appender
	defer raw.AppenderDestroy(&app)
	if raw.AppenderCreate(c.raw, schema, table, &app) == raw.StateError {
		return c.appenderError(app)
	}
	types := make([]raw.LogicalType, raw.AppenderColumnCount(app))
	for i := range types {
		types[i] = raw.AppenderColumnType(app, raw.IdxT(i))
		defer raw.DestroyLogicalType(&types[i])
	}
	chunk := raw.CreateDataChunk(types)
	defer raw.DestroyDataChunk(&chunk)
	for {
		if batch != nil {
			if len(batch.Cols) != len(types) {
				return fmt.Errorf("append to %s.%s: %d columns for a table of %d", schema, table, len(batch.Cols), len(types))
			}
			if err := c.appendBatch(ctx, app, chunk, batch); err != nil {
				return fmt.Errorf("append to %s.%s: %w", schema, table, err)
			}
		}
		var err error
		if batch, err = rows.Next(ctx); err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	return c.interruptible(ctx, func() error {
		if raw.AppenderClose(app) == raw.StateError {
			return c.appenderError(app)
		}
		return nil
	})
}

// appendBatch hands a batch to an appender, a chunk at a time.
func (c *Conn) appendBatch(ctx context.Context, app raw.Appender, chunk raw.DataChunk, batch *column.Batch) error {
	for from := 0; from < batch.Len; {
		n := min(batch.Len-from, int(raw.VectorSize()))
		if err := ctx.Err(); err != nil {
			return interrupted(ctx)
		}
		raw.DataChunkReset(chunk)
		for i := range batch.Cols {
			if err := write(raw.DataChunkGetVector(chunk, raw.IdxT(i)), &batch.Cols[i], from, n, nil); err != nil {
				return fmt.Errorf("column %d: %w", i+1, err)
			}
		}
		raw.DataChunkSetSize(chunk, raw.IdxT(n))
		if raw.AppendDataChunk(app, chunk) == raw.StateError {
			return c.appenderError(app)
		}
		from += n
	}
	return nil
}

func (c *Conn) appenderError(app raw.Appender) error {
	data := raw.AppenderErrorData(app)
	defer raw.DestroyErrorData(&data)
	return c.engine.newError(raw.ErrorDataMessage(data))
}
