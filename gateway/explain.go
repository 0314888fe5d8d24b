package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/writing"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// describeExplained plans the statement under EXPLAIN. What EXECUTE names is looked for
// when it runs.
func (p *statement) describeExplained(ctx context.Context) error {
	p.inner = &statement{session: p.session, query: p.query, st: p.st.Inner, oids: p.oids, bound: true}
	oid, ok := explainOIDs[p.st.Explain.Format]
	if !ok {
		return pgerr.Unsupported("EXPLAIN (FORMAT %s) is not supported", strings.ToUpper(p.st.Explain.Format))
	}
	p.columns[0].OID = oid
	if p.inner.st.Kind == syntax.Execute {
		return nil
	}
	err := p.explainable(p.inner.st)
	if err == nil {
		p.inner.plan, err = p.session.firstPlan(ctx, p.inner.st, p.oids, true)
	}
	p.plan = p.inner.plan // for the parameters
	return err
}

// explainable refuses a statement that has no plan, or that EXPLAIN would not run.
func (p *statement) explainable(st *syntax.Statement) error {
	switch {
	case st.Kind != syntax.Select && !planner.IsWrite(st):
		return p.session.refuse(st)
	case (st.Kind != syntax.Select || len(st.Parts) > 0) && p.st.Explain.Analyze:
		return pgerr.Unsupported("EXPLAIN ANALYZE of a statement that writes is not supported")
	}
	return nil
}

// explained is the statement that EXPLAIN explains, its own or the one that EXECUTE
// names, and its arguments.
func (p *statement) explained(ctx context.Context, args [][]byte) (*statement, [][]byte, error) {
	if p.inner.st.Kind != syntax.Execute {
		return p.inner, args, nil
	}
	ctx, done := session.Within(ctx, p.session.Deadline())
	defer done()
	p.inner.account = p.account
	of, err := p.session.executed(ctx, p.inner.st)
	if err == nil {
		err = p.explainable(of.st)
	}
	if err != nil {
		return nil, nil, err
	}
	if args, err = p.inner.arguments(ctx, of.Params()); err == nil {
		args, err = of.readArguments(args)
	}
	return of, args, err
}

// explain answers EXPLAIN: where the rows of each reference come from, and with
// ANALYZE what it cost. Of an INSERT it runs nothing.
func (p *statement) explain(ctx context.Context, of *statement, args [][]byte) (rows, error) {
	s := p.session
	if err := s.YieldStream(ctx); err != nil {
		return nil, err
	}
	began := time.Now()
	pin, err := s.Pin(ctx)
	if err != nil {
		return nil, err
	}
	src := &reading.Sources{}
	defer func() { src.Release(context.WithoutCancel(ctx)) }()
	for again := true; again; {
		src.Release(context.WithoutCancel(ctx))
		src = &reading.Sources{Session: s.Session, Dry: !p.st.Explain.Analyze, Repeated: true, Spare: p.st.Explain.Analyze && !p.st.Explain.Verbose}
		if again, err = s.findExplained(ctx, pin, of, src, args); err != nil {
			return nil, err
		}
	}
	byKey, err := writing.ByKey(ctx, s.Session, pin, of.plan, args)
	if err != nil {
		return nil, err
	}
	for i := range src.Windows {
		w := &src.Windows[i]
		w.Point, w.Mirrored = w.Point || byKey, w.Mirrored && !byKey
	}
	told := explainOutput{Plan: statementNode(of.plan)}
	src.Tell()
	planned := time.Since(began)
	told.Plan.Pin, told.Plan.Plans = fmt.Sprintf("commit %d", pin.Head.Commit), report(src)
	if p.st.Explain.Analyze {
		var count int
		switch {
		case src.Answered != nil:
			count = src.Answered.Len
		case p.st.Explain.Verbose:
			count, told.Profile, err = s.profile(ctx, of.plan, src, args, &told.Plan)
		default:
			count, err = reading.Drain(ctx, s.Session, of.plan, src, args)
		}
		if err != nil {
			return nil, err
		}
		told.Plan.Rows = &count
	}
	told.Plan.joined()
	if of.plan.Write == nil {
		told.Plan.outputs(of.plan.Scoped.Columns)
	}
	if err := s.explainParts(ctx, pin, of, args, &told.Plan); err != nil {
		return nil, err
	}
	if p.st.Explain.Analyze {
		total := s.Running.Account.Requests()
		told.Store = &storeUse{Requests: total.Requests, Bytes: total.Bytes}
	}
	if p.st.Explain.Summary {
		told.Planning = milliseconds(planned)
		if p.st.Explain.Analyze {
			told.Execution = milliseconds(time.Since(began) - planned)
		}
	}
	texts, err := told.in(p.st.Explain.Format)
	if err != nil {
		return nil, err
	}
	table := make([][]string, len(texts))
	for i, text := range texts {
		table[i] = []string{text}
	}
	return textRows(1, table), nil
}

