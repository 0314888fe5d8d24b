package gateway

import (
	"slices"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite"
)

// constant is the row of a statement that reads nothing, takes no values and calls
// nothing that may answer otherwise the next time.
// PostgreSQL works such expressions out once, when it plans (eval_const_expressions);
// here the engine does when the statement first runs, and the plan keeps the row. What
// it hangs on besides the text are the settings that make texts of values, and what the
// session said to version(), current_user and their like.
type constant struct {
	styles  string
	settled []rewrite.SessionValue
	row     *column.Batch // nil while there is none
}

// mostConstant is the size in bytes of the greatest row that a plan keeps.
const mostConstant = 4 << 10

// folded are the rows of a plan that were worked out before, nil for none.
func (s *Session) folded(p *plan) rows {
	if p.constant.row == nil || p.constant.styles != s.settings.OutputKey() {
		return nil
	}
	if settled, err := p.scoped.Settled(); err != nil || !slices.Equal(settled, p.constant.settled) {
		return nil
	}
	return &once{batch: p.constant.row}
}

// folding is the answer of a constant statement while its client gets it. A nil one
// is of another statement and does nothing.
type folding struct {
	constant
	many bool // there is more than the one row that is kept
}

// fold begins to keep the answer of a plan, nil where it is none that is kept.
func (s *Session) fold(p *plan) *folding {
	if !p.detached() || !p.scoped.Repeatable || len(p.scoped.Params) > 0 {
		return nil
	}
	settled, err := p.scoped.Settled()
	if err != nil {
		return nil // the statement says what is wrong
	}
	return &folding{constant: constant{styles: s.settings.OutputKey(), settled: settled}}
}

// add takes the next batch of the answer.
func (f *folding) add(b *column.Batch) {
	switch {
	case f == nil:
	case f.row == nil && b.Len == 1 && b.CopySize() <= mostConstant:
		f.row = b.Copy(0)
	default:
		f.many = true
	}
}

// keep is told that the answer of the plan is complete.
func (f *folding) keep(p *plan) {
	if f != nil && !f.many {
		p.constant = f.constant
	}
}
