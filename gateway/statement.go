package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	"github.com/ontosql/ontosql/wire"
)

// statement is a prepared statement (wire.Statement). It keeps the analysis; a
// plan is made again when the catalog has changed since.
type statement struct {
	session *Session
	query   wire.Query
	st      *syntax.Statement
	oids    []uint32      // the client's parameter types
	plan    *planner.Plan // of a statement that reads; nil for the others
	columns []wire.Column
	bound   bool                // to its description, which has held at the newest catalog since it arrived
	account *introspect.Account // as it arrived

	inner   *statement // of DECLARE
	named   time.Time  // when it was prepared
	fromSQL bool       // by PREPARE
	// before, if not nil, is called at the pin before a write stages rows.
	before func(ctx context.Context) error
}

var _ wire.Statement = (*statement)(nil)

// Prepare analyses one statement (wire.Session). It reads the catalog and no
// data.
func (s *Session) Prepare(ctx context.Context, q wire.Query, oids []uint32) (wire.Statement, error) {
	a := s.newAccount(introspect.ShownText(q.SQL))
	p, err := s.prepareStatement(a.Counting(ctx), q, oids)
	if err != nil {
		a.Fail(err)
		a.Settle()
		return nil, err
	}
	p.measuredBy(a)
	if !q.Simple {
		a.Pause()
	}
	p.account, s.parsed = a, a
	return p, nil
}

func (s *Session) prepareStatement(ctx context.Context, q wire.Query, oids []uint32) (*statement, error) {
	s.busy()
	s.Settings.BeginTransaction()
	ctx, done := session.Within(ctx, s.Deadline())
	defer done()
	if err := checkLength(q.SQL); err != nil {
		return nil, s.Fail(ctx, err)
	}
	for _, cut := range syntax.Cuts(q.SQL) {
		s.Notice(sqlstate.NameTruncated(cut))
	}
	key := planKey(q, oids)
	s.Tx.Several = s.Tx.Several || q.Several
	if !s.Tx.Failed {
		known, ok, err := s.recall(ctx, key, q.Simple)
		if err != nil {
			return nil, s.Fail(ctx, err)
		}
		if ok {
			return &statement{session: s, query: q, st: known.st, oids: oids, plan: known.plan, columns: known.plan.Columns, bound: q.Simple, named: time.Now()}, nil
		}
	}
	st, err := s.analyze(q)
	if err != nil {
		return nil, s.Fail(ctx, shifted(err, q.Offset))
	}
	if err := s.admit(st); err != nil && st.Kind != syntax.Empty {
		return nil, err
	}
	p := &statement{session: s, query: q, st: st, oids: oids, bound: q.Simple, named: time.Now()}
	if err := p.describe(ctx); err != nil {
		return nil, s.Fail(ctx, shifted(err, q.Offset))
	}
	if err := p.checkParams(); err != nil {
		return nil, s.Fail(ctx, shifted(err, q.Offset))
	}
	s.remember(key, planned{st: st, plan: p.plan})
	return p, nil
}

// longestStatement is the greatest length of a statement's text in bytes: room
// for a value of the greatest size and what stands around it. The parser takes
// some twenty times the memory of its text.
const longestStatement = ontosql.MaxValueSize + 16<<20

func checkLength(sql string) error {
	if len(sql) > longestStatement {
		return pgerr.New(pgerr.ProgramLimitExceeded, "statement of %d bytes is too long", len(sql)).
			WithDetail("A statement has %d bytes at most.", longestStatement).WithHint("Send long values as parameters.")
	}
	return nil
}

// shifted moves a position from the statement to the string it came in.
func shifted(err error, offset int) error {
	var e *pgerr.Error
	if offset == 0 || !errors.As(err, &e) || e.Position == 0 {
		return err
	}
	moved := *e
	moved.Position += offset
	return &moved
}

// Describe plans the statement again if the catalog has changed, before the client gets the
// description (wire.Describer).
func (p *statement) Describe(ctx context.Context) error {
	s := p.session
	s.busy()
	s.Settings.BeginTransaction()
	if err := p.settle(ctx); err != nil {
		return s.Fail(ctx, shifted(err, p.query.Offset))
	}
	return nil
}

