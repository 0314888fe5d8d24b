package duckdb

import (
	"context"
	"io"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/column"
)

// Rows is the open result of a statement.
type Rows struct {
	conn    *Conn
	stmt    *Stmt // rerun to obtain the error of a broken stream; nil during that run
	result  raw.Result
	chunk   raw.DataChunk
	cols    []column.Named
	sources []*vectorReader
	vectors []column.Vector // of batch, whose slice the reader may shorten
	batch   column.Batch
	err     error // io.EOF, or the error that ended the stream

	transaction    bool   // the rows end a transaction (OnOneSnapshot)
	releaseWorkers func() // releases the worker threads; nil after that
}

func (r *Rows) describe() error {
	n := int(raw.ColumnCount(&r.result))
	r.cols, r.sources = make([]column.Named, n), make([]*vectorReader, n)
	r.vectors = make([]column.Vector, n)
	for i := range r.cols {
		t := raw.ColumnLogicalType(&r.result, raw.IdxT(i))
		r.sources[i] = newVectorReader(t)
		raw.DestroyLogicalType(&t)
		r.cols[i] = column.Named{Name: raw.ColumnName(&r.result, raw.IdxT(i)), Type: r.sources[i].typ}
		if bad := r.sources[i].unsupported(); bad != "" {
			return &UnsupportedTypeError{Column: r.cols[i].Name, Type: bad}
		}
	}
	return nil
}

// Columns returns the result columns. Their types are known even if Stmt.Columns could not
// tell them.
func (r *Rows) Columns() []column.Named { return r.cols }

// Next returns the next rows, io.EOF after the last, or the error that ended the stream. The
// batch is valid until the next call of Next or Close.
func (r *Rows) Next(ctx context.Context) (*column.Batch, error) {
	if r.err != nil {
		return nil, r.err
	}
	raw.DestroyDataChunk(&r.chunk)
	err := r.conn.interruptible(ctx, func() error {
		r.chunk = raw.FetchChunk(r.result)
		if r.chunk.Ptr != nil {
			return nil
		}
		if text := raw.ResultError(&r.result); text != "" {
			return r.conn.engine.newError(text)
		}
		return io.EOF
	})
	if err == nil {
		r.batch.Len = int(raw.DataChunkGetSize(r.chunk))
		if r.batch.Len == 0 {
			err = io.EOF
		}
	}
	if err == io.EOF {
		if failed := r.commit(); failed != nil {
			err = failed
		}
	}
	if err != nil {
		r.err = err
		r.release()
		if spuriousInterrupt(ctx, err) && r.stmt != nil {
			r.err = r.stmt.rerunForError(ctx, err)
		}
		return nil, r.err
	}
	for i, s := range r.sources {
		s.read(raw.DataChunkGetVector(r.chunk, raw.IdxT(i)), r.batch.Len, &r.vectors[i])
	}
	r.batch.Cols = r.vectors
	return &r.batch, nil
}

// Each calls visit for every remaining row and closes the stream. The arguments of visit are
// valid during the call.
func (r *Rows) Each(ctx context.Context, visit func(b *column.Batch, i int)) error {
	defer r.Close()
	for {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range b.Len {
			visit(b, i)
		}
	}
}

// drain reads to the end. A statement that is not a query has taken effect already, so an
// error in its row count is ignored.
func (r *Rows) drain(ctx context.Context) error {
	if raw.ResultReturnType(r.result) != raw.ResultTypeQueryResult {
		r.err = io.EOF
		r.release()
		return nil
	}
	for {
		if _, err := r.Next(ctx); err == io.EOF {
			return nil
		} else if err != nil {
			r.Close()
			return err
		}
	}
}

// Close closes the result, read to its end or not, and frees the connection for the next
// statement. It may be called more than once.
func (r *Rows) Close() {
	unfinished := r.err != io.EOF && r.conn.open == r
	r.release()
	r.err = io.EOF
	if unfinished {
		// DuckDB keeps the operators of an abandoned stream, with their hash tables and sorted
		// runs, until the connection's next statement; run one.
		var result raw.Result
		raw.Query(r.conn.raw, "SELECT 1", &result)
		raw.DestroyResult(&result)
	}
}

func (r *Rows) release() {
	raw.DestroyDataChunk(&r.chunk)
	raw.DestroyResult(&r.result)
	// The slices point into DuckDB's memory, which may be returned to the system; the garbage
	// collector must not find such pointers afterwards.
	clear(r.vectors)
	r.sources = nil
	if r.releaseWorkers != nil {
		r.releaseWorkers()
		r.releaseWorkers = nil
	}
	if r.conn.open == r {
		r.conn.open = nil
	}
	if r.transaction { // the rows were not read to their end
		r.transaction = false
		_ = r.conn.endTransaction("ROLLBACK")
	}
}
