package wire

import (
	"context"
	"io"
	"iter"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
)

// Names are the prepared statements and the portals of one connection. Parse and PREPARE share
// a name space, Bind and DECLARE another. "" is the unnamed statement or portal (PostgreSQL manual,
// 55.2.3). Only the goroutine of the session may use Names.
type Names struct {
	statements map[string]*statement
	portals    map[string]*portal
	made       int // number of portals that Bind has created
}

// NewNames returns an empty set of names.
func NewNames() *Names {
	return &Names{statements: map[string]*statement{}, portals: map[string]*portal{}}
}

// Statement returns a prepared statement by name, nil if there is none.
func (n *Names) Statement(name string) Statement {
	if st := n.statements[name]; st != nil {
		return st.Statement
	}
	return nil
}

// Statements returns the named prepared statements in no particular order.
func (n *Names) Statements() iter.Seq2[string, Statement] {
	return func(yield func(string, Statement) bool) {
		for name, st := range n.statements {
			if name != "" && !yield(name, st.Statement) {
				return
			}
		}
	}
}

// AddStatement adds a prepared statement. An unnamed statement replaces the earlier one. The statement
// is closed when its name is dropped and its last portal is closed. The error is 42P05 if the name
// exists.
func (n *Names) AddStatement(name string, st Statement) error {
	if name == "" {
		n.DropStatement("")
	} else if n.statements[name] != nil {
		return pgerr.New(pgerr.DuplicatePreparedStatement, "prepared statement %q already exists", name)
	}
	n.statements[name] = newStatement(st)
	return nil
}

// DropStatement drops a prepared statement and reports whether it existed.
func (n *Names) DropStatement(name string) bool {
	st := n.statements[name]
	if st != nil {
		delete(n.statements, name)
		st.release()
	}
	return st != nil
}

// DropStatements drops all prepared statements.
func (n *Names) DropStatements() {
	for name := range n.statements {
		if name != "" {
			n.DropStatement(name)
		}
	}
}

// Portal returns a portal by name, nil if there is none.
func (n *Names) Portal(name string) Portal {
	if p := n.portals[name]; p != nil {
		return p.Portal
	}
	return nil
}

// Bound returns the named portals that Bind created, in no particular order.
func (n *Names) Bound() iter.Seq2[string, Portal] {
	return func(yield func(string, Portal) bool) {
		for name, p := range n.portals {
			if name != "" && !p.declared && !yield(name, p.Portal) {
				return
			}
		}
	}
}

// Take returns the next rows, at most limit, of a portal that Bind created. FETCH uses it; a later
// Execute does not send these rows. The error is io.EOF after the last row, and 55000 if the portal is
// running, because a portal can execute a FETCH from itself.
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

// Passed returns the number of rows of a portal created by Bind that were sent or taken, and whether
// the portal is known to have no more.
func (n *Names) Passed(name string) (rows int64, ended bool) {
	if p := n.portals[name]; p != nil {
		return p.delivered, p.atEnd
	}
	return 0, false
}

// Fail marks a portal as failed, so that it cannot be run again.
func (n *Names) Fail(name string) {
	if p := n.portals[name]; p != nil {
		p.finished = true
	}
}

// CanRun returns 55000 if the portal is running, has failed, or has run and returns no rows.
func (n *Names) CanRun(name string) error {
	if p := n.portals[name]; p != nil && (p.active || p.finished) {
		return p.cannotRun()
	}
	return nil
}

// Declare adds a portal. It is not dropped at the end of the transaction; the caller does that if
// needed. It is closed when it is dropped. The error is 42P03 if the name exists.
func (n *Names) Declare(name string, p Portal) error {
	if n.portals[name] != nil {
		return pgerr.New(pgerr.DuplicateCursor, "cursor %q already exists", name)
	}
	n.portals[name] = &portal{Portal: p, name: name, declared: true}
	return nil
}

// DropPortal closes a portal and reports whether it existed.
func (n *Names) DropPortal(name string) bool {
	p := n.portals[name]
	if p != nil {
		delete(n.portals, name)
		p.close()
	}
	return p != nil
}

// DropPortals closes all portals except the running one.
func (n *Names) DropPortals() {
	for name, p := range n.portals {
		if !p.active {
			n.DropPortal(name)
		}
	}
}

// Active reports whether a portal is running.
func (n *Names) Active(name string) bool {
	p := n.portals[name]
	return p != nil && p.active
}

// Mark returns a position for DropBound. Portals that are created later are after it.
func (n *Names) Mark() int { return n.made }

// DropBound closes the portals that Bind created after a Mark, at the end of their transaction or
// subtransaction. 0 closes all. The running portal is kept.
func (n *Names) DropBound(after int) {
	for name, p := range n.portals {
		if !p.declared && !p.active && p.serial > after {
			n.DropPortal(name)
		}
	}
}

// drop closes all portals and statements.
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
