package gateway

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/workspace"
)

// cursor is what DECLARE makes (PostgreSQL manual, DECLARE). Its query runs from then
// on, so that nothing the transaction writes later is seen. It streams, each row
// once, unless it is to SCROLL or has outlived its transaction: its rows are kept in
// a table of the engine then, which spills. As a wire.Portal it gives the rows that
// were not fetched yet.
type cursor struct {
	session  *Session
	name     string
	text     string // the statement that declared it
	options  syntax.CursorOptions
	declared time.Time
	serial   int  // among the cursors of the session
	own      bool // the transaction declared it, and takes it along when it is rolled back

	query *portal       // what streams; nil once its rows are kept
	batch *column.Batch // the rest of what came last of it, nil for none
	first int           // row of batch that comes next
	safe  bool          // batch is in memory of its own

	kept   *temptable.Rows // nil where there is none, or no row
	before int64           // rows that were passed when the others were kept

	position // total is that of kept, too
}

var _ wire.Movable = (*cursor)(nil)

// describeCursor plans the query of DECLARE.
func (p *statement) describeCursor(ctx context.Context) (err error) {
	if p.inner, err = p.nested(ctx); err != nil {
		return err
	}
	if !p.st.Inner.ReadOnly {
		return pgerr.Unsupported("DECLARE CURSOR must not contain data-modifying statements in WITH")
	}
	p.plan = p.inner.plan // for the parameters
	return nil
}

// declare answers DECLARE.
func (p *statement) declare(ctx context.Context, args [][]byte) error {
	s, options := p.session, p.st.Cursor
	switch {
	case !options.Hold && !s.Tx.Block():
		return s.Tx.InBlock(p.st.Tag)
	case s.names.Portal(p.st.Name) != nil:
		return pgerr.New(pgerr.DuplicateCursor, "cursor %q already exists", p.st.Name)
	}
	s.declared++
	p.inner.account = p.account
	c := &cursor{
		session: s, name: p.st.Name, text: p.query.SQL, options: options, declared: time.Now(), serial: s.declared, own: true,
		query: &portal{session: s, statement: p.inner, columns: p.inner.columns, args: args, account: p.account},
	}
	q := c.query
	s.cursors = append(s.cursors, c) // first: its query may read pg_cursors
	var err error
	if q.rows, err = q.begin(ctx, func(ctx context.Context, q *portal) (rows, error) { return p.inner.read(ctx, q, q.args) }); err != nil {
		return err
	}
	if p.inner.mayWiden(s.Widens) {
		if q.rows, err = readAhead(ctx, s.Session, q.rows, p.inner.st); err != nil {
			q.rows = nil
		}
	}
	if err == nil && options.Scroll {
		err = c.keep(ctx)
	}
	if err == nil {
		err = s.names.Declare(c.name, c)
	}
	if err != nil {
		c.Close()
	}
	return err
}

// Columns describes the rows (wire.Portal).
func (c *cursor) Columns() []wire.Column { return c.query.columns }

// Tag is that of Execute (wire.Portal).
func (c *cursor) Tag() (string, bool) { return "SELECT", true }

// Next returns rows that were not fetched yet (wire.Portal).
func (c *cursor) Next(ctx context.Context) (*column.Batch, error) {
	return c.NextRows(ctx, syntax.FetchAll)
}

// NextRows is Next for limit rows at most (wire.Movable).
func (c *cursor) NextRows(ctx context.Context, limit int64) (*column.Batch, error) {
	s := c.session
	if s.Tx.Failed {
		return nil, errFailedTransaction()
	}
	f, err := c.fetch(syntax.CursorOptions{Direction: "forward", Count: limit}, false)
	if err == nil { // f is not closed: the batch is valid until the next call
		var b *column.Batch
		if b, err = f.Next(ctx); err == nil || err == io.EOF {
			return b, err
		}
	}
	return nil, s.Fail(ctx, err)
}

// Close ends the cursor (wire.Portal).
func (c *cursor) Close() {
	c.query.release()
	if c.kept != nil {
		c.kept.Close()
		c.kept = nil
	}
	c.session.cursors = slices.DeleteFunc(c.session.cursors, func(other *cursor) bool { return other == c })
}