// settle makes the description binding.
func (p *statement) settle(ctx context.Context) error {
	s := p.session
	if p.bound || s.Tx.Failed || p.plan == nil || p.plan.Detached() || p.st.Kind != syntax.Select && !planner.IsWrite(p.st) {
		return nil
	}
	ctx, done := session.Within(p.account.Counting(ctx), s.Deadline())
	defer done()
	pin, err := s.Pin(ctx)
	if err == nil {
		err = p.current(ctx, pin)
	}
	if errors.Is(err, errOtherParameters) { // no value was read yet
		return nil
	}
	return err
}

// describe finds the parameters and the result columns.
func (p *statement) describe(ctx context.Context) error {
	s := p.session
	switch p.st.Kind {
	case syntax.Select, syntax.Insert, syntax.Update, syntax.Delete, syntax.Merge:
		var err error
		p.st = p.st.MayOverflow(p.st.AnswersAtEnd())
		if p.plan, err = s.firstPlan(ctx, p.st, p.oids, p.query.Simple); err != nil {
			return err
		}
		p.columns = p.plan.Columns
	case syntax.Explain:
		p.columns = textColumns("QUERY PLAN")
		return p.describeExplained(ctx)
	case syntax.Show:
		return p.describeShow()
	case syntax.Empty, syntax.Begin, syntax.Commit, syntax.Rollback, syntax.Savepoint, syntax.Release, syntax.RollbackTo,
		syntax.PrepareTransaction, syntax.FinishPrepared,
		syntax.Set, syntax.Reset, syntax.Deallocate, syntax.Discard, syntax.CloseCursor,
		syntax.Listen, syntax.Unlisten, syntax.Notify, syntax.Lock, syntax.Prepare, syntax.Vacuum, syntax.Reindex, syntax.OnDatabase, syntax.OnRole:
	case syntax.Execute:
		inner, err := s.executed(ctx, p.st)
		if inner == nil { // it may be prepared until then
			return nil
		}
		p.columns = inner.columns
		return err
	case syntax.DeclareCursor:
		return p.describeCursor(ctx)
	case syntax.Fetch, syntax.Move:
		p.describeFetch()
	case syntax.Copy:
		return refuseFiles(&p.st.Copy)
	case syntax.CreateTable, syntax.CreateTableAs, syntax.CreateView, syntax.AlterTable, syntax.Drop, syntax.CommentOn, syntax.CreateSchema, syntax.CreateExtension, syntax.Truncate, syntax.CreateIndex, syntax.DefineSequence, syntax.Refresh, syntax.Grant, syntax.AlterOwner, syntax.Owned:
	case syntax.Constraints:
	default:
		return s.refuse(p.st)
	}
	return nil
}

// checkParams refuses parameters where the simple protocol has no values for them, and
// those of which no type is known.
func (p *statement) checkParams() error {
	switch {
	case p.plan == nil && p.st.Kind != syntax.Empty:
		return scope.CheckParameterTypes(p.oids)
	case p.query.Simple && len(p.Params()) > 0:
		return p.st.NoParameters()
	}
	return nil
}

// Params are the types of the parameters (wire.Statement). A statement that has no place
// for any keeps those that the client declared.
func (p *statement) Params() []uint32 {
	if p.plan == nil {
		return p.oids
	}
	return types.ExternalOIDs(p.plan.Scoped.Params)
}

// Columns describes the rows (wire.Statement).
func (p *statement) Columns() []wire.Column { return p.columns }

// Close frees the statement (wire.Statement).
func (p *statement) Close() {}

// measuredBy is called with the account of each execution.
func (p *statement) measuredBy(a *introspect.Account) {
	if p.st.Defines() {
		a.Defines(p.st.Tag)
	}
}

