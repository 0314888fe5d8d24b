package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/pgerr"
)

// insert runs an INSERT: its rows are computed, checked and staged, and what
// RETURNING shows of them is the statement's result. In a transaction the rows
// wait for its COMMIT.
func (p *statement) insert(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	s := p.session
	if err := s.yieldStream(ctx); err != nil {
		return nil, err
	}
	if s.alone() {
		return p.autocommit(ctx, out, args)
	}
	returned, err := p.stage(ctx, out, args)
	if streaming, ok := returned.(*engineRows); ok && err == nil {
		s.open = out
		return streaming, nil
	}
	return returned, err
}

// stage runs an INSERT up to its RETURNING, without a commit.
func (p *statement) stage(ctx context.Context, out *portal, args [][]byte) (rows, error) {
	s := p.session
	pin, err := s.pin(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.current(ctx, pin); err != nil {
		return nil, err
	}
	in := p.plan.insertion
	if err := s.writes(p.st.Tag); err != nil { // the session may have changed since it was prepared
		return nil, err
	}
	if err := s.prepareCatalog(ctx, pin, p.plan); err != nil {
		return nil, err
	}
	g := s.staging(in)
	before := g.count()
	return overMirror(ctx, sources{session: s, repeated: true}, func(src *sources) (rows, error) {
		if err := g.cut(ctx, before); err != nil {
			return nil, err
		}
		if err := src.find(ctx, pin, in.rows, args); err != nil {
			return nil, err
		}
		if err := p.stageRows(ctx, g, src, args); err != nil {
			return nil, err
		}
		if err := g.refuseExisting(ctx, pin, before); err != nil {
			return nil, err
		}
		out.tag = fmt.Sprintf("INSERT 0 %d", g.count()-before)
		if in.returning == nil {
			src.release(context.WithoutCancel(ctx))
			return nil, nil
		}
		staged, err := g.relation(ctx, before)
		if err != nil {
			return nil, err
		}
		inserted, err := scan.SQL(scan.Request{Type: in.typ, Window: ontosql.Window{Upper: pin.Head.Commit}, Staged: staged})
		if err != nil {
			return nil, err
		}
		src.fragments, src.once = append(src.fragments, "("+inserted+")"), true
		r, err := s.stream(ctx, in.returning, src, args)
		if err != nil {
			return nil, err
		}
		return r, nil
	})
}

// staging is where the transaction keeps the rows of the type.
func (s *Session) staging(in *insertion) *staging {
	if g := s.tx.stagingOf(in.typ.Ref); g != nil {
		return g
	}
	g := &staging{session: s, typ: in.typ, schema: in.schema, rows: map[string]int64{}}
	s.tx.staged = append(s.tx.staged, g)
	return g
}

// stageRows computes the rows and stages them.
func (p *statement) stageRows(ctx context.Context, g *staging, src *sources, args [][]byte) error {
	in := p.plan.insertion
	r, err := p.session.stream(ctx, in.rows, &sources{session: p.session, fragments: src.fragments, borrowed: src.uses, once: src.once}, args)
	try := func(sql string, used []int) error {
		return p.session.located(in.rows, p.session.runs(ctx, sql, engineArgs(args, used)))
	}
	if err != nil {
		return in.inValue(err, src.fragments, try)
	}
	defer r.Close()
	image := in.image
	image.count = 0
	for {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			r.Close() // the search for the column needs the connection
			return in.inValue(err, src.fragments, try)
		}
		for i := range b.Len {
			row, err := image.row(b, i)
			if err != nil {
				return err
			}
			twice, err := g.add(ctx, row)
			if err != nil {
				return err
			}
			if twice {
				return g.duplicate(&row)
			}
		}
	}
}

// inValue adds to an error of the engine which value it is of: the engine names
// none, so the columns are tried one by one, and where rows are listed, those too.
func (in *insertion) inValue(cause error, fragments []string, try func(sql string, used []int) error) error {
	var e *pgerr.Error
	if !errors.As(cause, &e) || !valueError(e.Code) {
		return cause
	}
	if in.scoped.ValueRows() > 0 {
		return in.inCell(cause, fragments, try)
	}
	var failed []string
	given := 0
	for i, named := range in.scoped.Given {
		if !named {
			continue
		}
		given++
		sql, used, err := in.scoped.BindColumn(i, fragments)
		if err != nil {
			return cause
		}
		if try(sql, used) != nil {
			failed = append(failed, in.typ.Columns[i].Name)
		}
	}
	if len(failed) == 0 || len(failed) == given && given > 1 {
		return cause // it was no value of a column
	}
	located := *e
	located.Schema, located.Table, located.Column = schemaPublic, in.typ.Table, failed[0]
	located.Where = fmt.Sprintf("column %q of the rows for %q", strings.Join(failed, `", "`), in.typ.Table)
	return &located
}

// valueError reports whether a SQLSTATE speaks of a value: class 22.
func valueError(code string) bool { return strings.HasPrefix(code, "22") }

// runs runs a query to its end.
func (s *Session) runs(ctx context.Context, sql string, args []any) error {
	return s.conn.Each(ctx, sql, args, func(*column.Batch, int) {})
}
