package gateway

import (
	"bytes"
	"context"
	"io"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
)

// feed is a cursor's rows on their way into the engine. It reads ahead, on another
// processor, while the engine takes in what came before.
type feed struct {
	cursor Cursor
	refine *refinery
	ahead  []*fed // read and not given yet
	given  *fed   // what Next gave last
	ended  bool   // there is nothing behind ahead

	full, free chan *fed // nil until Next has given what few had read
	failed     error     // io.EOF at the end; stands when full is closed
	stop       context.CancelFunc
}

var _ duckdb.Source = (*feed)(nil)

func newFeed(cursor Cursor, kind ontosql.Kind) *feed {
	return &feed{cursor: cursor, refine: newRefinery(kind)}
}

// close ends the cursor, and what reads it.
func (f *feed) close() {
	if f.stop != nil {
		f.stop()
		for range f.full { // until its writer has ended
		}
	}
	f.cursor.Close()
}

// mostText is how many rows become a part of a statement's text, and mostTextBytes
// how many bytes of them. From about there on a table is as quick.
const (
	mostText      = 128
	mostTextBytes = 64 << 10
)

// few are all rows of the feed; many says that they are more than a text holds, or
// may not stand in one.
func (f *feed) few(ctx context.Context) (rows []format.Row, many bool, err error) {
	n := 0
	for {
		b := new(fed)
		err := f.read(ctx, b)
		if err == nil {
			err = f.refine.fill(b)
		}
		switch {
		case err == io.EOF:
			f.ended = true
			for _, b := range f.ahead {
				rows = b.appendRows(rows, f.refine.kind)
			}
			return rows, false, nil
		case err != nil:
			return nil, false, err
		}
		f.ahead = append(f.ahead, b)
		if n += b.batch.Len; n > mostText || f.refine.size > mostTextBytes || f.refine.odd > 0 || bytes.IndexByte(b.texts, 0) >= 0 {
			return nil, true, nil
		}
	}
}

// read copies the next batch of the cursor.
func (f *feed) read(ctx context.Context, into *fed) error {
	b, err := f.cursor.Next(ctx)
	if err != nil {
		return err
	}
	return into.take(b, f.refine.keys)
}

// readAhead is how many batches are read before they are wanted.
const readAhead = 2

// Next is the next batch (duckdb.Source).
func (f *feed) Next(ctx context.Context) (*column.Batch, error) {
	if len(f.ahead) > 0 {
		b := f.ahead[0]
		f.ahead = f.ahead[1:]
		return &b.batch, nil
	}
	if f.ended {
		return nil, io.EOF
	}
	if f.full == nil {
		f.begin(ctx)
	}
	if f.given != nil {
		f.free <- f.given
		f.given = nil
	}
	b, ok := <-f.full
	if !ok {
		return nil, f.failed
	}
	f.given = b
	return &b.batch, f.refine.fill(b)
}

// begin reads the rest in a goroutine of its own, which close ends.
func (f *feed) begin(ctx context.Context) {
	ctx, f.stop = context.WithCancel(ctx)
	f.full, f.free = make(chan *fed, readAhead), make(chan *fed, readAhead+2)
	for range readAhead + 1 {
		f.free <- new(fed)
	}
	go func() {
		defer close(f.full)
		for {
			var b *fed
			select {
			case b = <-f.free:
			case <-ctx.Done():
				f.failed = context.Cause(ctx)
				return
			}
			if f.failed = f.read(ctx, b); f.failed != nil {
				return
			}
			f.full <- b // there is room for every batch but one that is given
		}
	}()
}
