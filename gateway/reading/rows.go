package reading

import (
	"context"
	"io"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/rowlock"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/temptable"
)

// Stream binds a plan to its sources and starts its query. The caller closes the rows.
func Stream(ctx context.Context, s *session.Session, p *planner.Plan, src *Sources, args [][]byte) (*Rows, error) {
	sql, err := p.Scoped.Bind(src.Fragments, src.keyed...)
	if err != nil {
		return nil, err
	}
	if err := rowlock.Begin(ctx, s, p); err != nil {
		return nil, err
	}
	src.few = p.ReadsFew()
	rows, st, err := src.Start(ctx, sql, append(session.EngineArgs(args, p.Scoped.Used, p.Scoped.Lists...), src.args...))
	if err != nil {
		return nil, p.Located(err)
	}
	return &Rows{session: s, plan: p, stmt: st, Rows: rows, sources: src}, nil
}

// Rows are the rows of a running query, with the sources that it holds.
type Rows struct {
	session *session.Session
	plan    *planner.Plan
	stmt    *duckdb.Stmt // nil where the session keeps it
	Rows    *duckdb.Rows
	sources *Sources

	Recording        *database.Recording
	ConstantRecorder *planner.ConstantRecorder
}

// Next returns the next batch (column.Stream).
func (r *Rows) Next(ctx context.Context) (*column.Batch, error) {
	b, err := r.Rows.Next(ctx)
	if err == io.EOF { // of the rows, and not one that a broken connection gave
		if err := rowlock.Take(ctx, r.session, r.plan); err != nil {
			return nil, err
		}
		r.Recording.Keep()
		r.ConstantRecorder.Keep(r.plan)
	}
	if err != nil {
		r.sources.doubt(err)
		return nil, r.plan.Located(err)
	}
	// The engine's query of a SELECT without columns has one column.
	b.Cols = b.Cols[:len(r.plan.Columns)]
	r.Recording.Add(b)
	r.ConstantRecorder.Add(b)
	return b, nil
}

// Close ends the query and releases its sources (column.Stream).
func (r *Rows) Close() {
	r.Recording.Discard()
	r.Rows.Close()
	if r.stmt != nil {
		r.stmt.Close()
	}
	r.sources.Release(context.Background())
}

// Hold moves the remaining rows of a stream into a temporary table.
func Hold(ctx context.Context, s *session.Session, from *Rows) (*temptable.Rows, error) {
	types := make([]column.Type, len(from.plan.Columns)) // the engine has one more for a statement without columns
	for i := range types {
		types[i] = from.Rows.Columns()[i].Type
	}
	return s.Temp.Fill(ctx, types, func(held *temptable.Rows) error {
		for {
			batch, err := from.Next(ctx)
			if err == io.EOF {
				return held.Read(ctx)
			}
			if err != nil {
				return err
			}
			if err := held.Append(ctx, batch); err != nil {
				return err
			}
		}
	})
}

// Drain runs a statement and counts its rows.
func Drain(ctx context.Context, s *session.Session, p *planner.Plan, src *Sources, args [][]byte) (int, error) {
	r, err := Stream(ctx, s, p, src, args)
	if err != nil {
		return 0, err
	}
	defer func() {
		r.Rows.Close()
		if r.stmt != nil {
			r.stmt.Close()
		}
	}()
	n := 0
	for {
		b, err := r.Next(ctx)
		if err == io.EOF { // of the rows, and not one that a broken connection gave
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		n += b.Len
	}
}

// RunStatement runs the CREATE TABLE AS of the engine that wrap makes of a plan's query, and
// returns the number of its rows.
func (o *Sources) RunStatement(ctx context.Context, p *planner.Plan, args [][]byte, wrap func(query string) string) (count int64, err error) {
	query, err := p.Scoped.Bind(o.Fragments, o.keyed...)
	if err != nil {
		return 0, err
	}
	if err := rowlock.Begin(ctx, o.Session, p); err != nil {
		return 0, err
	}
	o.few = p.ReadsFew()
	rows, st, err := o.Start(ctx, wrap(query), append(session.EngineArgs(args, p.Scoped.Used, p.Scoped.Lists...), o.args...))
	if err != nil {
		return 0, p.Located(err)
	}
	err = rows.Each(ctx, func(b *column.Batch, i int) { count = b.Cols[0].I64[i] })
	rows.Close()
	if st != nil {
		st.Close()
	}
	if err != nil {
		return 0, p.Located(err)
	}
	return count, rowlock.Take(ctx, o.Session, p)
}
