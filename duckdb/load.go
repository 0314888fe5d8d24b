package duckdb

import (
	"context"
	"errors"
	"fmt"
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

// Load makes schema.table consist of the given columns and rows, whatever it
// was before, in a transaction of its own: other connections see the old table
// or the new one. The schema is created when it is missing. Every batch has
// the columns cols, in their order. Type.Name is not kept (see TypeName).
func (c *Conn) Load(ctx context.Context, schema, table string, cols []column.Named, batches ...*column.Batch) error {
	return c.LoadAll(ctx, schema, []Table{{Name: table, Columns: cols, Batches: batches}})
}

// LoadAll is Load of several tables in one transaction.
func (c *Conn) LoadAll(ctx context.Context, schema string, tables []Table) (err error) {
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
	for _, t := range tables {
		if err := c.load(ctx, schema, t); err != nil {
			return fmt.Errorf("load %s.%s: %w", schema, t.Name, err)
		}
	}
	return c.Exec(ctx, "COMMIT")
}

func (c *Conn) load(ctx context.Context, schema string, t Table) error {
	defs := make([]string, len(t.Columns))
	for i, col := range t.Columns {
		defs[i] = Ident(col.Name) + " " + TypeName(col.Type)
	}
	err := c.Exec(ctx, "CREATE OR REPLACE TABLE "+Ident(schema)+"."+Ident(t.Name)+" ("+strings.Join(defs, ", ")+")")
	if err != nil || len(t.Batches) == 0 {
		return err
	}
	return c.Append(ctx, schema, t.Name, t.Batches...)
}

// Append adds rows to a table in the connection's transaction, or in one of its
// own. The batches have the table's columns, in their order.
func (c *Conn) Append(ctx context.Context, schema, table string, batches ...*column.Batch) error {
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
	for _, batch := range batches {
		if len(batch.Cols) != len(types) {
			return fmt.Errorf("append to %s.%s: %d columns for a table of %d", schema, table, len(batch.Cols), len(types))
		}
		for from := 0; from < batch.Len; {
			n := min(batch.Len-from, int(raw.VectorSize()))
			if err := ctx.Err(); err != nil {
				return interrupted(ctx)
			}
			raw.DataChunkReset(chunk)
			for i := range types {
				if err := write(raw.DataChunkGetVector(chunk, raw.IdxT(i)), &batch.Cols[i], from, n); err != nil {
					return fmt.Errorf("append to %s.%s, column %d: %w", schema, table, i+1, err)
				}
			}
			raw.DataChunkSetSize(chunk, raw.IdxT(n))
			if raw.AppendDataChunk(app, chunk) == raw.StateError {
				return c.appenderError(app)
			}
			from += n
		}
	}
	return c.guard(ctx, func() error {
		if raw.AppenderClose(app) == raw.StateError {
			return c.appenderError(app)
		}
		return nil
	})
}

func (c *Conn) appenderError(app raw.Appender) error {
	data := raw.AppenderErrorData(app)
	defer raw.DestroyErrorData(&data)
	return c.engine.failed(raw.ErrorDataMessage(data))
}
