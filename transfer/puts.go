package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ontosql/ontosql/objstore"
)

// puts writes objects and counts them.
type puts struct{ number, total atomic.Int64 }

func (p *puts) objects() int { return int(p.number.Load()) }
func (p *puts) size() int64  { return p.total.Load() }

// upload writes an object.
func (p *puts) upload(ctx context.Context, b objstore.Bucket, key string, s *spool) error {
	if _, err := b.Upload(ctx, key, s, s.size); err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	p.number.Add(1)
	p.total.Add(s.size)
	return nil
}

// bytes writes an object that is in memory.
func (p *puts) bytes(ctx context.Context, b objstore.Bucket, key string, body []byte) error {
	if _, err := b.Put(ctx, key, body); err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	p.number.Add(1)
	p.total.Add(int64(len(body)))
	return nil
}

// changed writes an object unless the bucket has it so.
func (p *puts) changed(ctx context.Context, b objstore.Bucket, key string, body []byte) error {
	there, _, err := b.Get(ctx, key)
	if err == nil && bytes.Equal(there, body) {
		return nil
	}
	if err != nil && !errors.Is(err, objstore.ErrNotFound) {
		return fmt.Errorf("read %s: %w", key, err)
	}
	return p.bytes(ctx, b, key, body)
}
