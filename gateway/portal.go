package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/wire"
)

// portal is a bound statement (wire.Portal). The first Next runs it.
type portal struct {
	session   *Session
	statement *statement
	columns   []wire.Column
	tag       string
	counts    bool     // the tag ends in the number of rows
	run       run      // nil when it ran
	offset    int      // characters before the statement in the string it came in
	given     [][]byte // the statement's parameters as the client gave them,
	args      [][]byte // and as they were read
	rows      rows
	answer    once            // the rows of a look-up
	lost      error           // the error with which its rows were lost, if they were
	execute   context.Context // of the Execute that asks: each has a statement_timeout of its own
	deadline  time.Time       // when that ends; zero is never
	ends      bool            // it is admitted by a failed transaction
	queries   bool            // it is a query, which settles the modes of its transaction
	account   *introspect.Account
	made      time.Time // by Bind
	returned  int64     // rows so far
}

// run executes the statement of a portal.
type run func(ctx context.Context, p *portal) (rows, error)

// rows is where a portal's batches come from.
type rows = column.Stream

var _ wire.Portal = (*portal)(nil)

// Describe is the statement's (wire.Describer).
func (p *portal) Describe(ctx context.Context) error {
	st, s := p.statement, p.session
	if p.run == nil || st.bound || p.columns == nil {
		return nil
	}
	if err := st.Describe(ctx); err != nil {
		return err
	}
	if err := p.follow(); err != nil {
		return s.Fail(ctx, err)
	}
	return nil
}

// follow takes over what the statement has become since it was bound.
func (p *portal) follow() (err error) {
	p.columns = p.statement.columns
	p.args, err = p.statement.readArguments(p.given)
	return err
}

// Columns describes the rows (wire.Portal).
func (p *portal) Columns() []wire.Column { return p.columns }

// Tag is the command tag (wire.Portal).
func (p *portal) Tag() (string, bool) { return p.tag, p.counts }

// Next returns the next batch (wire.Portal).
func (p *portal) Next(ctx context.Context) (*column.Batch, error) {
	p.account.Resume()
	batch, err := p.next(ctx)
	settings, sends := p.session.Deferred.Take()
	if err == nil || err == io.EOF {
		p.session.TakeEvents()
		if batch != nil && len(settings) > 0 {
			batch = batch.Copy(0) // a new time zone moves the stream that it comes from
		}
		if failed := p.session.RunDeferred(ctx, settings, sends); failed != nil {
			p.release()
			batch, err = nil, p.session.Fail(ctx, failed)
		}
	}
	if err != nil && err != io.EOF { // of the rows, and not one that a broken connection gave
		p.account.Fail(err)
	}
	return batch, err
}

func (p *portal) next(ctx context.Context) (*column.Batch, error) {
	s := p.session
	switch {
	case s.Tx.Failed && !p.ends:
		return nil, errFailedTransaction()
	case p.lost != nil:
		return nil, s.Fail(ctx, p.lost)
	}
	var batch *column.Batch
	err := io.EOF
	first := p.run != nil
	if ctx != p.execute {
		p.execute, p.deadline = ctx, s.Deadline()
	}
	ctx, done := session.Within(ctx, p.deadline)
	defer done()
	if first {
		run := p.run
		p.run = nil
		s.Tx.Ran++
		s.Tx.Queried = s.Tx.Queried || p.queries
		var end context.CancelFunc
		ctx, end = p.limited(p.account.Counting(ctx))
		defer end()
		s.Widens = false
		before := s.savepointFor(p.statement)
		batch, err = p.start(ctx, run)
		if p.statement.overflowed(err) {
			p.release()
			s.DropEvents(0)
			if err = p.statement.planExactly(ctx); err == nil {
				batch, err = p.start(ctx, run)
			}
		}
		if outOfRange(err) && p.statement.mayWiden(s.Widens) && (before != nil || !changes(p.statement.st)) {
			batch, err = p.startWidely(ctx, run, before)
		}
	} else if p.rows != nil {
		batch, err = p.rows.Next(ctx)
	}
	if err == nil {
		err = p.counted(batch)
	}
	switch {
	case err == io.EOF:
		p.release()
		return nil, io.EOF
	case err != nil:
		p.release()
		return nil, s.Fail(ctx, shifted(err, p.offset))
	}
	return batch, nil
}

