package histories

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore"
)

// originalWriter is the part of a writer process that behaves as the original
// does: it works out what it writes under its lock, from the head it finds
// there, and settles nothing.
type originalWriter struct {
	mu sync.Mutex
	w  *original.Writer
}

func newOriginalWriter(b objstore.Bucket, c *writerConfig, now func() time.Time) *originalWriter {
	return &originalWriter{w: &original.Writer{Bucket: b, Owner: c.Runtime, Now: now, LockTimeout: c.Wait, LeaseTTL: c.Lease}}
}

// write increments the named rows without a condition on their version.
func (o *originalWriter) write(ctx context.Context, w *writer, q *request, a *reply) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	id, err := o.w.Commit(ctx, func(head *format.Head) ([]original.Data, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		now, err := w.state.follow(ctx)
		if err != nil {
			return nil, err
		}
		if now != int64(head.CommitID) {
			return nil, fmt.Errorf("the head went from %d to %d under the lock: %w", head.CommitID, now, original.ErrLeaseExpired)
		}
		var data []original.Data
		for _, r := range q.Rows {
			r.N += w.state.at(r.identity, now).N
			data = append(data, original.Data{Type: refOf(r.Type), Rows: []format.Row{r.stored(q.Tag)}})
		}
		return data, nil
	})
	switch {
	case err == nil:
		a.Outcome, a.Commit = committed, int64(id)
	case errors.Is(err, original.ErrLockTimeout), errors.Is(err, original.ErrCrash), errors.Is(err, original.ErrLeaseExpired):
		a.Outcome = failed
	default:
		a.Outcome = unknown
	}
	return err
}
