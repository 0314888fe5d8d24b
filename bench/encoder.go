package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"

	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/textout"
	"github.com/ontosql/ontosql/wire"
)

// encoder is the wire room alone in this process: it answers every statement
// with the same rows, which lie in memory as the engine's batches would.
type encoder struct {
	wire.Session // what no client here asks for
	columns      []wire.Column
	batches      []*column.Batch
}

// batchRows is how many rows the engine puts into a batch.
const batchRows = 2048

func newEncoder(cols []column.Named, rows int, row func(i int) []any) *encoder {
	e := &encoder{}
	for _, c := range cols {
		oid, size := wire.OIDOf(c.Type)
		e.columns = append(e.columns, wire.Column{Name: c.Name, OID: oid, Size: size, Typmod: -1})
	}
	for first := 0; first < rows; first += batchRows {
		b := column.NewBuilder(cols)
		for i := first; i < min(first+batchRows, rows); i++ {
			b.Append(row(i)...)
		}
		e.batches = append(e.batches, b.Batch())
	}
	return e
}

// listen serves the encoder on loopback until stop is called.
func (e *encoder) listen(ctx context.Context) (dsn string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := wire.New(wire.Options{Handler: e, Logger: slog.New(slog.DiscardHandler)})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(ctx, l)
	}()
	return fmt.Sprintf("postgres://bench@%s/bench?sslmode=disable", l.Addr()), func() {
		_ = s.Shutdown(ctx)
		<-done
	}, nil
}

// Open makes every session the encoder itself (wire.Handler).
func (e *encoder) Open(context.Context, wire.Startup) (wire.Session, []wire.Option, error) {
	return e, nil, nil
}

func (e *encoder) Prepare(context.Context, wire.Query, []uint32) (wire.Statement, error) {
	return encoderStatement{e}, nil
}

func (e *encoder) Sync(context.Context, bool) error { return nil }
func (e *encoder) Status() wire.TxStatus            { return wire.Idle }
func (e *encoder) Style() *textout.Style            { return &textout.Style{} }
func (e *encoder) Encoding() *charset.Encoding      { return nil }
func (e *encoder) Close()                           {}

type encoderStatement struct{ *encoder }

func (s encoderStatement) Params() []uint32       { return nil }
func (s encoderStatement) Columns() []wire.Column { return s.columns }

func (s encoderStatement) Bind(context.Context, [][]byte) (wire.Portal, error) {
	return &encoderPortal{encoder: s.encoder}, nil
}

type encoderPortal struct {
	*encoder
	sent int
}

func (p *encoderPortal) Columns() []wire.Column { return p.columns }
func (p *encoderPortal) Tag() (string, bool)    { return "SELECT", true }

func (p *encoderPortal) Next(context.Context) (*column.Batch, error) {
	if p.sent == len(p.batches) {
		return nil, io.EOF
	}
	p.sent++
	return p.batches[p.sent-1], nil
}
