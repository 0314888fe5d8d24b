package gateway

import (
	"context"
	"io"
	"math"
	"strconv"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// describeFetch takes the columns of FETCH from its cursor. A cursor that is not there may
// be declared until the statement runs.
func (p *statement) describeFetch() {
	if c := p.session.names.Portal(p.st.Name); c != nil && p.st.Kind == syntax.Fetch {
		p.columns = c.Columns()
	}
}

// fetch runs FETCH or MOVE.
func (p *statement) fetch(ctx context.Context, out *portal) (rows, error) {
	f, err := p.session.fetch(p.st)
	if err != nil || p.st.Kind == syntax.Fetch {
		return f, err
	}
	passed := 0
	for {
		b, err := f.Next(ctx)
		if err == io.EOF {
			out.tag = p.st.Tag + " " + strconv.Itoa(passed)
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		passed += b.Len
	}
}

// fetch is the rows that a FETCH or MOVE goes over.
func (s *Session) fetch(st *syntax.Statement) (rows, error) {
	switch c := s.names.Portal(st.Name).(type) {
	case *cursor:
		return c.fetch(st.Cursor)
	case nil:
		return nil, noCursor(st.Name)
	}
	if err := s.names.CanRun(st.Name); err != nil {
		return nil, err
	}
	if o := st.Cursor; o.Direction != "forward" || o.Count <= 0 {
		return nil, errForwardOnly
	}
	return &bound{session: s, name: st.Name, left: st.Cursor.Count}, nil
}

// bound are rows of a portal that Bind made.
type bound struct {
	session *Session
	name    string
	left    int64
}

func (b *bound) Next(ctx context.Context) (*column.Batch, error) {
	if b.left == 0 {
		return nil, io.EOF
	}
	rows, err := b.session.names.Take(ctx, b.name, b.left)
	if err == nil {
		b.left -= int64(rows.Len)
	}
	return rows, err
}

func (b *bound) Close() {}

// reach is which rows a FETCH gives, from one to the other, both included, and where
// the cursor stands afterwards. No row is from 1 to 0.
type reach struct {
	from, to int64
	back     bool // in the opposite order
	at       int64
}

// reach follows PostgreSQL's DoPortalRunFetch. total is math.MaxInt64-1 while nobody
// knows how many rows there are.
func (c *cursor) reach(o syntax.CursorOptions) (r reach) {
	total := int64(math.MaxInt64 - 1)
	if c.ended {
		total = c.total
	}
	one := func(row int64) reach {
		row = min(max(row, 0), total+1)
		if row == 0 || row > total {
			return reach{from: 1, at: row}
		}
		return reach{from: row, to: row, at: row}
	}
	n, back := o.Count, o.Direction == "backward"
	switch o.Direction {
	case "absolute":
		if n < 0 {
			n += total + 1
		}
		return one(n)
	case "relative":
		return one(c.at + n)
	}
	if n < 0 {
		n, back = -n, !back
	}
	switch {
	case n == 0:
		return one(c.at)
	case back:
		low := max(c.at-min(n, c.at), 0)
		return reach{from: max(low, 1), to: c.at - 1, back: true, at: low}
	}
	high := total + 1
	if n <= total-c.at {
		high = c.at + n
	}
	return reach{from: c.at + 1, to: min(high, total), at: high}
}

// fetch moves the cursor and gives the rows on its way.
func (c *cursor) fetch(o syntax.CursorOptions) (rows, error) {
	if o.Direction == "absolute" && o.Count < 0 && !c.options.Scroll {
		return nil, errForwardOnly
	}
	r := c.reach(o)
	backwards := r.at < c.at || r.from <= r.to && r.from <= c.at
	if backwards && !c.options.Scroll {
		return nil, errForwardOnly
	}
	if !c.ended {
		return &fetched{cursor: c, skip: r.from - 1 - c.at, left: r.to - r.from + 1}, nil
	}
	c.at = r.at
	if r.from > r.to || c.kept == nil {
		return &once{}, nil
	}
	return &slice{held: c.kept, from: r.from - c.before, to: r.to - c.before, back: r.back}, nil
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

// pass goes over rows of the batch. What is left of it is put into memory of its own:
// the engine's is gone with the next statement.
func (c *cursor) pass(n int64) {
	c.first += int(n)
	c.at += n
	if c.first < c.batch.Len && !c.safe {
		c.batch, c.first, c.safe = c.batch.Copy(c.first), 0, true
	}
}

// slice are rows of a table, by their numbers from 1.
type slice struct {
	held     *temptable.Rows
	from, to int64
	back     bool
	reading  bool
}

func (r *slice) Next(ctx context.Context) (*column.Batch, error) {
	if !r.reading {
		r.reading = true
		if err := r.held.ReadRange(ctx, r.from, r.to, r.back); err != nil {
			return nil, err
		}
	}
	return r.held.Next(ctx)
}

// Close leaves the table, which is the cursor's.
func (r *slice) Close() {
	if r.reading {
		r.held.EndRead()
	}
}
