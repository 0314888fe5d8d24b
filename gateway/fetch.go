package gateway

import (
	"context"
	"io"
	"strconv"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// describeFetch takes the columns of FETCH from its cursor. A cursor that does not exist yet
// may be declared before the statement runs.
func (p *statement) describeFetch() {
	if c := p.session.names.Portal(p.st.Name); c != nil && p.st.Kind == syntax.Fetch {
		p.columns = c.Columns()
	}
}

// fetch runs FETCH or MOVE.
func (p *statement) fetch(ctx context.Context, out *portal) (rows, error) {
	moves := p.st.Kind == syntax.Move
	from, err := p.session.movable(p.st.Name)
	if err != nil {
		return nil, err
	}
	passed := int64(0)
	if o := p.st.Cursor; moves && o.Count == 0 && o.Direction != "absolute" { // it tells only whether there is a row
		if from.stands().onRow() {
			passed = 1
		}
		out.tag = p.st.Tag + " " + strconv.FormatInt(passed, 10)
		return nil, nil
	}
	f, err := from.fetch(p.st.Cursor, moves)
	if err != nil {
		p.session.names.Fail(p.st.Name)
		return nil, err
	}
	f = &fetching{rows: f, session: p.session, name: p.st.Name}
	if !moves {
		return f, nil
	}
	for {
		b, err := f.Next(ctx)
		if err == io.EOF {
			out.tag = p.st.Tag + " " + strconv.FormatInt(passed, 10)
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		passed += int64(b.Len)
	}
}

// fetching are the rows of a FETCH or MOVE, whose cursor cannot be run any more where they
// end in an error.
type fetching struct {
	rows
	session *Session
	name    string
}

func (f *fetching) Next(ctx context.Context) (*column.Batch, error) {
	b, err := f.rows.Next(ctx)
	if err != nil && err != io.EOF {
		f.session.names.Fail(f.name)
	}
	return b, err
}

// movable is what FETCH and MOVE go over: a cursor, or a portal that Bind made.
type movable interface {
	stands() position
	// fetch moves the cursor and returns the rows on its way. move says that the rows are not
	// needed.
	fetch(o syntax.CursorOptions, move bool) (rows, error)
}

// movable finds the cursor or portal of a name.
func (s *Session) movable(name string) (movable, error) {
	found := s.names.Portal(name)
	if found == nil {
		return nil, noCursor(name)
	}
	if err := s.names.CanRun(name); err != nil {
		return nil, err
	}
	if c, ok := found.(*cursor); ok {
		return c, nil
	}
	return &bound{session: s, name: name}, nil
}

// bound is a portal that Bind made, which goes forward only.
type bound struct {
	session *Session
	name    string
}

func (b *bound) stands() position {
	passed, ended := b.session.names.Passed(b.name)
	p := position{at: passed, total: passed, ended: ended}
	if ended {
		p.at++
	}
	return p
}

func (b *bound) fetch(o syntax.CursorOptions, move bool) (rows, error) {
	p := b.stands()
	if p.backwards(o, move) {
		return nil, errForwardOnly
	}
	r := p.reach(o)
	if r.from > r.to {
		return &once{}, nil
	}
	return &boundRows{bound: b, skip: r.from - 1 - p.at, left: r.to - r.from + 1}, nil
}

// boundRows are rows of a portal that Bind made.
type boundRows struct {
	*bound
	skip, left int64 // rows
}

func (t *boundRows) Next(ctx context.Context) (*column.Batch, error) {
	for t.skip > 0 {
		rows, err := t.session.names.Take(ctx, t.name, t.skip)
		if err != nil {
			return nil, err
		}
		t.skip -= int64(rows.Len)
	}
	if t.left == 0 {
		return nil, io.EOF
	}
	rows, err := t.session.names.Take(ctx, t.name, t.left)
	if err == nil {
		t.left -= int64(rows.Len)
	}
	return rows, err
}

func (t *boundRows) Close() {}

func (c *cursor) stands() position { return c.position }

// fetch moves the cursor and gives the rows on its way (movable).
func (c *cursor) fetch(o syntax.CursorOptions, move bool) (rows, error) {
	if !c.options.Scroll && c.backwards(o, move) {
		return nil, errForwardOnly
	}
	r := c.reach(o)
	if !c.ended {
		return &fetched{cursor: c, skip: r.from - 1 - c.at, left: r.to - r.from + 1}, nil
	}
	if r.from > r.to || c.kept == nil {
		c.at = r.at
		return &once{}, nil
	}
	return &slice{cursor: c, reach: r}, nil
}

// fetched are rows of a cursor that streams.
type fetched struct {
	cursor     *cursor
	skip, left int64 // rows
}

func (f *fetched) Next(ctx context.Context) (*column.Batch, error) {
	c := f.cursor
	for {
		if f.left <= 0 && f.skip <= 0 {
			return nil, io.EOF
		}
		if err := c.stream(ctx); err == io.EOF {
			c.total, c.ended = c.at, true
			c.at++
			f.left, f.skip = 0, 0
			return nil, io.EOF
		} else if err != nil {
			return nil, err
		}
		there := int64(c.batch.Len - c.first)
		if f.skip > 0 {
			n := min(f.skip, there)
			f.skip -= n
			c.pass(n)
			continue
		}
		n := min(f.left, there)
		f.left -= n
		b := c.batch
		if c.first > 0 || n < int64(b.Len) {
			rows := make([]int, n)
			for i := range rows {
				rows[i] = c.first + i
			}
			b = b.Pick(0, rows)
		}
		c.pass(n)
		return b, nil
	}
}

func (f *fetched) Close() {}

// pass skips rows of the batch. The remaining rows are copied, because the next statement of
// the engine overwrites them.
func (c *cursor) pass(n int64) {
	c.first += int(n)
	c.at += n
	if c.first < c.batch.Len && !c.safe {
		c.batch, c.first, c.safe = c.batch.Copy(c.first), 0, true
	}
}

// slice are rows of a cursor that are kept. The cursor moves over them as they are read.
type slice struct {
	cursor *cursor
	reach
	read    int64
	reading bool
}

func (r *slice) Next(ctx context.Context) (*column.Batch, error) {
	c := r.cursor
	if !r.reading {
		r.reading = true
		if err := c.kept.ReadRange(ctx, r.from-c.before, r.to-c.before, r.back); err != nil {
			return nil, err
		}
	}
	b, err := c.kept.Next(ctx)
	switch {
	case err == io.EOF:
		c.at = r.at
	case err != nil:
	case r.back:
		r.read += int64(b.Len)
		c.at = r.to + 1 - r.read
	default:
		r.read += int64(b.Len)
		c.at = r.from - 1 + r.read
	}
	return b, err
}

// Close leaves the table, which is the cursor's.
func (r *slice) Close() {
	if r.reading && r.cursor.kept != nil {
		r.cursor.kept.EndRead()
	}
}
