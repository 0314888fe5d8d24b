package modify

import (
	"context"
	"errors"

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
// which are checked and written in one transaction of the engine. If another transaction has
// changed one of them since the statement began, it runs again after that has ended, as
// PostgreSQL's READ COMMITTED looks at the row again. Run returns how many rows were written
// and the rows of RETURNING, nil without one, which the caller closes. parts are those that the
// query reads.
func Run(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, parts reading.Parts, args [][]byte) (count int64, returned column.Stream, err error) {
	for {
		count, returned, err = runAlone(ctx, s, pin, p, parts, args)
		if s.Tables.Held() { // the other parts run again, too
			return count, returned, err
		}
		var again bool
		if again, err = Settle(ctx, s, err); !again {
			return count, returned, err
		}
	}
}

// runAlone is Run for one snapshot. The error is a conflict if another transaction has changed
// a row.
func runAlone(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, parts reading.Parts, args [][]byte) (count int64, returned column.Stream, err error) {
	spool := &temptable.Spool{Tables: s.Temp}
	defer spool.Close()
	c, err := run(ctx, s, pin, p, parts, args, func(c *Changes) error {
		if p.Write.Scoped.Returned == nil {
			return nil
		}
		return keep(ctx, c.Conn, c.Returned(), spool)
	})
	err = errors.Join(err, c.Drop(context.WithoutCancel(ctx)))
	if err != nil || p.Write.Scoped.Returned == nil {
		return c.count, nil, err
	}
	returned, err = spool.Stream(ctx)
	return c.count, returned, err
}

// RunPart runs a write that is a part of a statement. The rows of RETURNING are in a table of
// the engine, which the caller drops. The error may be that of a conflict (Settle).
func RunPart(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, parts reading.Parts, args [][]byte) (relation.WorkTable, error) {
	c, err := run(ctx, s, pin, p, parts, args, func(*Changes) error { return nil })
	if err != nil {
		return relation.WorkTable{}, errors.Join(err, c.Drop(context.WithoutCancel(ctx)))
	}
	return relation.WorkTable{Name: c.Name, Columns: c.returnedItems()}, nil
}

// run runs a write. end is called after the rows are written. The changes are not nil after an
// error; the caller drops them.
func run(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, parts reading.Parts, args [][]byte, end func(*Changes) error) (*Changes, error) {
	w := p.Write
	c := &Changes{Write: w, Session: s}
	if err := holdTransaction(s, w.Table); err != nil {
		return c, err
	}
	var err error
	if c.Related, err = lockRelated(ctx, s, w); err != nil {
		return c, err
	}
	_, err = reading.OverMirror(ctx, reading.Sources{Session: s, Parts: parts}, func(src *reading.Sources) (none struct{}, err error) {
		if err := src.Find(ctx, pin, w.Rows, args); err != nil {
			return none, err
		}
		if err := c.Drop(ctx); err != nil { // of an attempt without the mirror
			return none, err
		}
		if c.Conn, err = s.FreeConn(ctx); err != nil {
			return none, err
		}
		src.Once, c.Name, c.Snapshot = true, s.Temp.Name("w"), src.Snapshot()
		if _, err := src.RunStatement(ctx, w.Rows, args, c.Load); err != nil {
			return none, err
		}
		if c.count, err = c.Apply(ctx); err != nil {
			return none, err
		}
		if err := c.completeReturned(ctx); err != nil {
			return none, err
		}
		if err := end(c); err != nil {
			return none, err
		}
		src.Release(context.WithoutCancel(ctx))
		return none, nil
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
	return spool.AddAll(ctx, r)
}
