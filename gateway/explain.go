package gateway

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite"
)

// describeExplained plans the statement under EXPLAIN. What EXECUTE names is looked for
// when it runs.
func (p *statement) describeExplained(ctx context.Context) error {
	p.inner = &statement{session: p.session, query: p.query, st: p.st.Inner, oids: p.oids, bound: true}
	switch format := p.st.Explain.Format; format {
	case "text":
	case "json":
		p.columns[0].OID = oidJSON
	default:
		return pgerr.Unsupported("EXPLAIN (FORMAT %s) is not supported", strings.ToUpper(format))
	}
	if p.inner.st.Kind == rewrite.Execute {
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
func (p *statement) explainable(st *rewrite.Statement) error {
	switch {
	case st.Kind != rewrite.Select && !isWrite(st):
		return p.session.refuse(st)
	case st.Kind != rewrite.Select && p.st.Explain.Analyze:
		return pgerr.Unsupported("EXPLAIN ANALYZE of a statement that writes is not supported")
	}
	return nil
}

// explained is the statement that EXPLAIN explains, its own or the one that EXECUTE
// names, and its arguments.
func (p *statement) explained(ctx context.Context, args [][]byte) (*statement, [][]byte, error) {
	if p.inner.st.Kind != rewrite.Execute {
		return p.inner, args, nil
	}
	ctx, done := within(ctx, p.session.deadline())
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
	if err := s.yieldStream(ctx); err != nil {
		return nil, err
	}
	began := time.Now()
	pin, err := s.pin(ctx)
	if err != nil {
		return nil, err
	}
	if of.plan.version != s.planVersion(pin) {
		if of.plan, err = s.newPlan(pin, of.st, of.oids); err != nil {
			return nil, err
		}
	}
	if err := s.prepareCatalog(ctx, pin, of.plan); err != nil {
		return nil, err
	}
	src := &sources{session: s, dry: !p.st.Explain.Analyze, repeated: true}
	defer func() { src.release(context.WithoutCancel(ctx)) }()
	top, read := explanation{title: "Result"}, of.plan
	if w := of.plan.writing; w != nil {
		top.title, read = w.title(), w.rows
	}
	if err := src.find(ctx, pin, read, args); err != nil {
		return nil, err
	}
	src.tell()
	planned := time.Since(began)
	if p.st.Explain.Analyze {
		count, err := s.drain(ctx, of.plan, src, args)
		if err != nil {
			return nil, err
		}
		top.rows = &count
	}
	top.facts = []fact{{"Pin", fmt.Sprintf("commit %d", pin.Head.Commit)}}
	top.sources = src.report()
	if of.plan.writing == nil {
		top.outputs(of.plan.scoped.Columns)
	}
	if p.st.Explain.Analyze {
		total := s.running.account.requested()
		top.ending = append(top.ending, fact{"Object store", fmt.Sprintf("%d requests, %d bytes", total.Requests, total.Bytes)})
	}
	if p.st.Explain.Summary {
		top.ending = append(top.ending, fact{"Planning Time", inMilliseconds(planned)})
		if p.st.Explain.Analyze {
			top.ending = append(top.ending, fact{"Execution Time", inMilliseconds(time.Since(began) - planned)})
		}
	}
	if p.st.Explain.Format == "json" {
		text, err := top.json()
		return textRows(1, [][]string{{text}}), err
	}
	return textRows(1, top.lines()), nil
}

// drain runs a statement and counts its rows.
func (s *Session) drain(ctx context.Context, p *plan, src *sources, args [][]byte) (int, error) {
	r, err := s.stream(ctx, p, src, args)
	if err != nil {
		return 0, err
	}
	defer func() {
		r.rows.Close()
		if r.stmt != nil {
			r.stmt.Close()
		}
	}()
	n := 0
	for {
		b, err := r.Next(ctx)
		if err == io.EOF { // of the rows, and not one that a broken connection gave
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		n += b.Len
	}
}

// report describes the source of each reference, without a path of this
// machine.
func (o *sources) report() []explainedSource {
	var all []explainedSource
	for _, w := range o.windows {
		r := w.relation
		e := explainedSource{relation: r.shape.Schema + "." + r.shape.Table, window: "computed", outer: w.need.Outer}
		if r.typ != nil {
			e.window = w.text()
			if w.mirrored {
				e.facts = append(e.facts, fact{"Mirror", fmt.Sprintf("through commit %d", w.through)})
			}
			stored, how, _ := strings.Cut(w.stored.text(), ": ")
			e.facts = append(e.facts, fact{stored, how})
			if columns := slices.Concat(w.need.Columns, slices.Sorted(maps.Keys(w.need.System))); len(columns) > 0 {
				e.facts = append(e.facts, fact{"Columns", strings.Join(columns, ", ")})
			}
			for _, k := range w.keys.equals() {
				e.facts = append(e.facts, fact{"Key", k.Column + " = " + strings.Join(k.Texts, " or ")})
			}
		}
		all = append(all, e)
	}
	return all
}

// text is the window, with the bounds on commit_id that reached the source.
func (w *windowReport) text() string {
	mode := map[ontosql.Mode]string{ontosql.Latest: "latest", ontosql.History: "history", ontosql.Changes: "changes"}[w.window.Mode]
	switch {
	case len(w.need.Lower)+len(w.need.Upper) == 0:
		return fmt.Sprintf("%s at commit %d", mode, w.window.Upper)
	case w.window.Lower >= w.window.Upper:
		return mode + ", no commit"
	}
	return fmt.Sprintf("%s, commits %d to %d", mode, w.window.Lower+1, w.window.Upper)
}

// title is how PostgreSQL's EXPLAIN names a write.
func (w *writing) title() string {
	verb := map[rewrite.Kind]string{rewrite.Insert: "Insert", rewrite.Update: "Update", rewrite.Merge: "Merge"}[w.kind]
	return verb + " on " + schemaPublic + "." + w.typ.Table
}