// Bind makes a portal (wire.Statement).
func (p *statement) Bind(ctx context.Context, args [][]byte) (wire.Portal, error) {
	s, a := p.session, p.account
	if s.parsed == a { // its first execution, at once
		s.parsed = nil
		a.Resume()
	} else {
		a = s.newAccount(a.Query())
		p.measuredBy(a)
	}
	out, err := p.bind(ctx, args)
	if err != nil {
		a.Fail(err)
		a.Settle()
		return nil, err
	}
	out.account, out.made = a, time.Now()
	if p.st.Kind == syntax.Copy && !p.st.Copy.From {
		return newCopyOut(p, out), nil
	}
	return out, nil
}

func (p *statement) bind(ctx context.Context, args [][]byte) (*portal, error) {
	s := p.session
	s.busy()
	s.Settings.BeginTransaction()
	if err := s.admit(p.st); err != nil {
		return nil, err
	}
	switch p.st.Kind {
	case syntax.Execute:
		return p.bindExecute(ctx)
	case syntax.Fetch:
		p.describeFetch()
	}
	read, err := p.readArguments(args)
	if err != nil && !p.bound {
		// They may be none of the types that the parameters had at an old catalog.
		if err = p.settle(ctx); err == nil {
			read, err = p.readArguments(args)
		}
	}
	if err != nil {
		var of *wire.ParameterError
		if errors.As(err, &of) {
			return nil, &wire.ParameterError{N: of.N, Text: of.Text, Err: s.Fail(ctx, of.Err)}
		}
		return nil, s.Fail(ctx, err)
	}
	if p, err = p.withFinerNumbers(ctx, read); err != nil {
		return nil, s.Fail(ctx, err)
	}
	out := &portal{
		session: s, statement: p, offset: p.query.Offset, columns: p.columns, tag: p.st.Tag, given: args, args: read,
		ends: ends(p.st), queries: p.plan != nil || p.st.Kind == syntax.Copy,
	}
	switch p.st.Kind {
	case syntax.Select:
		out.counts = true
		out.run = func(ctx context.Context, out *portal) (rows, error) { return out.statement.execute(ctx, out, out.args) }
	case syntax.Insert, syntax.Update, syntax.Delete, syntax.Merge:
		out.run = func(ctx context.Context, out *portal) (rows, error) { return out.statement.write(ctx, out, out.args) }
	case syntax.Copy:
		out.run = func(ctx context.Context, out *portal) (rows, error) { return out.statement.copyFrom(ctx, out) }
	case syntax.DeclareCursor:
		out.run = func(ctx context.Context, out *portal) (rows, error) { return nil, out.statement.declare(ctx, out.args) }
	case syntax.Fetch, syntax.Move:
		out.counts = p.st.Kind == syntax.Fetch
		out.run = func(ctx context.Context, out *portal) (rows, error) { return out.statement.fetch(ctx, out) }
	case syntax.CreateTable, syntax.CreateTableAs, syntax.CreateView, syntax.AlterTable, syntax.Drop, syntax.CommentOn, syntax.CreateSchema, syntax.CreateExtension, syntax.Truncate, syntax.CreateIndex, syntax.DefineSequence, syntax.Refresh, syntax.Grant, syntax.AlterOwner, syntax.Owned:
		out.queries = true // PostgreSQL takes a snapshot for it
		out.run = func(ctx context.Context, out *portal) (rows, error) { return nil, out.statement.define(ctx, out) }
	case syntax.Explain:
		of, args, err := p.explained(ctx, read)
		out.run = func(ctx context.Context, out *portal) (rows, error) {
			if err != nil { // it comes out when the statement runs, as that of EXECUTE
				return nil, err
			}
			return out.statement.explain(ctx, of, args)
		}
	case syntax.Show:
		out.run = func(_ context.Context, out *portal) (rows, error) { return out.session.show(out.statement.st) }
	default:
		out.run = func(ctx context.Context, out *portal) (rows, error) {
			tag, err := out.session.command(ctx, out.statement)
			if err != nil {
				return nil, err
			}
			out.tag = tag
			return nil, nil
		}
	}
	return out, nil
}
