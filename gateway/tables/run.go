package tables

import (
	"context"
	"io"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/resolver"
)

// Run runs a write to an ordinary table at a pin: one query computes the rows that change,
// which are checked and written in one transaction of the engine. It returns how many rows
// were written and the rows of RETURNING, nil without one, which the caller closes.
func Run(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, args [][]byte) (count int64, returned column.Stream, err error) {
	w := p.Write
	returned, err = reading.OverMirror(ctx, reading.Sources{Session: s}, func(src *reading.Sources) (column.Stream, error) {
		if err := src.Find(ctx, pin, w.Rows, args); err != nil {
			return nil, err
		}
		conn, err := s.FreeConn(ctx)
		if err != nil {
			return nil, err
		}
		src.Once = true
		c := &Changes{Conn: conn, Write: w, Temp: s.Tables, Name: s.Temp.Name("w"), Session: s}
		spool := &temptable.Spool{Tables: s.Temp}
		defer spool.Close()
		err = inEngine(ctx, conn, func() error {
			if err := src.RunStatement(ctx, w.Rows, args, c.Load); err != nil {
				return err
			}
			if count, err = c.Apply(ctx); err != nil {
				return err
			}
			if w.Scoped.Returned != nil {
				if err := keep(ctx, conn, c.Returned(), spool); err != nil {
					return err
				}
			}
			return conn.Exec(ctx, "DROP TABLE "+c.Name)
		})
		if err != nil {
			return nil, err
		}
		src.Release(context.WithoutCancel(ctx))
		if w.Scoped.Returned == nil {
			return nil, nil
		}
		return spool.Stream(ctx)
	})
	return count, returned, err
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
