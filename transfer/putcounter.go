package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/spool"
)

// putCounter writes objects and counts them.
type putCounter struct{ objectCount, byteCount atomic.Int64 }

func (p *putCounter) objects() int { return int(p.objectCount.Load()) }
func (p *putCounter) size() int64  { return p.byteCount.Load() }

// upload writes an object.
func (p *putCounter) upload(ctx context.Context, b objstore.Bucket, key string, s *spool.Spool) error {
	if _, err := b.Upload(ctx, key, s, s.Size()); err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	p.objectCount.Add(1)
	p.byteCount.Add(s.Size())
	return nil
}

// put writes an object from memory.
func (p *putCounter) put(ctx context.Context, b objstore.Bucket, key string, body []byte) error {
	if _, err := b.Put(ctx, key, body); err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	p.objectCount.Add(1)
	p.byteCount.Add(int64(len(body)))
	return nil
}

// putIfChanged writes an object unless the bucket has the same content.
func (p *putCounter) putIfChanged(ctx context.Context, b objstore.Bucket, key string, body []byte) error {
	there, _, err := b.Get(ctx, key)
	if err == nil && bytes.Equal(there, body) {
		return nil
	}
	if err != nil && !errors.Is(err, objstore.ErrNotFound) {
		return fmt.Errorf("read %s: %w", key, err)
	}
	return p.put(ctx, b, key, body)
}
