package gateway

import (
	"context"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/objstore/metered"
)

// limited is the context of a step of the statement that ends when the statement has used more of the store than
// its session's settings allow. The account counts under ctx.
func (p *portal) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	values := p.session.Settings
	requests, bytes := values.Limit(settings.MaxRequests), values.Limit(settings.MaxScanBytes)
	if requests == 0 && bytes == 0 {
		return ctx, func() {}
	}
	ctx, end := context.WithCancelCause(ctx)
	p.account.OnRequest(func(used metered.Count) {
		switch {
		case requests > 0 && used.Requests > requests:
			end(&sqlstate.LimitError{Setting: settings.MaxRequests, Limit: requests, Used: used.Requests, What: "requests to the store"})
		case bytes > 0 && used.Bytes > bytes:
			end(&sqlstate.LimitError{Setting: settings.MaxScanBytes, Limit: bytes, Used: used.Bytes, What: "bytes of the store"})
		}
	})
	return ctx, func() { end(context.Canceled) }
}

// counted is the error of a statement that returns more rows than its session's settings allow.
func (p *portal) counted(batch *column.Batch) error {
	limit := p.session.Settings.Limit(settings.MaxResultRows)
	if limit == 0 || batch == nil || p.columns == nil {
		return nil
	}
	if p.returned += int64(batch.Len); p.returned > limit {
		return &sqlstate.LimitError{Setting: settings.MaxResultRows, Limit: limit, Used: p.returned, What: "rows of a result"}
	}
	return nil
}