// findExplained plans a statement and finds its sources. again is set if they have told that numerics are
// narrower or wider than they were planned: then it is to be planned again, as the statement itself would be.
func (s *Session) findExplained(ctx context.Context, pin *resolver.Pin, of *statement, src *reading.Sources, args [][]byte) (again bool, err error) {
	if of.plan.Version != s.Version(pin) {
		if of.plan, err = s.Plan(pin, of.st, of.oids); err != nil {
			return false, err
		}
	}
	if err := s.Authorize(pin.Catalog, of.plan); err != nil {
		return false, err
	}
	if err := s.PrepareCatalog(ctx, pin, of.plan); err != nil {
		return false, err
	}
	switch err := src.Find(ctx, pin, of.plan.Query(), args); {
	case errors.Is(err, reading.ErrWider):
		return true, nil
	case err != nil:
		return false, err
	}
	return of.plan.Version != s.Version(pin), nil
}

// explainParts adds the parts of a statement to its node.
func (s *Session) explainParts(ctx context.Context, pin *resolver.Pin, of *statement, args [][]byte, node *planNode) error {
	for i, part := range of.plan.Parts {
		src := &reading.Sources{Session: s.Session, Dry: true, Repeated: true}
		err := src.Find(ctx, pin, part.Query(), args)
		n := statementNode(part)
		n.Parent, n.Subplan, n.Plans = "InitPlan", "CTE "+of.st.Parts[i].With.Name, report(src)
		src.Release(context.WithoutCancel(ctx))
		if err != nil {
			return err
		}
		src.Tell()
		n.joined()
		node.Plans = append(node.Plans, n)
	}
	return nil
}

func milliseconds(d time.Duration) *float64 {
	ms := float64(d.Microseconds()) / 1000
	return &ms
}

// report describes the source of each reference, without a path of this
// machine.
func report(o *reading.Sources) []planNode {
	var nodes []planNode
	for _, w := range o.Windows {
		n := planNode{Type: "Function Scan", Parent: "Outer", Schema: w.Relation.Shape.Schema, Relation: w.Relation.Shape.Table}
		if w.Need.Outer {
			n.Parent = "Inner"
		}
		if w.Relation.Ref.Part > 0 {
			n = planNode{Type: "CTE Scan", Parent: n.Parent, CTE: n.Relation}
		}
		if w.Relation.Type != nil {
			n.Type, n.Window, n.Source = "Foreign Scan", text(&w), w.Stored.Text()
			if w.Before.Text != nil {
				n.Before = w.Before.Text()
			}
			if w.Point {
				n.Point, n.Source = "row store", ""
			}
			if w.Mirrored {
				n.Mirror = fmt.Sprintf("through commit %d", w.Through)
			}
			n.Columns = slices.Concat(w.Need.Columns, slices.Sorted(maps.Keys(w.Need.System)))
			for _, k := range w.Keys.Equals() {
				n.Keys = append(n.Keys, k.Column+" = "+cmp.Or(strings.Join(k.Texts, " or "), "no value"))
			}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// text is the window, with the bounds on commit_id that reached the source.
func text(w *reading.WindowReport) string {
	mode := map[ontosql.Mode]string{ontosql.Latest: "latest", ontosql.History: "history", ontosql.Changes: "changes", ontosql.Diff: "diff", ontosql.Blame: "blame"}[w.Window.Mode]
	switch {
	case w.Window.Mode == ontosql.Diff:
		return fmt.Sprintf("%s, commits %d to %d", mode, w.Window.Since+1, w.Window.Upper)
	case len(w.Need.Lower)+len(w.Need.Upper) == 0:
		return fmt.Sprintf("%s at commit %d", mode, w.Window.Upper)
	case w.Window.Lower >= w.Window.Upper:
		return mode + ", no commit"
	}
	return fmt.Sprintf("%s, commits %d to %d", mode, w.Window.Lower+1, w.Window.Upper)
}

// statementNode is the node of a query: of a write, what PostgreSQL's EXPLAIN calls it.
func statementNode(p *planner.Plan) planNode {
	w := p.Write
	if w == nil {
		return planNode{Type: "Result"}
	}
	verb := map[syntax.Kind]string{syntax.Insert: "Insert", syntax.Update: "Update", syntax.Delete: "Delete", syntax.Merge: "Merge"}[w.Kind]
	schema, name := w.TargetName()
	return planNode{Type: "ModifyTable", Operation: verb, Schema: schema, Relation: name}
}
