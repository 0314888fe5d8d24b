package gateway

import (
	"context"
	"io"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/temptable"
)

// stream binds a plan to its sources and starts the engine.
func (s *Session) stream(ctx context.Context, p *planner.Plan, src *sources, args [][]byte) (*engineRows, error) {
	sql, err := p.Scoped.Bind(src.fragments, src.keyed...)
	if err != nil {
		return nil, err
	}
	src.few = p.CatalogOnly()
	rows, st, err := src.start(ctx, sql, append(engineArgs(args, p.Scoped.Used, p.Scoped.Lists...), src.args...))
	if err != nil {
		return nil, p.Located(err)
	}
	return &engineRows{session: s, plan: p, stmt: st, rows: rows, sources: src}, nil
}

// engineRows are the rows of a running statement with all that it holds.
type engineRows struct {
	session *Session
	plan    *planner.Plan
	stmt    *duckdb.Stmt // nil where the session keeps it
	rows    *duckdb.Rows
	sources *sources

	recording        *database.Recording
	constantRecorder *planner.ConstantRecorder
}

func (r *engineRows) Next(ctx context.Context) (*column.Batch, error) {
	b, err := r.rows.Next(ctx)
	if err == io.EOF { // of the rows, and not one that a broken connection gave
		r.recording.Keep()
		r.constantRecorder.Keep(r.plan)
	}
	if err != nil {
		r.sources.doubt(err)
		return nil, r.plan.Located(err)
	}
	// A SELECT of no columns has one for the engine.
	b.Cols = b.Cols[:len(r.plan.Columns)]
	r.recording.Add(b)
	r.constantRecorder.Add(b)
	return b, nil
}

func (r *engineRows) Close() {
	r.recording.Discard()
	r.rows.Close()
	if r.stmt != nil {
		r.stmt.Close()
	}
	r.sources.release(context.Background())
}

// hold moves the rest of a stream into a table.
func (s *Session) hold(ctx context.Context, from *engineRows) (_ *temptable.Rows, err error) {
	types := make([]column.Type, len(from.plan.Columns)) // the engine has one more where there are none
	for i := range types {
		types[i] = from.rows.Columns()[i].Type
	}
	held, err := s.temp.NewRows(ctx, types, nil)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			held.Close()
		}
	}()
	for {
		batch, err := from.Next(ctx)
		if err == io.EOF {
			return held, held.Read(ctx)
		}
		if err != nil {
			return nil, err
		}
		if err := held.Append(ctx, batch); err != nil {
			return nil, err
		}
	}
}
