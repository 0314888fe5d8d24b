package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// write runs an INSERT, UPDATE or MERGE: one query gives the rows that change,
// they are checked and staged, and what RETURNING shows of them is the statement's
// result. In a transaction the rows wait for its COMMIT.
func (p *statement) write(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	s := p.session
	if err := s.yieldStream(ctx); err != nil {
		return nil, err
	}
	if s.alone() {
		return p.autocommit(ctx, out, args)
	}
	return p.stage(ctx, out, args)
}

// stage runs a write up to its RETURNING, without a commit.
func (p *statement) stage(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	s := p.session
	pin, err := s.pin(ctx)
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
	if err := s.prepareCatalog(ctx, pin, p.plan); err != nil {
		return nil, err
	}
	g := s.stagingFor(w.Type, w.Schema)
	mark := g.Count()
	return overMirror(ctx, sources{session: s, repeated: true}, func(src *sources) (rows, error) {
		if err := g.Truncate(ctx, mark); err != nil {
			return nil, err
		}
		if err := src.find(ctx, pin, w.Rows, args); err != nil {
			return nil, err
		}
		c := newChanges(w, s, g, mark)
		defer c.returned.Close()
		err := p.stageRows(ctx, c, src, args)
		if err == nil && w.ChecksStored() || errors.Is(err, staging.ErrDuplicate) {
			var first *staging.Insert // of the rows before the second of an identity, too
			if first, err = s.searchStore(g).existing(ctx, pin, mark); err == nil && first != nil {
				err = duplicate(w, g, &first.Row, first.Number-mark)
			} else if err == nil && c.second != nil {
				err = duplicate(w, g, c.second, g.Count()+1-mark)
			}
		}
		if err != nil {
			return nil, err
		}
		if out.tag, out.counts = tagOf(p.st), true; p.columns == nil {
			out.tag, out.counts = fmt.Sprintf("%s %d", out.tag, c.count), false
			src.release(context.WithoutCancel(ctx))
			return nil, nil
		}
		returned, err := c.returned.Stream(ctx)
		if err == nil {
			src.release(context.WithoutCancel(ctx))
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
func (p *statement) stageRows(ctx context.Context, c *changes, src *sources, args [][]byte) error {
	w := p.plan.Write
	if w.Params != nil {
		b, err := w.Params.Batch(args)
		if err != nil {
			return err
		}
		return c.take(ctx, b)
	}
	r, err := p.session.stream(ctx, w.Rows, &sources{session: p.session, fragments: src.fragments, borrowed: src.uses, once: src.once}, args)
	try := func(sql string, used []int) error {
		return w.Rows.Located(p.session.runs(ctx, sql, engineArgs(args, used)))
	}
	if err != nil {
		return w.LocateValue(err, src.fragments, try)
	}
	defer r.Close()
	for {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			r.Close() // the search for the column needs the connection
			return w.LocateValue(err, src.fragments, try)
		}
		if err := c.take(ctx, b); err != nil {
			return err
		}
	}
}

// runs runs a query to its end.
func (s *Session) runs(ctx context.Context, sql string, args []any) error {
	conn, err := s.freeConn(ctx)
	if err != nil {
		return err
	}
	return conn.Each(ctx, sql, args, func(*column.Batch, int) {})
}
