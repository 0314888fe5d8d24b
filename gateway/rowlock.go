package gateway

import (
	"context"

	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/rowlock"
)

// lockRows runs a SELECT that locks rows. It runs to its end, and the rows are locked before the
// client gets one. If another transaction has locked or changed one of them, it runs again after
// that has ended.
func (p *statement) lockRows(ctx context.Context, args [][]byte) (rows, error) {
	s := p.session
	if err := s.YieldStream(ctx); err != nil {
		return nil, err
	}
	pin, err := s.Pin(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.lockTables(ctx, pin); err != nil {
		return nil, err
	}
	if err := s.PrepareCatalog(ctx, pin, p.plan); err != nil {
		return nil, err
	}
	for {
		r, err := reading.Keep(ctx, s.Session, pin, p.plan, nil, args)
		again, err := rowlock.Settle(ctx, s.Session, err)
		if !again {
			return r, err
		}
	}
}
