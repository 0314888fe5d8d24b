package gateway

import (
	"bytes"
	"context"
	"io"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
)

// feed is a cursor's rows on their way into the engine: while it takes in some, others
// are refined and others read, on other processors.
type feed struct {
	cursor Cursor
	refine *refinery
	ahead  []*fed // read and not given yet
	given  *fed   // what Next gave last
	ended  bool   // there is nothing behind ahead

	// Batches go from free by came to full, and back when they have been given. The
	// channels are nil until Next has given what few had read, and hold all batches.
	free, came, full chan *fed
	unread           error // why there is none behind came; stands when that is closed
	failed           error // why there is none behind full, io.EOF at the end; likewise
	stop             context.CancelFunc
}

var _ duckdb.Source = (*feed)(nil)

func newFeed(cursor Cursor, t *catalog.Type) *feed {
	return &feed{cursor: cursor, refine: newRefinery(t)}
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
		if n += b.batch.Len; n > mostText || f.refine.size > mostTextBytes || f.refine.odd || bytes.IndexByte(b.texts, 0) >= 0 {
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

// underWay is how many batches there are: one that is given, one that is refined, one
// that is read, and one that waits before each.
const underWay = 5

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
	return &b.batch, nil
}

// begin reads and refines the rest in goroutines of their own, which close ends.
func (f *feed) begin(ctx context.Context) {
	ctx, f.stop = context.WithCancel(ctx)
	f.free, f.came, f.full = make(chan *fed, underWay), make(chan *fed, underWay), make(chan *fed, underWay)
	for range underWay {
		f.free <- new(fed)
	}
	go f.readAll(ctx)
	go f.refineAll()
}

func (f *feed) readAll(ctx context.Context) {
	defer close(f.came)
	for {
		select {
		case b := <-f.free:
			if f.unread = f.read(ctx, b); f.unread != nil {
				return
			}
			f.came <- b
		case <-ctx.Done():
			f.unread = context.Cause(ctx)
			return
		}
	}
}

func (f *feed) refineAll() {
	defer close(f.full)
	for b := range f.came {
		if f.failed != nil {
			continue // until the reader has ended
		}
		if f.failed = f.refine.fill(b); f.failed != nil {
			f.stop()
			continue
		}
		f.full <- b
	}
	if f.failed == nil {
		f.failed = f.unread
	}
}