// start executes the statement and returns its first batch.
func (p *portal) start(ctx context.Context, run run) (*column.Batch, error) {
	rows, err := p.begin(ctx, run)
	if err != nil {
		return nil, err
	}
	if p.rows = rows; rows == nil {
		return nil, io.EOF
	}
	if p.statement.mayWiden(p.session.Widens) {
		if p.rows, err = readAhead(ctx, p.session.Session, rows, p.statement.st); err != nil {
			p.rows = nil
			return nil, err
		}
	}
	return p.rows.Next(ctx)
}

// begin executes the statement, as it is at the catalog that it finds.
func (p *portal) begin(ctx context.Context, run run) (rows, error) {
	s := p.session
	defer func() { s.Running = session.Execution{} }()
	for {
		s.Running = session.Execution{Ctx: ctx, Args: p.args, Account: p.account}
		r, err := run(ctx, p)
		if errors.Is(err, errOtherParameters) {
			if err = p.follow(); err == nil {
				continue
			}
		}
		if p.columns != nil {
			p.columns = p.statement.columns
		}
		return r, err
	}
}

// Close ends the portal (wire.Portal).
func (p *portal) Close() {
	if p.run == nil {
		p.settle()
	}
	p.run = nil
	p.release()
}

// MoveAside moves the rest of the rows into a temporary table, which the engine spills to disk
// (decision A4).
func (p *portal) MoveAside(ctx context.Context) error {
	ahead, _ := p.rows.(*aheadRows)
	stream := p.rows
	if ahead != nil {
		stream = ahead.rest
	}
	streaming, ok := stream.(*reading.Rows)
	if !ok || ahead != nil && ahead.err != nil {
		return nil
	}
	held, err := reading.Hold(ctx, p.session.Session, streaming)
	streaming.Close()
	if err != nil {
		p.rows, p.lost = nil, fmt.Errorf("hold the rows of an open portal: %w", err)
		return p.lost
	}
	if p.rows = held; ahead != nil {
		ahead.rest, p.rows = held, ahead
	}
	return nil
}

func (p *portal) release() {
	if p.session.Open == p { // first: what Close drops runs on the connection
		p.session.Open = nil
	}
	if p.rows != nil {
		p.rows.Close()
		p.rows = nil
	}
}

// once are rows that are all there: what SHOW and EXPLAIN answer with.
type once struct{ batch *column.Batch }

func (o *once) Next(context.Context) (*column.Batch, error) {
	if o.batch == nil || o.batch.Len == 0 {
		return nil, io.EOF
	}
	b := o.batch
	o.batch = nil
	return b, nil
}

func (o *once) Close() {}

// textColumns are result columns of type text.
func textColumns(names ...string) []wire.Column {
	cols := make([]wire.Column, len(names))
	for i, name := range names {
		cols[i] = wire.Column{Name: name, OID: oidText, Size: -1, Typmod: -1}
	}
	return cols
}

// textRows are rows of text for textColumns.
func textRows(columns int, lines [][]string) rows {
	cols := make([]column.Named, columns)
	for i := range cols {
		cols[i].Type.Kind = column.Text
	}
	b := column.NewBuilder(cols)
	for _, line := range lines {
		values := make([]any, columns)
		for i := range line {
			values[i] = line[i]
		}
		b.Append(values...)
	}
	return &once{batch: b.Batch()}
}

// Sent records what was sent in answer to an Execute (wire.Accountant).
func (p *portal) Sent(rows uint64, bytes int64, err error) {
	p.account.Sent(rows, bytes, err)
	if p.run == nil && p.rows == nil || err != nil {
		p.settle()
	}
}

// settle enters the portal's statement into the query log, once.
func (p *portal) settle() {
	if p.columns == nil && p.account.Failed() == nil {
		p.account.SetTag(p.tag)
	}
	p.account.Settle()
}

var _ wire.Accountant = (*portal)(nil)

// newAccount begins to measure a statement of the client, of which others see this text.
func (s *Session) newAccount(query string) *introspect.Account {
	s.parsed = nil
	return introspect.NewAccount(&s.DB.Statements, &s.Client, query)
}
