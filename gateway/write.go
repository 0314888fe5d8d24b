package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/gateway/tables"
	"github.com/ontosql/ontosql/gateway/writing"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// write runs an INSERT, UPDATE or MERGE: one query gives the rows that change,
// they are checked and staged, and what RETURNING shows of them is the statement's
// result. In a transaction the rows wait for its COMMIT.
func (p *statement) write(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	s := p.session
	if err := s.YieldStream(ctx); err != nil {
		return nil, err
	}
	if p.plan.Write.Table != nil {
		return p.writeTable(ctx, out, args)
	}
	if s.Alone() {
		return p.autocommit(ctx, out, args)
	}
	return p.stage(ctx, out, args)
}

// writeTable runs a write to an ordinary table.
func (p *statement) writeTable(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	s := p.session
	pin, err := s.Pin(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.current(ctx, pin); err != nil {
		return nil, err
	}
	if err := s.PrepareCatalog(ctx, pin, p.plan); err != nil {
		return nil, err
	}
	n, returned, err := tables.Run(ctx, s.Session, pin, p.plan, args)
	if err != nil {
		return nil, err
	}
	if out.tag, out.counts = tagOf(p.st), true; p.columns == nil {
		out.tag, out.counts = fmt.Sprintf("%s %d", out.tag, n), false
		return nil, nil
	}
	return returned, nil
}

// stage runs a write up to its RETURNING, without a commit.
func (p *statement) stage(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	s := p.session
	pin, err := s.Pin(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.current(ctx, pin); err != nil {
		return nil, err
	}
	w := p.plan.Write
	if err := s.CheckWrites(p.st.Tag); err != nil { // the session may have changed since it was prepared
		return nil, err
	}
	if err := s.PrepareCatalog(ctx, pin, p.plan); err != nil {
		return nil, err
	}
	g := s.StagingFor(w.Type, w.Schema)
	mark := g.Count()
	return reading.OverMirror(ctx, reading.Sources{Session: s.Session, Repeated: true}, func(src *reading.Sources) (rows, error) {
		if err := g.Truncate(ctx, mark); err != nil {
			return nil, err
		}
		if err := src.Find(ctx, pin, w.Rows, args); err != nil {
			return nil, err
		}
		c := writing.NewChanges(w, s.Session, g, mark)
		defer c.Returned.Close()
		err := p.stageRows(ctx, c, src, args)
		if err == nil && w.ChecksStored() || errors.Is(err, staging.ErrDuplicate) {
			var first *staging.Insert // of the rows before the second of an identity, too
			if first, err = writing.SearchStore(s.Session, g).Existing(ctx, pin, mark); err == nil && first != nil {
				err = duplicate(w, g, &first.Row, first.Number-mark)
			} else if err == nil && c.Second != nil {
				err = duplicate(w, g, c.Second, g.Count()+1-mark)
			}
		}
		if err != nil {
			return nil, err
		}
		if out.tag, out.counts = tagOf(p.st), true; p.columns == nil {
			out.tag, out.counts = fmt.Sprintf("%s %d", out.tag, c.Count), false
			src.Release(context.WithoutCancel(ctx))
			return nil, nil
		}
		returned, err := c.Returned.Stream(ctx)
		if err == nil {
			src.Release(context.WithoutCancel(ctx))
		}
		return returned, err
	})
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

// tagOf is a write's command tag without the number of rows (PostgreSQL manual,
// 55.7, CommandComplete).
func tagOf(st *syntax.Statement) string {
	if st.Kind == syntax.Insert {
		return st.Tag + " 0"
	}
	return st.Tag
}

// stageRows computes the rows and stages them.
func (p *statement) stageRows(ctx context.Context, c *writing.Changes, src *reading.Sources, args [][]byte) error {
	w := p.plan.Write
	if w.Params != nil {
		b, err := w.Params.Batch(args)
		if err != nil {
			return err
		}
		return c.Take(ctx, b)
	}
	r, err := reading.Stream(ctx, p.session.Session, w.Rows, &reading.Sources{Session: p.session.Session, Fragments: src.Fragments, Borrowed: src.Uses, Once: src.Once}, args)
	try := func(sql string, used []int) error {
		return w.Rows.Located(p.session.RunQuery(ctx, sql, session.EngineArgs(args, used)))
	}
	if err != nil {
		return w.LocateValue(err, src.Fragments, try)
	}
	defer r.Close()
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
