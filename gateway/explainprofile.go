package gateway

import (
	"context"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
)

// profileNode is a step of the engine's plan, for EXPLAIN (ANALYZE, VERBOSE).
type profileNode struct {
	Type     string        `json:"Node Type" xml:"Node-Type"`
	Relation string        `json:"Relation,omitempty" xml:"Relation,omitempty"` // of a scan, with its schema
	Rows     int64         `json:"Actual Rows" xml:"Actual-Rows"`
	Time     float64       `json:"Own Time" xml:"Own-Time"` // in milliseconds, of all threads, without the steps below
	Plans    []profileNode `json:"Plans,omitempty" xml:"Plan,omitempty"`
}

// profile runs a statement and counts its rows. It adds to the references of node what their
// scans returned and took.
func (s *Session) profile(ctx context.Context, plan *planner.Plan, src *reading.Sources, args [][]byte, node *planNode) (rows int, _ *profileNode, err error) {
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return 0, nil, err
	}
	last, err := conn.Profile(ctx, func() error {
		rows, err = reading.Drain(ctx, s.Session, plan, src, args)
		return err
	})
	if err != nil || last == nil {
		return rows, nil, err
	}
	steps := node.profiled(*last, src)
	return rows, &steps, nil
}

// profiled is a step as a node. src are the sources of the references below n.
func (n *planNode) profiled(o duckdb.Operator, src *reading.Sources) profileNode {
	out := profileNode{Type: stepName(o), Rows: o.Rows, Time: float64(o.Time.Microseconds()) / 1000}
	if of := src.ReadersOf(o.Source); len(of) > 0 {
		out.Relation = n.Plans[of[0]].name()
		for _, i := range of { // more are references to one type: which scan is whose cannot be told
			n.Plans[i].scanned(out, len(of))
		}
	}
	for _, in := range o.Inputs {
		out.Plans = append(out.Plans, n.profiled(in, src))
	}
	return out
}

// scanned adds what a scan of the reference, or of one of so many references, returned and took.
func (n *planNode) scanned(scan profileNode, references int) {
	if n.Scanned == nil {
		n.Scanned = &scanTotal{}
	}
	if references > 1 {
		n.Scanned.References = references
	}
	n.Scanned.Rows += scan.Rows
	n.Scanned.Time += scan.Time
}

// stepName is the name of a step in PostgreSQL's style. Functions that are no engine's own have
// no name here.
func stepName(o duckdb.Operator) string {
	switch {
	case o.Scan == "READ_PARQUET":
		return "Parquet Scan"
	case o.Scan == "SEQ_SCAN", o.Scan == "INDEX_SCAN":
		return title(o.Scan)
	case o.Type == "TABLE_SCAN":
		return "Function Scan"
	}
	return title(o.Type)
}

// title writes HASH_JOIN as Hash Join.
func title(name string) string {
	words := strings.Fields(strings.ReplaceAll(strings.ToLower(name), "_", " "))
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// lines are those of a step and of the steps below it.
func (n *profileNode) lines() []string {
	top := n.Type
	if n.Relation != "" {
		top += " on " + n.Relation
	}
	lines := []string{fmt.Sprintf("%s  (rows=%d time=%.3f ms)", top, n.Rows, n.Time)}
	for _, below := range n.Plans {
		for i, line := range below.lines() {
			if i == 0 {
				line = "->  " + line
			} else {
				line = "    " + line
			}
			lines = append(lines, "  "+line)
		}
	}
	return lines
}
