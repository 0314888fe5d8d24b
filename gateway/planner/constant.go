package planner

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

// CachedConstant is the row of a plan that was computed before, nil for none.
func (p *Plan) CachedConstant(styles string) *column.Batch {
	if p.constant.row == nil || p.constant.styles != styles {
		return nil
	}
	if settled, err := p.Scoped.Settled(); err != nil || !slices.Equal(settled, p.constant.settled) {
		return nil
	}
	return p.constant.row
}

// ConstantRecorder records the row of a constant statement while the client receives it. A
// nil one does nothing.
type ConstantRecorder struct {
	constant
	many bool // there is more than one row, or it is too large
}

// RecordConstant starts to record the row of a plan, nil where the statement is not constant.
func (p *Plan) RecordConstant(styles string) *ConstantRecorder {
	if !p.Detached() || !p.Scoped.Repeatable || len(p.Scoped.Params) > 0 {
		return nil
	}
	settled, err := p.Scoped.Settled()
	if err != nil {
		return nil // the statement says what is wrong
	}
	return &ConstantRecorder{constant: constant{styles: styles, settled: settled}}
}

// Add records the next batch.
func (f *ConstantRecorder) Add(b *column.Batch) {
	switch {
	case f == nil:
	case f.row == nil && b.Len == 1 && b.CopySize() <= mostConstant:
		f.row = b.Copy(0)
	default:
		f.many = true
	}
}

// Keep stores the row in the plan. It is called after the last batch.
func (f *ConstantRecorder) Keep(p *Plan) {
	if f != nil && !f.many {
		p.constant = f.constant
	}
}
