package tables

import (
	"context"
	"io"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/resolver"
)

// Run runs a write to an ordinary table at a pin: one query computes the rows that change,
// which are checked and written in one transaction of the engine. It returns how many rows
// were written and the rows of RETURNING, nil without one, which the caller closes. parts are
// those that the query reads.
func Run(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, parts reading.Parts, args [][]byte) (count int64, returned column.Stream, err error) {
	spool := &temptable.Spool{Tables: s.Temp}
	defer spool.Close()
	c, err := run(ctx, s, pin, p, parts, args, func(c *Changes) error {
		if p.Write.Scoped.Returned != nil {
			if err := keep(ctx, c.Conn, c.Returned(), spool); err != nil {
				return err
			}
		}
		return c.Drop(ctx)
	})
	if err != nil || p.Write.Scoped.Returned == nil {
		return c.count, nil, err
	}
	returned, err = spool.Stream(ctx)
	return c.count, returned, err
}

// RunPart runs a write that is a part of a statement. The rows of RETURNING are in a table of
// the engine, which the caller drops.
func RunPart(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, parts reading.Parts, args [][]byte) (relation.WorkTable, error) {
	c, err := run(ctx, s, pin, p, parts, args, func(*Changes) error { return nil })
	if err != nil {
		return relation.WorkTable{}, err
	}
	return relation.WorkTable{Name: c.Name, Columns: c.returnedItems()}, nil
}

// run runs a write. end is called in its transaction of the engine, after the rows are written.
// The changes are not nil after an error.
func run(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, parts reading.Parts, args [][]byte, end func(*Changes) error) (*Changes, error) {
	w := p.Write
	c := &Changes{Write: w, Temp: s.Tables, Session: s}
	_, err := reading.OverMirror(ctx, reading.Sources{Session: s, Parts: parts}, func(src *reading.Sources) (none struct{}, err error) {
		if err := src.Find(ctx, pin, w.Rows, args); err != nil {
			return none, err
		}
		if c.Conn, err = s.FreeConn(ctx); err != nil {
			return none, err
		}
		src.Once, c.Name = true, s.Temp.Name("w")
		err = inEngine(ctx, c.Conn, func() error {
			if err := src.RunStatement(ctx, w.Rows, args, c.Load); err != nil {
				return err
			}
			if c.count, err = c.Apply(ctx); err != nil {
				return err
			}
			return end(c)
		})
		if err == nil {
			src.Release(context.WithoutCancel(ctx))
		}
		return none, err
	})
	return c, err
}

// keep keeps the rows of a query in a spool.
func keep(ctx context.Context, conn *duckdb.Conn, query string, spool *temptable.Spool) error {
	st, err := conn.Prepare(ctx, query)
	if err != nil {
		return err
	}
	defer st.Close()
	r, err := st.Query(ctx, nil)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		b, err := r.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := spool.Add(ctx, b.Copy(0)); err != nil {
			return err
		}
	}
}
