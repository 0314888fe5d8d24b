package gateway

import (
	"context"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/copydata"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// copyOut is the portal of COPY TO STDOUT (wire.CopyOut).
type copyOut struct {
	*portal
	copy wire.Copy
}

var _ wire.CopyOut = (*copyOut)(nil)

// newCopyOut makes of out, which has nothing to run yet, the portal of a COPY.
func newCopyOut(p *statement, out *portal) *copyOut {
	c := &copyOut{portal: out}
	out.run = func(ctx context.Context, _ *portal) (rows, error) { return c.start(ctx, p) }
	return c
}

// Copy is what is copied (wire.CopyOut).
func (c *copyOut) Copy() wire.Copy { return c.copy }

// Sent takes down what became of it (wire.Accountant).
func (c *copyOut) Sent(rows uint64, bytes int64, err error) {
	c.tag, c.counts = fmt.Sprintf("COPY %d", rows), false
	c.portal.Sent(0, bytes, err)
	c.session.Activity.End()
}

// Copied is called after each batch (wire.CopyOut).
func (c *copyOut) Copied(rows uint64, bytes int64) { c.session.Activity.Copied(int64(rows), bytes) }

// start runs the query: the one in parentheses, or one that selects the columns
// of the relation. It reads what any SELECT would read.
func (c *copyOut) start(ctx context.Context, p *statement) (rows, error) {
	s := p.session
	query, target, all := p.st.Inner, "", []column.Named(nil)
	going := introspect.Work{Kind: introspect.CopyTo}
	if query == nil {
		r, err := s.copyRelation(ctx, *p.st.Target)
		if err != nil {
			return nil, err
		}
		if target, all = r.Shape.Table, r.Shape.Columns; r.Sequence != nil {
			return nil, pgerr.New(pgerr.WrongObjectType, "cannot copy from sequence %q", target)
		} else if r.View != nil || r.Catalog != nil && r.Catalog.View {
			return nil, pgerr.New(pgerr.WrongObjectType, "cannot copy from view %q", target).
				WithHint("Try the COPY (SELECT ...) TO variant.")
		}
		if r.Stored != nil && r.Stored.View != nil {
			return nil, pgerr.New(pgerr.WrongObjectType, "cannot copy from materialized view %q", target).
				WithHint("Try the COPY (SELECT ...) TO variant.")
		}
		going = copyWork(introspect.CopyTo, r)
		if query, err = selectColumns(r, p.st.Copy.Columns); err != nil {
			return nil, err
		}
	}
	options, err := copydata.ReadOptions(&p.st.Copy)
	if err != nil {
		return nil, err
	}
	plan, err := s.copyPlan(ctx, query)
	if err != nil {
		return nil, err
	}
	if all == nil {
		for _, o := range plan.Columns {
			all = append(all, column.Named{Name: o.Name})
		}
	}
	if c.copy, err = options.Copy(target, all, plan.Columns, s.ClientEncoding); err != nil {
		return nil, err
	}
	s.Activity.Begin(going)
	inner := &statement{session: s, query: p.query, st: query, plan: plan, columns: plan.Columns, account: p.account}
	return inner.execute(ctx, c.portal, nil)
}

// copyPlan plans the query of a COPY.
func (s *Session) copyPlan(ctx context.Context, query *syntax.Statement) (*planner.Plan, error) {
	switch {
	case query.Kind == syntax.CreateTableAs:
		return nil, pgerr.Unsupported("COPY (SELECT INTO) is not supported")
	case query.Kind != syntax.Select && !planner.IsWrite(query):
		return nil, s.refuse(query)
	}
	plan, err := s.firstPlan(ctx, query, nil, true)
	switch {
	case err != nil:
		return nil, err
	case len(plan.Scoped.Params) > 0:
		return nil, query.NoParameters()
	case plan.Columns == nil && planner.IsWrite(query):
		return nil, pgerr.Unsupported("COPY query must have a RETURNING clause")
	}
	return plan, nil
}

// copyRelation finds the relation of a COPY at the pin of the transaction, which
// it takes.
func (s *Session) copyRelation(ctx context.Context, ref syntax.Ref) (*relation.Relation, error) {
	first := s.Tx.Pin == nil
	pin, err := s.Pin(ctx)
	if err != nil {
		return nil, err
	}
	r, err := s.Resolver().Named(pin, ref)
	if sqlstate.IsUndefinedTable(err) && first {
		if pin, err = s.PinAnew(ctx); err != nil {
			return nil, err
		}
		r, err = s.Resolver().Named(pin, ref)
	}
	return &r, err
}

// copyWork is what a COPY does, for ontosql.progress.
func copyWork(kind introspect.WorkKind, r *relation.Relation) introspect.Work {
	w := introspect.Work{Kind: kind, Schema: r.Shape.Schema, Table: r.Shape.Table}
	if r.Type != nil {
		w.Type = r.Type.Ref
	}
	return w
}

// copyData asks the client for the data of a COPY FROM. The caller ends the work.
func (s *Session) copyData(form wire.Copy, of introspect.Work) *wire.CopyReader {
	s.Activity.Begin(of)
	data := s.Start.CopyIn(form)
	data.Report = s.Activity.Copied
	return data
}

// selectColumns is the query of some columns of a relation, all for none.
func selectColumns(r *relation.Relation, columns []string) (*syntax.Statement, error) {
	var list []string
	err := copydata.EachColumn(r.Shape.Table, r.Shape.Columns, r.Shape.Generated, columns, func(name string) error {
		list = append(list, duckdb.Ident(name))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return syntax.Analyze("SELECT " + strings.Join(list, ", ") + " FROM " + duckdb.Ident(r.Shape.Schema) + "." + duckdb.Ident(r.Shape.Table))
}

// refuseFiles refuses what is not between the client and the server alone.
func refuseFiles(c *syntax.CopyOptions) error {
	if c.File == "" && !c.Program {
		return nil
	}
	return pgerr.New(pgerr.InsufficientPrivilege, "permission denied to COPY to or from a file or a program of the server").
		WithHint("Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone.")
}
