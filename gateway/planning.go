package gateway

import (
	"context"
	"errors"
	"slices"

	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// check lets the engine prepare the statement over empty relations of the right
// types, which finds what the rewriter did not (decision A3). While a portal
// holds the connection, the statement's own execution has to find it.
func (s *Session) check(ctx context.Context, pin *resolver.Pin, p *planner.Plan) error {
	if s.Open != nil {
		return nil
	}
	if err := s.PrepareCatalog(ctx, pin, p); err != nil {
		return err
	}
	for _, part := range p.All() {
		if err := s.checkQuery(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// checkQuery is check for one query of a statement.
func (s *Session) checkQuery(ctx context.Context, p *planner.Plan) error {
	if w := p.Write; w != nil {
		err := s.try(ctx, w.Rows)
		if err != nil {
			err = w.LocateValue(err, w.Rows.EmptySources(), func(sql string, _ []int) error { return s.prepares(ctx, w.Rows, sql) })
		}
		return err
	}
	return s.try(ctx, p)
}

// try lets the engine prepare one query.
func (s *Session) try(ctx context.Context, p *planner.Plan) error {
	p.Env.SetTrial(true)
	sql, err := p.Scoped.Bind(p.EmptySources())
	p.Env.SetTrial(false)
	if err != nil {
		return err
	}
	return s.prepares(ctx, p, sql)
}

// prepares reports what the engine has against a query of the plan.
func (s *Session) prepares(ctx context.Context, p *planner.Plan, sql string) error {
	return s.WithConn(ctx, func(conn *duckdb.Conn) error {
		st, err := conn.Prepare(ctx, sql)
		if err != nil {
			return p.Located(err)
		}
		st.Close()
		return nil
	})
}

// firstPlan plans a statement that arrives. One that runs at once is planned at
// the pin it will read. One that is prepared for later is planned at the newest
// pin there is, without a look at the store unless there is something wrong with it
// under that catalog (decision A13), and checked by the engine, because PostgreSQL's
// errors come at Parse.
func (s *Session) firstPlan(ctx context.Context, st *syntax.Statement, oids []uint32, runsNow bool) (*planner.Plan, error) {
	if len(st.Refs) == 0 && st.Target == nil && len(st.Parts) == 0 {
		// It reads nothing of the store, and answers while that is away.
		p, err := s.Plan(planner.NoPin(), st, oids)
		if err != nil || runsNow && !p.Catalog {
			return p, err
		}
		if !p.Catalog {
			return p, s.check(ctx, nil, p)
		}
	}
	known := s.DB.LastPin()
	if s.Tx.Pin == nil && !runsNow && known != nil {
		p, err := s.Plan(known, st, oids)
		if err == nil {
			return p, s.check(ctx, known, p)
		}
	}
	first := s.Tx.Pin == nil // else the transaction has read something and keeps its pin
	pin, err := s.Pin(ctx)
	if err != nil {
		return nil, err
	}
	p, err := s.Plan(pin, st, oids)
	if sqlstate.IsUndefinedTable(err) && first {
		if pin, err = s.PinAnew(ctx); err != nil {
			return nil, err
		}
		p, err = s.Plan(pin, st, oids)
	}
	if err != nil || runsNow {
		return p, err
	}
	return p, s.check(ctx, pin, p)
}

// permitted is current for an execution: it is an error if the session's role may not do what the
// statement asks for.
func (p *statement) permitted(ctx context.Context, pin *resolver.Pin) error {
	if err := p.current(ctx, pin); err != nil {
		return err
	}
	return p.session.Authorize(pin.Catalog, p.plan)
}

// current makes the plan of a prepared statement hold for pin, and its description
// binding. Another catalog means another plan; other result columns are an error
// where the description is binding already, because the client knows it. Before that
// only this gateway knows at which catalog the statement was planned, which need not
// have been the newest when it arrived (firstPlan). Then the parameters may have
// become others too: errOtherParameters, once.
func (p *statement) current(ctx context.Context, pin *resolver.Pin) error {
	bound := p.bound
	if p.plan.Version == p.session.Version(pin) {
		p.bound = true
		return nil
	}
	if p.plan.Write != nil && p.plan.Write.FromCopy {
		return sqlstate.SchemaChanged() // the rows of a COPY were read as those of another catalog
	}
	before, oids := p.plan.Scoped.Params, p.oids
	if bound {
		oids = before
	}
	next, err := p.session.Plan(pin, p.st, oids)
	if err != nil {
		return err
	}
	if bound && !sameColumns(p.columns, next.Columns) {
		return (&pgerr.Error{
			Code:    pgerr.FeatureNotSupported,
			Message: "cached plan must not change result type",
			Routine: "RevalidateCachedQuery",
		})
	}
	p.plan, p.columns, p.bound = next, next.Columns, true
	if !slices.Equal(before, next.Scoped.Params) {
		return errOtherParameters
	}
	return nil
}

// withFinerNumbers is the statement for an execution with these arguments. Numerics that have
// more digits than a parameter keeps are planned as constants.
func (p *statement) withFinerNumbers(ctx context.Context, args [][]byte) (*statement, error) {
	if p.plan == nil {
		return p, nil
	}
	numbers := p.plan.FinerNumbers(args)
	if numbers == nil {
		return p, nil
	}
	with := *p
	with.st, with.oids = p.st.WithNumbers(numbers), p.Params()
	if p.inner != nil {
		inner, err := p.inner.withFinerNumbers(ctx, args)
		if err != nil {
			return nil, err
		}
		with.inner, with.plan = inner, inner.plan
		return &with, nil
	}
	ctx, done := session.Within(ctx, p.session.Deadline())
	defer done()
	plan, err := p.session.firstPlan(ctx, with.st, with.oids, true)
	if err != nil {
		return nil, err
	}
	with.plan, with.columns = plan, plan.Columns
	return &with, nil
}

// overflowed reports whether the statement failed because its plan computes numerics in 64 bits.
func (p *statement) overflowed(err error) bool {
	if err == nil {
		return false
	}
	var e *pgerr.Error
	return errors.As(err, &e) && e.Code == pgerr.NumericValueOutOfRange && p != nil && p.plan != nil && p.plan.Scoped != nil && p.plan.Scoped.Overflows
}

// planExactly plans the statement without such computations.
func (p *statement) planExactly(ctx context.Context) error {
	plan, err := p.session.firstPlan(ctx, p.st.MayOverflow(false), p.plan.Scoped.Params, true)
	if err != nil {
		return err
	}
	p.st, p.plan = p.st.MayOverflow(false), plan
	return nil
}

// errOtherParameters: a statement was planned again, and its parameters have other types than
// those by which their values were read.
var errOtherParameters = errors.New("other parameters")

func sameColumns(a, b []wire.Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].OID != b[i].OID || a[i].Typmod != b[i].Typmod {
			return false
		}
	}
	return true
}
