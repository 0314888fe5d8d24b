package writing

import (
	"context"
	"errors"
	"io"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/resolver"
)

// Stage runs a write to a type up to its RETURNING, without a commit: one query gives the rows
// that change, they are checked and staged. It returns their number and the rows of RETURNING,
// which the caller closes. parts are those that the query reads.
func Stage(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, parts reading.Parts, args [][]byte) (count int64, returned *temptable.Spool, err error) {
	w := p.Write
	g := s.StagingFor(w.Type, w.Schema)
	mark := g.Count()
	if w.Params == nil && parts == nil {
		if count, returned, done, err := stagePlain(ctx, s, pin, p, g, args); done {
			return count, returned, err
		}
	}
	returned, err = reading.OverMirror(ctx, reading.Sources{Session: s, Repeated: true, Parts: parts}, func(src *reading.Sources) (*temptable.Spool, error) {
		if err := g.Truncate(ctx, mark); err != nil {
			return nil, err
		}
		if err := src.Find(ctx, pin, w.Rows, args); err != nil {
			return nil, err
		}
		c := NewChanges(w, s, g, min(mark, s.Seen(g)))
		if err := c.checked(ctx, s, pin, mark, c.stage(ctx, p, src, args)); err != nil {
			c.Returned.Close()
			return nil, err
		}
		count = c.Count
		src.Release(context.WithoutCancel(ctx))
		return c.Returned, nil
	})
	return count, returned, err
}

// stagePlain is Stage without the engine. done is false if that cannot be: then nothing is staged.
func stagePlain(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, g *staging.Rows, args [][]byte) (count int64, returned *temptable.Spool, done bool, err error) {
	mark := g.Count()
	b, err := computePlain(ctx, s, pin, p, g, args)
	if err != nil || b == nil {
		return 0, nil, err != nil, err
	}
	c := NewChanges(p.Write, s, g, min(mark, s.Seen(g)))
	c.Returned.Types = p.Write.Plain.Types
	if err := c.checked(ctx, s, pin, mark, c.Take(ctx, b)); err != nil {
		c.Returned.Close()
		return 0, nil, true, err
	}
	return c.Count, c.Returned, true, nil
}

// checked is the error of a statement whose rows are staged, behind number mark, unless err stopped
// that: an inserted row whose identity is there is an error, too.
func (c *Changes) checked(ctx context.Context, s *session.Session, pin *resolver.Pin, mark int64, err error) error {
	w, g := c.Write, c.staging
	if (err != nil || !w.ChecksStored()) && !errors.Is(err, staging.ErrDuplicate) {
		return err
	}
	first, err := SearchStore(s, g).Existing(ctx, pin, mark) // of the rows before the second of an identity, too
	switch {
	case err != nil:
		return err
	case first != nil:
		return duplicate(w, g, &first.Row, first.Number-mark)
	case c.Second != nil:
		return duplicate(w, g, c.Second, g.Count()+1-mark)
	}
	return nil
}

// duplicate is the error of a row, the n-th that was to be inserted, whose identity is
// there.
func duplicate(w *planner.Write, g *staging.Rows, r *format.Row, n int64) error {
	err := g.DuplicateError(r)
	if w.InCopy != nil {
		return w.InCopy(err, n)
	}
	return err
}

// stage computes the rows and stages them.
func (c *Changes) stage(ctx context.Context, p *planner.Plan, src *reading.Sources, args [][]byte) error {
	w, s := p.Write, src.Session
	if w.Params != nil {
		b, err := w.Params.Batch(args)
		if err != nil {
			return err
		}
		return c.Take(ctx, b)
	}
	r, err := reading.Stream(ctx, s, w.Rows, src.Borrow(), args)
	try := func(sql string, used []int) error {
		return w.Rows.Located(s.RunQuery(ctx, sql, session.EngineArgs(args, used)))
	}
	if err != nil {
		return w.LocateValue(err, src.Fragments, try)
	}
	defer r.Close()
	if c.Scoped.Returned != nil {
		for _, k := range r.Rows.Columns()[c.FirstReturned():] {
			c.Returned.Types = append(c.Returned.Types, k.Type)
		}
	}
	for {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			r.Close() // the search for the column needs the connection
			return w.LocateValue(err, src.Fragments, try)
		}
		if err := c.Take(ctx, b); err != nil {
			return err
		}
	}
}
