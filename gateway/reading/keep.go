package reading

import (
	"context"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/resolver"
)

// Keep runs a SELECT at a pin to its end and returns its rows, which the caller closes. parts are
// those that it reads. The error is a rowlock.Conflict if it locks rows and another transaction
// has locked or changed one.
func Keep(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, parts Parts, args [][]byte) (column.Stream, error) {
	return OverMirror(ctx, Sources{Session: s, Parts: parts}, func(src *Sources) (column.Stream, error) {
		if err := src.Find(ctx, pin, p, args); err != nil {
			return nil, err
		}
		spool := &temptable.Spool{Tables: s.Temp}
		defer spool.Close()
		if err := fill(ctx, p, spool, src, args); err != nil {
			return nil, err
		}
		src.Release(context.WithoutCancel(ctx))
		return spool.Stream(ctx)
	})
}

// fill moves the rows of a SELECT into a spool.
func fill(ctx context.Context, p *planner.Plan, spool *temptable.Spool, src *Sources, args [][]byte) error {
	r, err := Stream(ctx, src.Session, p, src.Borrow(), args)
	if err != nil {
		return err
	}
	defer r.Close()
	return spool.AddAll(ctx, r)
}
