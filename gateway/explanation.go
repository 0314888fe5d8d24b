package gateway

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ontosql/ontosql/rewrite"
)

// explanation is what EXPLAIN says of a statement.
type explanation struct {
	title   string
	rows    *int // that it gave, under ANALYZE
	facts   []fact
	output  []string // of a query that is only read: its columns
	sources []explainedSource
	ending  []fact
}

// explainedSource is what it says of one of the references.
type explainedSource struct {
	relation, window string
	facts            []fact
	output           []string // those of the columns that are its own
	outer            bool     // an outer join may leave it without a row
}

// fact is a line of an explanation, and a member of it in JSON.
type fact struct {
	name  string
	value any
}

func (f fact) line() string { return fmt.Sprint(f.name, ": ", f.value) }

// milliseconds are a time as PostgreSQL's EXPLAIN writes it: a number, with its unit in
// a line.
type milliseconds float64

func inMilliseconds(d time.Duration) milliseconds { return milliseconds(d.Microseconds()) / 1000 }

func (m milliseconds) String() string { return fmt.Sprintf("%.3f ms", float64(m)) }

// outputs names the columns of the result, those of a source after it and its place.
func (e *explanation) outputs(columns []rewrite.Output) {
	for _, c := range columns {
		name := c.Name
		if c.Ref >= 0 {
			s := &e.sources[c.Ref]
			name = fmt.Sprintf("%s_%d.%s", s.relation, c.Ref+1, c.Column)
			s.output = append(s.output, name)
		}
		e.output = append(e.output, name)
	}
}

// lines are the explanation in PostgreSQL's FORMAT TEXT.
func (e *explanation) lines() [][]string {
	title := e.title
	if e.rows != nil {
		title += fmt.Sprintf("  (rows=%d)", *e.rows)
	}
	lines := [][]string{{title}}
	for _, f := range e.facts {
		lines = append(lines, []string{f.line()})
	}
	for _, s := range e.sources {
		lines = append(lines, []string{"  ->  " + s.relation + "  (" + s.window + ")"})
		for _, f := range s.facts {
			lines = append(lines, []string{"        " + f.line()})
		}
	}
	for _, f := range e.ending {
		lines = append(lines, []string{f.line()})
	}
	return lines
}

// json is the explanation in FORMAT JSON: PostgreSQL's tree of plans, so that its
// readers find their way, with the facts as its members. An outer join is one over
// sources as PostgreSQL has it: the outputs of its inner ones may be NULL.
func (e *explanation) json() (string, error) {
	plan := map[string]any{"Node Type": e.title}
	if e.rows != nil {
		plan["Actual Rows"] = *e.rows
	}
	addFacts(plan, e.facts)
	if e.output != nil {
		plan["Output"] = e.output
	}
	var sources []map[string]any
	for _, s := range e.sources {
		source := map[string]any{"Node Type": "Scan", "Parent Relationship": "Outer", "Relation Name": s.relation, "Window": s.window}
		if s.output != nil {
			source["Output"] = s.output
		}
		if s.outer {
			plan["Join Type"], source["Parent Relationship"] = "Left", "Inner"
		}
		addFacts(source, s.facts)
		sources = append(sources, source)
	}
	if sources != nil {
		plan["Plans"] = sources
	}
	all := map[string]any{"Plan": plan}
	addFacts(all, e.ending)
	text, err := json.MarshalIndent([]any{all}, "", "  ")
	return string(text), err
}

// addFacts adds facts to an object. Those of one name, such as the bounds of two key
// columns, are one.
func addFacts(to map[string]any, facts []fact) {
	for _, f := range facts {
		if before, ok := to[f.name]; ok {
			f.value = fmt.Sprint(before, ", ", f.value)
		}
		to[f.name] = f.value
	}
}
