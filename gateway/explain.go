package gateway

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite"
)

// describeExplained plans the statement under EXPLAIN.
func (p *statement) describeExplained(ctx context.Context) error {
	inner := p.st.Inner
	switch {
	case inner.Kind != rewrite.Select && p.st.Explain.Analyze:
		return pgerr.Unsupported("EXPLAIN ANALYZE of a statement that writes is not supported")
	case inner.Kind != rewrite.Select && inner.Kind != rewrite.Insert:
		return p.session.refuse(inner)
	case p.st.Explain.Format != "" && p.st.Explain.Format != "text":
		return pgerr.Unsupported("EXPLAIN (FORMAT %s) is not supported", strings.ToUpper(p.st.Explain.Format))
	}
	var err error
	p.plan, err = p.session.firstPlan(ctx, inner, p.oids, true)
	return err
}

// explain answers EXPLAIN: where the rows of each reference come from, and with
// ANALYZE what it cost. Of an INSERT it runs nothing.
func (p *statement) explain(ctx context.Context, args [][]byte) (rows, error) {
	s := p.session
	if err := s.yieldStream(ctx); err != nil {
		return nil, err
	}
	ctx, requests := metered.WithCounter(ctx)
	began := time.Now()
	pin, err := s.pin(ctx)
	if err != nil {
		return nil, err
	}
	if p.plan.version != s.planVersion(pin) {
		if p.plan, err = s.newPlan(pin, p.st.Inner, p.oids); err != nil {
			return nil, err
		}
	}
	if err := s.prepareCatalog(ctx, pin, p.plan); err != nil {
		return nil, err
	}
	src := &sources{session: s, dry: !p.st.Explain.Analyze, repeated: true}
	defer func() { src.release(context.WithoutCancel(ctx)) }()
	if err := src.find(ctx, pin, p.plan, args); err != nil {
		return nil, err
	}
	var lines []string
	if p.st.Explain.Analyze {
		planned := time.Since(began)
		count, err := s.drain(ctx, p.plan, src, args)
		if err != nil {
			return nil, err
		}
		total := requests.Counts().Total()
		lines = append(lines,
			fmt.Sprintf("Result  (rows=%d)", count),
			fmt.Sprintf("Pin: commit %d", pin.Head.Commit))
		lines = append(lines, src.report()...)
		lines = append(lines,
			fmt.Sprintf("Object store: %d requests, %d bytes", total.Requests, total.Bytes),
			fmt.Sprintf("Planning Time: %.3f ms", milliseconds(planned)),
			fmt.Sprintf("Execution Time: %.3f ms", milliseconds(time.Since(began)-planned)))
	} else {
		top := "Result"
		if in := p.plan.insertion; in != nil {
			top = "Insert on " + schemaPublic + "." + in.typ.Table
		}
		lines = append(lines, top, fmt.Sprintf("Pin: commit %d", pin.Head.Commit))
		lines = append(lines, src.report()...)
	}
	table := make([][]string, len(lines))
	for i, line := range lines {
		table[i] = []string{line}
	}
	return textRows(1, table), nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

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
func (o *sources) report() []string {
	var lines []string
	for _, w := range o.windows {
		r := w.relation
		name := r.shape.Schema + "." + r.shape.Table
		switch {
		case r.typ == nil:
			lines = append(lines, "  ->  "+name+"  (computed)")
		default:
			lines = append(lines,
				fmt.Sprintf("  ->  %s  (%s)", name, windowText(w.window)))
			if w.mirrored {
				lines = append(lines, fmt.Sprintf("        Mirror: through commit %d", w.through))
			}
			lines = append(lines,
				fmt.Sprintf("        Files: %d considered, %d pruned, %d read", w.considered, w.considered-w.files, w.files))
			if len(w.need.Columns) > 0 {
				lines = append(lines, "        Columns: "+strings.Join(w.need.Columns, ", "))
			}
			for _, k := range w.keys.equals() {
				lines = append(lines, "        Key: "+k.Column+" = "+strings.Join(k.Texts, " or "))
			}
		}
	}
	return lines
}

func windowText(w ontosql.Window) string {
	mode := map[ontosql.Mode]string{ontosql.Latest: "latest", ontosql.History: "history", ontosql.Changes: "changes"}[w.Mode]
	if w.Lower > 0 {
		return fmt.Sprintf("%s, commits %d to %d", mode, w.Lower+1, w.Upper)
	}
	return fmt.Sprintf("%s at commit %d", mode, w.Upper)
}
