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
	spare  *fed   // that has memory for what is read first; nil for none
	ahead  []*fed // read and not given yet
	given  *fed   // what Next gave last
	ended  bool   // there is nothing behind ahead

	// The cursor's batches come, and go on to full as what is made of them, which is free
	// again when it has been given. The channels are nil until Next has given what few had
	// read.
	came       chan *column.Batch
	free, full chan *fed
	unread     error // why there is none behind came; stands when that is closed
	failed     error // why there is none behind full, io.EOF at the end; likewise
	stop       context.CancelFunc
}

var _ duckdb.Source = (*feed)(nil)

func newFeed(cursor Cursor, t *catalog.Type) *feed {
	return &feed{cursor: cursor, refine: newRefinery(t.Ref.Kind, newTypedReader(t))}
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
		if err := f.one(ctx); err != nil {
			return nil, false, err
		}
		if f.ended {
			for _, b := range f.ahead {
				rows = b.appendRows(rows, f.refine.kind)
			}
			return rows, false, nil
		}
		b := f.ahead[len(f.ahead)-1]
		if n += b.batch.Len; n > mostText || f.refine.size > mostTextBytes || f.refine.odd || bytes.IndexByte(b.texts, 0) >= 0 {
			return nil, true, nil
		}
	}
}

// one reads a batch ahead, or finds that the feed has ended.
func (f *feed) one(ctx context.Context) error {
	came, err := f.cursor.Next(ctx)
	if err == io.EOF {
		f.ended = true
		return nil
	}
	if err != nil {
		return err
	}
	b := f.spare
	if f.spare = nil; b == nil {
		b = new(fed)
	}
	if err := f.refine.fill(b, came); err != nil {
		return err
	}
	f.ahead = append(f.ahead, b)
	return nil
}

// underWay is how many refined batches there are: one that is given, one that waits, and
// one that is being made.
const underWay = 3

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
	// A single one waits there: when a batch is sent, the second before it is refined, and
	// the cursor may use its memory for the next.
	f.came = make(chan *column.Batch, 1)
	f.free, f.full = make(chan *fed, underWay), make(chan *fed, underWay)
	for range underWay {
		f.free <- new(fed)
	}
	go f.readAll(ctx)
	go f.refineAll(ctx)
}

func (f *feed) readAll(ctx context.Context) {
	defer close(f.came)
	for {
		var b *column.Batch
		if b, f.unread = f.cursor.Next(ctx); f.unread != nil {
			return
		}
		f.came <- b
	}
}

func (f *feed) refineAll(ctx context.Context) {
	defer close(f.full)
	for came := range f.came {
		if f.failed != nil {
			continue // until the reader has ended
		}
		select {
		case b := <-f.free:
			if f.failed = f.refine.fill(b, came); f.failed == nil {
				f.full <- b
				continue
			}
		case <-ctx.Done():
			f.failed = context.Cause(ctx)
		}
		f.stop()
	}
	if f.failed == nil {
		f.failed = f.unread
	}
}
