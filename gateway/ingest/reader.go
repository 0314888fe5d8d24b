package ingest

import (
	"bytes"
	"context"
	"io"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
)

// Reader reads a Cursor and converts its rows for the engine (duckdb.Source). While the
// engine takes one batch, the next is converted and the one after it is read, each in a
// goroutine of its own. The caller closes it.
type Reader struct {
	typ    *catalog.Type
	cursor Cursor
	conv   *converter
	spare  *rowBatch   // memory for the first batch; nil to allocate it
	ahead  []*rowBatch // converted, and not returned by Next yet
	given  *rowBatch   // what Next returned last
	ended  bool        // nothing comes after ahead

	// The goroutines of Next. Batches go from came to full and come back in free. The
	// channels are nil until Next has returned all of ahead.
	came       chan *column.Batch
	free, full chan *rowBatch
	readErr    error // why came was closed
	convErr    error // why full was closed, io.EOF at the end
	stop       context.CancelFunc
}

var _ duckdb.Source = (*Reader)(nil)

// NewReader reads the rows of a type. Close closes the cursor too.
func NewReader(cursor Cursor, t *catalog.Type) *Reader {
	return &Reader{typ: t, cursor: cursor, conv: newConverter(t.Ref.Kind, newFieldReader(t))}
}

// Close ends the goroutines and closes the cursor.
func (r *Reader) Close() {
	if r.stop != nil {
		r.stop()
		for range r.full { // until convertAll has returned
		}
	}
	r.cursor.Close()
}

// The rows that become part of a statement's text: their number and bytes. With more rows
// a table is as fast.
const (
	maxTextRows  = 128
	maxTextBytes = 64 << 10
)

// Few returns all rows if they may become part of a statement's text. many is true if they
// are too many or too large for that, or have content that a text cannot have; Load takes
// them then.
func (r *Reader) Few(ctx context.Context) (rows []format.Row, many bool, err error) {
	n := 0
	for {
		if err := r.readAhead(ctx); err != nil {
			return nil, false, err
		}
		if r.ended {
			for _, b := range r.ahead {
				rows = b.appendRows(rows, r.typ.Ref.Kind)
			}
			return rows, false, nil
		}
		b := r.ahead[len(r.ahead)-1]
		if n += b.batch.Len; n > maxTextRows || r.conv.size > maxTextBytes || r.conv.odd || bytes.IndexByte(b.texts, 0) >= 0 {
			return nil, true, nil
		}
	}
}

// readAhead converts one batch more into ahead, or sets ended.
func (r *Reader) readAhead(ctx context.Context) error {
	came, err := r.cursor.Next(ctx)
	if err == io.EOF {
		r.ended = true
		return nil
	}
	if err != nil {
		return err
	}
	b := r.spare
	if r.spare = nil; b == nil {
		b = new(rowBatch)
	}
	if err := r.conv.convert(b, came); err != nil {
		return err
	}
	r.ahead = append(r.ahead, b)
	return nil
}

// inFlight is the number of converted batches: one that the engine has, one that waits,
// and one that is being converted.
const inFlight = 3

// Next returns the next batch (duckdb.Source). It is valid until the next call.
func (r *Reader) Next(ctx context.Context) (*column.Batch, error) {
	if len(r.ahead) > 0 {
		b := r.ahead[0]
		r.ahead = r.ahead[1:]
		return &b.batch, nil
	}
	if r.ended {
		return nil, io.EOF
	}
	if r.full == nil {
		r.start(ctx)
	}
	if r.given != nil {
		r.free <- r.given
		r.given = nil
	}
	b, ok := <-r.full
	if !ok {
		return nil, r.convErr
	}
	r.given = b
	return &b.batch, nil
}

// start starts the goroutines, which Close ends.
func (r *Reader) start(ctx context.Context) {
	ctx, r.stop = context.WithCancel(ctx)
	// The channel holds one batch: when a batch is sent, the second batch before it is
	// converted, and the cursor may reuse its memory.
	r.came = make(chan *column.Batch, 1)
	r.free, r.full = make(chan *rowBatch, inFlight), make(chan *rowBatch, inFlight)
	for range inFlight {
		r.free <- new(rowBatch)
	}
	go r.readAll(ctx)
	go r.convertAll(ctx)
}

func (r *Reader) readAll(ctx context.Context) {
	defer close(r.came)
	for {
		var b *column.Batch
		if b, r.readErr = r.cursor.Next(ctx); r.readErr != nil {
			return
		}
		r.came <- b
	}
}

func (r *Reader) convertAll(ctx context.Context) {
	defer close(r.full)
	for came := range r.came {
		if r.convErr != nil {
			continue // until readAll has returned
		}
		select {
		case b := <-r.free:
			if r.convErr = r.conv.convert(b, came); r.convErr == nil {
				r.full <- b
				continue
			}
		case <-ctx.Done():
			r.convErr = context.Cause(ctx)
		}
		r.stop()
	}
	if r.convErr == nil {
		r.convErr = r.readErr
	}
}

// Size estimates the bytes that the rows read so far would fill in a data file.
func (r *Reader) Size() int64 { return r.conv.inFile() }

// Damaged describes to the client the rows read so far whose fields_json is no JSON, ""
// if there are none.
func (r *Reader) Damaged() string { return r.conv.damaged.String() }

// single is the only row of a Reader that Few has read, nil if there is not exactly one or
// if the engine has to read its fields_json.
func (r *Reader) single() *column.Batch {
	if len(r.ahead) != 1 || r.ahead[0].batch.Len != 1 {
		return nil
	}
	b := &r.ahead[0].batch
	if complete := &b.Cols[len(b.Cols)-1]; !complete.Bool[0] {
		return nil
	}
	return b
}
