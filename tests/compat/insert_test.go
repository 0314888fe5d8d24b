package compat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite"
	"github.com/ontosql/ontosql/wire"
)

// insertion is a prepared INSERT: its rows go to a table beside the target,
// from there to the target, and RETURNING reads what is beside.
type insertion struct {
	*session
	target  rewrite.Shape
	scoped  *rewrite.ScopedInsert
	sources []string
	columns []wire.Column
}

func (s *session) prepareInsert(ctx context.Context, st *rewrite.Statement, shapes []rewrite.Shape, sources []string, oids []uint32) (wire.Statement, error) {
	target, err := s.find(*st.Target)
	if err != nil {
		return nil, err
	}
	sc, err := st.ScopeInsert(target, shapes, oids, env{time.Now()})
	if err != nil {
		return nil, err
	}
	out := &insertion{session: s, target: target, scoped: sc, sources: sources}
	sql, err := sc.Rows.Bind(sources)
	if err != nil {
		return nil, err
	}
	rows, err := s.conn.Prepare(ctx, sql)
	if err != nil {
		return nil, sqlError(err, sql)
	}
	defer rows.Close()
	if !slices.EqualFunc(rows.Columns(), target.Columns, func(a, b column.Named) bool { return a.Type.String() == b.Type.String() }) {
		return nil, pgerr.New(pgerr.InternalError, "the rows are %v, the target is %v: %s", rows.Columns(), target.Columns, sql)
	}
	if sc.Returning != nil {
		out.columns = describe(sc.Returning)
	}
	return out, nil
}

func (s *insertion) Params() []uint32       { return s.scoped.Params() }
func (s *insertion) Columns() []wire.Column { return s.columns }
func (s *insertion) Close()                 {}

func (s *insertion) Bind(_ context.Context, args [][]byte) (wire.Portal, error) {
	args, err := checked(s.scoped.Params(), args)
	if err != nil {
		return nil, err
	}
	return &insertPortal{insertion: s, args: args}, nil
}

type insertPortal struct {
	*insertion
	args   [][]byte
	count  int
	loaded bool
	shown  *duckdb.Rows // of RETURNING, nil without
}

// beside is where the rows of an INSERT are until it ends.
const beside = "data.inserted"

func (p *insertPortal) Next(ctx context.Context) (*column.Batch, error) {
	if !p.loaded {
		p.loaded = true
		if err := p.load(ctx); err != nil {
			return nil, err
		}
		if r := p.scoped.Returning; r != nil {
			sql, err := r.Bind(append(slices.Clone(p.sources), "(SELECT * FROM "+beside+")"))
			if err != nil {
				return nil, err
			}
			if p.shown, err = p.query(ctx, sql, engineArgs(p.args, r.Used)); err != nil {
				return nil, err
			}
		}
	}
	if p.shown != nil {
		b, err := p.shown.Next(ctx)
		if err == nil || !errors.Is(err, io.EOF) {
			return b, err
		}
		p.shown.Close()
	}
	if err := p.conn.Exec(ctx, "INSERT INTO data."+duckdb.Ident(p.target.Table)+" SELECT * FROM "+beside); err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// load runs the query of the rows.
func (p *insertPortal) load(ctx context.Context) error {
	sql, err := p.scoped.Rows.Bind(p.sources)
	if err != nil {
		return err
	}
	if err := p.conn.Exec(ctx, "CREATE OR REPLACE TABLE "+beside+" AS SELECT * FROM data."+duckdb.Ident(p.target.Table)+" LIMIT 0"); err != nil {
		return err
	}
	if _, err := p.rows(ctx, "INSERT INTO "+beside+" "+sql, engineArgs(p.args, p.scoped.Rows.Used)); err != nil {
		return p.inColumn(ctx, err)
	}
	p.count, err = p.rows(ctx, "SELECT * FROM "+beside, nil)
	return err
}

// inColumn adds to an error of the engine which columns it is of.
func (p *insertPortal) inColumn(ctx context.Context, cause error) error {
	var failed []string
	for i, given := range p.scoped.Given {
		if !given {
			continue
		}
		sql, used, err := p.scoped.BindColumn(i, p.sources)
		if err != nil {
			return err
		}
		if _, err := p.rows(ctx, sql, engineArgs(p.args, used)); err != nil {
			failed = append(failed, p.target.Columns[i].Name)
		}
	}
	var e *pgerr.Error
	if errors.As(cause, &e) {
		e.Column = strings.Join(failed, ",")
	}
	return cause
}

// rows runs a statement to its end and counts its rows.
func (p *insertPortal) rows(ctx context.Context, sql string, args []any) (n int, err error) {
	rows, err := p.query(ctx, sql, args)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for {
		b, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return 0, sqlError(err, sql)
		}
		n += b.Len
	}
}

func (p *insertPortal) query(ctx context.Context, sql string, args []any) (*duckdb.Rows, error) {
	st, err := p.conn.Prepare(ctx, sql)
	if err != nil {
		return nil, sqlError(err, sql)
	}
	defer st.Close()
	rows, err := st.Query(ctx, args)
	if err != nil {
		return nil, sqlError(err, sql)
	}
	return rows, nil
}

func (p *insertPortal) Tag() (string, bool) { return fmt.Sprintf("INSERT 0 %d", p.count), false }

func (p *insertPortal) Close() {
	if p.shown != nil {
		p.shown.Close()
	}
}
