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

// Table is a table for LoadAll.
type Table struct {
	Name    string
	Columns []column.Named
	Batches []*column.Batch // with the columns Columns, in that order
}

// Source returns batches and then io.EOF. A batch is valid until the next call of Next.
type Source interface {
	Next(ctx context.Context) (*column.Batch, error)
}

// batches implements Source.
type batches []*column.Batch

func (b *batches) Next(context.Context) (*column.Batch, error) {
	if len(*b) == 0 {
		return nil, io.EOF
	}
	first := (*b)[0]
	*b = (*b)[1:]
	return first, nil
}

// Load creates or replaces schema.table with the given columns and rows, in a transaction of
// its own: other connections see either the old or the new table. A missing schema is created.
// Every batch has the columns cols, in that order. Type.Name is not stored (see TypeName).
func (c *Conn) Load(ctx context.Context, schema, table string, cols []column.Named, rows ...*column.Batch) error {
	return c.LoadAll(ctx, schema, []Table{{Name: table, Columns: cols, Batches: rows}})
}

// LoadAll loads several tables in one transaction.
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

// LoadFrom loads the rows of a source of any size: at most some ten thousand rows are in
// memory outside DuckDB. An error of the source is returned unchanged.
func (c *Conn) LoadFrom(ctx context.Context, schema, table string, cols []column.Named, rows Source) error {
	return c.inTransaction(ctx, schema, func() error { return c.load(ctx, schema, table, cols, rows) })
}

// inTransaction runs load in a transaction, after creating the schema if it is missing.
func (c *Conn) inTransaction(ctx context.Context, schema string, load func() error) (err error) {
	if c.open != nil {
		return ErrBusy
	}
	defer func() {
		if err != nil {
			// The caller's context may have ended.
			err = errors.Join(err, c.Exec(context.WithoutCancel(ctx), "ROLLBACK"))
		}
	}()
	if err := c.ExecAll(ctx, []string{"BEGIN", "CREATE SCHEMA IF NOT EXISTS " + Ident(schema)}); err != nil {
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

// Append inserts rows into a table, in the connection's transaction if there is one. The
// batches have the table's columns, in that order.
func (c *Conn) Append(ctx context.Context, schema, table string, rows ...*column.Batch) error {
	return c.append(ctx, schema, table, nil, (*batches)(&rows))
}

// append appends a batch, if it is not nil, and then those of a source.
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

// appendBatch appends a batch, chunk by chunk.
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
