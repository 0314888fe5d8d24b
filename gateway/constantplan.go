package gateway

import (
	"slices"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// constant is the row of a statement that reads nothing, takes no parameters and calls no
// volatile function. PostgreSQL computes such expressions when it plans
// (eval_const_expressions). Here the engine computes them when the statement first runs, and
// the plan keeps the row. Besides the text, the row depends on the settings that values are
// printed with, and on the session's answers to version(), current_user and the like.
type constant struct {
	styles  string
	settled []scope.SessionValue
	row     *column.Batch // nil until the statement has run
}

// mostConstant is the limit in bytes of a row that a plan keeps.
const mostConstant = 4 << 10

// cachedConstant is the row of a plan that was computed before, nil for none.
func (s *Session) cachedConstant(p *plan) rows {
	if p.constant.row == nil || p.constant.styles != s.settings.OutputKey() {
		return nil
	}
	if settled, err := p.scoped.Settled(); err != nil || !slices.Equal(settled, p.constant.settled) {
		return nil
	}
	return &once{batch: p.constant.row}
}

// constantRecorder records the row of a constant statement while the client receives it. A
// nil one does nothing.
type constantRecorder struct {
	constant
	many bool // there is more than one row, or it is too large
}

// recordConstant starts to record the row of a plan, nil where the statement is not constant.
func (s *Session) recordConstant(p *plan) *constantRecorder {
	if !p.detached() || !p.scoped.Repeatable || len(p.scoped.Params) > 0 {
		return nil
	}
	settled, err := p.scoped.Settled()
	if err != nil {
		return nil // the statement says what is wrong
	}
	return &constantRecorder{constant: constant{styles: s.settings.OutputKey(), settled: settled}}
}

// add records the next batch.
func (f *constantRecorder) add(b *column.Batch) {
	switch {
	case f == nil:
	case f.row == nil && b.Len == 1 && b.CopySize() <= mostConstant:
		f.row = b.Copy(0)
	default:
		f.many = true
	}
}

// keep stores the row in the plan. It is called after the last batch.
func (f *constantRecorder) keep(p *plan) {
	if f != nil && !f.many {
		p.constant = f.constant
	}
}
