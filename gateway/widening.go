package gateway

import (
	"context"
	"errors"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// The engine's decimals have 38 digits, PostgreSQL's numerics many more. A statement that ends in
// 22003 because of this, before the client was sent a row, is run again with wide numerics (decision
// A60).

// outOfRange reports whether an error is 22003, or will be told as such.
func outOfRange(err error) bool {
	if err == nil {
		return false
	}
	var e *pgerr.Error
	if of := (*duckdb.Error)(nil); !errors.As(err, &e) && errors.As(err, &of) {
		e = sqlstate.OfEngine(of)
	}
	return e != nil && e.Code == pgerr.NumericValueOutOfRange
}

// lasting are the beginnings of the names of functions with effects that a rollback does not undo.
var lasting = []string{"pg_advisory_", "pg_try_advisory_", "pg_terminate_backend", "pg_cancel_backend"}

// mayWiden reports whether wide numerics may give the statement another outcome, and whether it may
// run a second time. planned says that it has made a plan which computes numerics.
func (p *statement) mayWiden(planned bool) bool {
	if p.session.Wide || !planned && (p.plan == nil || !p.plan.Widens()) || p.st.Kind == syntax.Copy && p.st.Copy.From {
		return false
	}
	return !p.st.Calls(func(name string) bool {
		for _, prefix := range lasting {
			if strings.HasPrefix(name, prefix) {
				return true
			}
		}
		return false
	})
}

// widen plans the statement, and the one within it, with wide numerics. The statement has its plan
// back after restore.
func (p *statement) widen(ctx context.Context) (restore func(), err error) {
	plan, columns, inner := p.plan, p.columns, func() {}
	restore = func() {
		inner()
		p.plan, p.columns = plan, columns
	}
	switch {
	case p.inner != nil:
		if inner, err = p.inner.widen(ctx); err == nil {
			p.plan = p.inner.plan
		}
	case p.plan != nil:
		var wide *planner.Plan
		if wide, err = p.session.firstPlan(ctx, p.st, p.plan.Scoped.Params, true); err == nil {
			p.plan, p.columns = wide, wide.Columns
		}
	}
	return restore, err
}

// startWidely executes the statement again with wide numerics. before is the state of the transaction
// before it was run.
func (p *portal) startWidely(ctx context.Context, run run, before *session.Savepoint) (*column.Batch, error) {
	s := p.session
	p.release()
	s.DropEvents(0)
	if before != nil {
		if err := s.undo(ctx, before); err != nil {
			return nil, err
		}
	}
	s.Wide = true
	defer func() { s.Wide = false }()
	restore, err := p.statement.widen(ctx)
	defer restore()
	if err != nil {
		return nil, err
	}
	return p.start(ctx, run)
}

// savepointFor is the state of the transaction before a statement that changes something and may run
// twice, nil before any other. What changes rows after it has a transaction id of its own.
func (s *Session) savepointFor(p *statement) *session.Savepoint {
	widens := p.plan != nil && p.plan.Widens()
	switch p.st.Kind {
	case syntax.CreateTableAs, syntax.AlterTable, syntax.Refresh: // which are planned when they run
		widens = true
	}
	if !widens || !changes(p.st) {
		return nil
	}
	before := s.mark("")
	return &before
}

// changes reports whether a statement changes anything in its transaction.
func changes(st *syntax.Statement) bool {
	switch st.Kind {
	case syntax.Select:
		return len(st.Parts) > 0
	case syntax.Explain, syntax.DeclareCursor, syntax.Fetch, syntax.Move:
		return false
	case syntax.Copy:
		return st.Inner == nil || changes(st.Inner)
	}
	return true
}

// The rows that are kept in memory before the first one is sent, where numerics may become too long.
const (
	mostAhead      = 64 // batches
	mostAheadBytes = 16 << 20
)

// readAhead computes the rows of a stream before the client gets one, so that the statement can still
// be run again if one of them has a number that is too long. Those beyond the first ones go to a
// temporary table. One batch is enough of a statement that computes all rows before it returns the
// first. Any other error is kept in its place behind the first rows.
func readAhead(ctx context.Context, s *session.Session, r rows, st *syntax.Statement) (rows, error) {
	stream, ok := r.(*reading.Rows)
	if !ok {
		return r, nil
	}
	most := mostAhead
	if st.AnswersAtEnd() {
		most = 1
	}
	a := &aheadRows{rest: stream}
	for size := int64(0); len(a.batches) < most && size < mostAheadBytes && a.err == nil; {
		var b *column.Batch
		if b, a.err = stream.Next(ctx); a.err == nil {
			a.batches, size = append(a.batches, b.Copy(0)), size+b.CopySize()
		}
	}
	if a.err == nil && !st.AnswersAtEnd() {
		held, err := reading.Hold(ctx, s, stream)
		if a.err = err; err == nil {
			stream.Close()
			a.rest = held
		}
	}
	if outOfRange(a.err) {
		stream.Close()
		return nil, a.err
	}
	return a, nil
}

// aheadRows are rows of which the first ones are computed already.
type aheadRows struct {
	batches []*column.Batch
	err     error // behind them; nil if there may be more
	rest    rows
}

func (a *aheadRows) Next(ctx context.Context) (*column.Batch, error) {
	if len(a.batches) > 0 {
		b := a.batches[0]
		a.batches = a.batches[1:]
		return b, nil
	}
	if a.err != nil {
		return nil, a.err
	}
	return a.rest.Next(ctx)
}

func (a *aheadRows) Close() { a.rest.Close() }

var _ rows = (*aheadRows)(nil)
