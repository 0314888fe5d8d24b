package wire

import (
	"context"
	"io"
	"iter"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
)

// Names are the prepared statements and the portals of one connection. Parse and PREPARE share
// a name space, Bind and DECLARE another; "" is the unnamed one of each (PostgreSQL manual,
// 55.2.3). They belong to the goroutine of the session.
type Names struct {
	statements map[string]*statement
	portals    map[string]*portal
	made       int // portals so far that Bind made
}

// NewNames returns an empty set of names.
func NewNames() *Names {
	return &Names{statements: map[string]*statement{}, portals: map[string]*portal{}}
}

// Statement is the prepared statement of a name, nil for none.
func (n *Names) Statement(name string) Statement {
	if st := n.statements[name]; st != nil {
		return st.Statement
	}
	return nil
}

// Statements are the prepared statements that have a name, in no order.
func (n *Names) Statements() iter.Seq2[string, Statement] {
	return func(yield func(string, Statement) bool) {
		for name, st := range n.statements {
			if name != "" && !yield(name, st.Statement) {
				return
			}
		}
	}
}

// AddStatement gives a prepared statement its name; the one without a name is
// replaced. It is closed when its name is given up and its last portal ends. The
// error is 42P05 where the name is taken.
func (n *Names) AddStatement(name string, st Statement) error {
	if name == "" {
		n.DropStatement("")
	} else if n.statements[name] != nil {
		return pgerr.New(pgerr.DuplicatePreparedStatement, "prepared statement %q already exists", name)
	}
	n.statements[name] = newStatement(st)
	return nil
}

// DropStatement gives up a name and reports whether there was a statement of it.
func (n *Names) DropStatement(name string) bool {
	st := n.statements[name]
	if st != nil {
		delete(n.statements, name)
		st.release()
	}
	return st != nil
}

// DropStatements gives up all names of statements.
func (n *Names) DropStatements() {
	for name := range n.statements {
		if name != "" {
			n.DropStatement(name)
		}
	}
}

// Portal is the portal of a name, nil for none.
func (n *Names) Portal(name string) Portal {
	if p := n.portals[name]; p != nil {
		return p.Portal
	}
	return nil
}

// Bound are the portals that Bind made and that have a name, in no order.
func (n *Names) Bound() iter.Seq2[string, Portal] {
	return func(yield func(string, Portal) bool) {
		for name, p := range n.portals {
			if name != "" && !p.declared && !yield(name, p.Portal) {
				return
			}
		}
	}
}

// Take is the next rows of a portal that Bind made, limit at most: what FETCH gives
// is not sent by a later Execute. It is io.EOF behind the last row, and 55000 of a portal
// that runs: one may FETCH from itself.
func (n *Names) Take(ctx context.Context, name string, limit int64) (*column.Batch, error) {
	p, err := n.findPortal(name)
	if err != nil {
		return nil, err
	}
	if err := n.CanRun(name); err != nil {
		return nil, err
	}
	p.active = true
	defer func() { p.active = false }()
	for p.batch == nil || p.sent == p.batch.Len {
		if p.atEnd {
			return nil, io.EOF
		}
		b, err := p.Next(ctx)
		if err != nil {
			p.atEnd, p.batch = true, nil
			return nil, err
		}
		p.batch, p.sent, p.copied = b, 0, false
	}
	rows := make([]int, min(limit, int64(p.batch.Len-p.sent)))
	for i := range rows {
		rows[i] = p.sent + i
	}
	taken := p.batch.Pick(0, rows)
	p.sent += len(rows)
	p.delivered += int64(len(rows))
	p.keepRest()
	return taken, nil
}

// Passed is how many rows of a portal that Bind made were sent or taken, and whether it is
// known that there are no more.
func (n *Names) Passed(name string) (rows int64, ended bool) {
	if p := n.portals[name]; p != nil {
		return p.delivered, p.atEnd
	}
	return 0, false
}

// Fail says that a statement about a portal has failed: it cannot be run any more.
func (n *Names) Fail(name string) {
	if p := n.portals[name]; p != nil {
		p.finished = true
	}
}

// CanRun is 55000 where the portal of a name runs, has failed, or ran and gave no rows.
func (n *Names) CanRun(name string) error {
	if p := n.portals[name]; p != nil && (p.active || p.finished) {
		return p.cannotRun()
	}
	return nil
}

// Declare gives a portal its name. It outlives the transaction, unless who declared
// it drops it, and is closed when its name is given up. The error is 42P03 where the
// name is taken.
func (n *Names) Declare(name string, p Portal) error {
	if n.portals[name] != nil {
		return pgerr.New(pgerr.DuplicateCursor, "cursor %q already exists", name)
	}
	n.portals[name] = &portal{Portal: p, name: name, declared: true}
	return nil
}

// DropPortal closes the portal of a name and reports whether there was one.
func (n *Names) DropPortal(name string) bool {
	p := n.portals[name]
	if p != nil {
		delete(n.portals, name)
		p.close()
	}
	return p != nil
}

// DropPortals closes all portals but the one that runs.
func (n *Names) DropPortals() {
	for name, p := range n.portals {
		if !p.active {
			n.DropPortal(name)
		}
	}
}

// Active reports whether the portal of a name is running.
func (n *Names) Active(name string) bool {
	p := n.portals[name]
	return p != nil && p.active
}

// Mark is a moment for DropBound: portals that are made later are newer.
func (n *Names) Mark() int { return n.made }

// DropBound closes the portals that Bind made after a Mark, all of them after 0, because
// their transaction or subtransaction is over. The one that runs stays.
func (n *Names) DropBound(after int) {
	for name, p := range n.portals {
		if !p.declared && !p.active && p.serial > after {
			n.DropPortal(name)
		}
	}
}

// drop closes everything.
func (n *Names) drop() {
	for name := range n.portals {
		n.DropPortal(name)
	}
	for name := range n.statements {
		n.DropStatement(name)
	}
}

func (n *Names) findStatement(name string) (*statement, error) {
	if st := n.statements[name]; st != nil {
		return st, nil
	}
	if name == "" {
		return nil, pgerr.New(pgerr.InvalidSQLStatementName, "unnamed prepared statement does not exist")
	}
	return nil, pgerr.New(pgerr.InvalidSQLStatementName, "prepared statement %q does not exist", name)
}

func (n *Names) findPortal(name string) (*portal, error) {
	if p := n.portals[name]; p != nil {
		return p, nil
	}
	return nil, pgerr.New(pgerr.InvalidCursorName, "portal %q does not exist", name)
}