// stream makes the next row stand in batch; io.EOF when there is none.
func (c *cursor) stream(ctx context.Context) error {
	for c.batch == nil || c.first == c.batch.Len {
		c.batch, c.first, c.safe = nil, 0, false
		if c.query.lost != nil {
			return c.query.lost
		}
		if c.query.rows == nil {
			return io.EOF
		}
		b, err := c.query.rows.Next(ctx)
		if err != nil {
			c.query.release()
			if err != io.EOF {
				c.query.lost = err
			}
			return err
		}
		c.batch = b
	}
	return nil
}

// keep moves the rows that were not fetched yet into a table.
func (c *cursor) keep(ctx context.Context) error {
	c.before = c.at
	if c.ended {
		return nil
	}
	c.total = c.at
	for {
		err := c.stream(ctx)
		if err == io.EOF {
			c.ended = true
			return nil
		}
		if err != nil {
			return err
		}
		b := c.batch.Copy(c.first)
		if c.kept == nil {
			types := make([]column.Type, len(b.Cols))
			for i := range b.Cols {
				types[i] = b.Cols[i].Type
			}
			if c.kept, err = c.session.Temp.NewRows(ctx, types, nil); err != nil {
				return err
			}
		}
		if err := c.kept.Append(ctx, b); err != nil {
			return err
		}
		c.first = c.batch.Len
		c.total += int64(b.Len)
	}
}

func noCursor(name string) error {
	return pgerr.New(pgerr.InvalidCursorName, "cursor %q does not exist", name)
}

// closeCursor answers CLOSE.
func (s *Session) closeCursor(st *syntax.Statement) error {
	if st.All {
		s.names.DropPortals()
		return nil
	}
	if s.names.Active(st.Name) {
		return pgerr.New(pgerr.InvalidCursorState, "cannot drop active portal %q", st.Name)
	}
	if !s.names.DropPortal(st.Name) {
		return noCursor(st.Name)
	}
	return nil
}

func (s *Session) closeCursors() {
	s.dropCursors(func(*cursor) bool { return true })
}

// dropCursors closes the cursors for which over is true.
func (s *Session) dropCursors(over func(*cursor) bool) {
	for _, c := range slices.Clone(s.cursors) {
		if over(c) {
			s.names.DropPortal(c.name)
		}
	}
}

// materializeCursors keeps the rows of the cursors that outlive the transaction, which is
// about to be committed.
func (s *Session) materializeCursors(ctx context.Context) error {
	for _, c := range s.cursors {
		if c.own && c.options.Hold && c.kept == nil && s.names.CanRun(c.name) == nil {
			if err := c.keep(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// endCursors closes the cursors that end with the transaction: all but those WITH HOLD of a
// transaction that is committed, unless a FETCH has failed.
func (s *Session) endCursors(committed bool) {
	s.dropCursors(func(c *cursor) bool { return c.own && !(committed && c.options.Hold && s.names.CanRun(c.name) == nil) })
	for _, c := range s.cursors {
		c.own = false
	}
}

// inUse reports whether a cursor reads a table. A cursor that has outlived its transaction
// reads its own rows.
func (s *Session) inUse(t *workspace.Table) bool {
	return slices.ContainsFunc(s.cursors, func(c *cursor) bool {
		return c.own && slices.ContainsFunc(c.query.statement.plan.Relations, func(r relation.Relation) bool {
			return r.Stored != nil && r.Stored.Schema == t.Schema && r.Stored.Name == t.Name
		})
	})
}

// cursorRows are the rows of pg_cursors: the cursors, and the named portals of the
// extended protocol.
func (s *Session) cursorRows() []pgcatalog.Row {
	rows := make([]pgcatalog.Row, len(s.cursors))
	for i, c := range s.cursors {
		rows[i] = pgcatalog.Row{
			"name": c.name, "statement": c.text, "is_holdable": c.options.Hold, "is_binary": c.options.Binary,
			"is_scrollable": c.options.Scroll, "creation_time": c.declared.UnixMicro(),
		}
	}
	for name, bound := range s.names.Bound() {
		row := pgcatalog.Row{"name": name, "is_holdable": false, "is_binary": false, "is_scrollable": false}
		switch p := bound.(type) {
		case *portal:
			row["statement"], row["creation_time"] = p.statement.query.SQL, p.made.UnixMicro()
		case *copyOut:
			row["statement"], row["creation_time"] = p.statement.query.SQL, p.made.UnixMicro()
		}
		rows = append(rows, row)
	}
	return rows
}

var errForwardOnly = pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cursor can only scan forward").
	WithHint("Declare it with SCROLL option to enable backward scan.")
