package wire

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/ontosql/ontosql/column"
)

// accounted is a portal of endless rows that records the calls of its methods.
type accounted struct {
	fakePortal
	columns []Column
	batch   *column.Batch
	rows    uint64
	bytes   int64
	err     error
}

func (p *accounted) Columns() []Column                           { return p.columns }
func (p *accounted) Next(context.Context) (*column.Batch, error) { return p.batch, nil }
func (p *accounted) Sent(rows uint64, bytes int64, err error) {
	p.rows, p.bytes, p.err = rows, bytes, err
}

// errHungUp is what a write to the client of a test meets.
var errHungUp = errors.New("hung up")

type hungUp struct{}

func (hungUp) Write([]byte) (int, error) { return 0, errHungUp }

// TestRowsOfABatchThatBreaksOffAreCounted: a client that leaves in the middle of
// the first batch has been written rows.
func TestRowsOfABatchThatBreaksOffAreCounted(t *testing.T) {
	batch, columns := benchRows(2048)
	p := &accounted{columns: columns, batch: batch}
	s := &session{handler: &fakeSession{}, out: output{w: hungUp{}, blocks: new(sync.Pool)}}
	if _, err := s.run(t.Context(), &portal{Portal: p}, 0); !errors.Is(err, errHungUp) {
		t.Fatalf("the rows ended with %v, want %v", err, errHungUp)
	}
	if p.rows == 0 || p.rows >= 2048 || p.bytes < outputFlushBytes || !errors.Is(p.err, errHungUp) {
		t.Errorf("the account says %d rows, %d bytes and %v of a full buffer that was not taken", p.rows, p.bytes, p.err)
	}
}
