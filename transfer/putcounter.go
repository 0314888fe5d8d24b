package transfer

import (
	"context"
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
	p.add(s.Size())
	return nil
}

// add counts an object.
func (p *putCounter) add(size int64) {
	p.objectCount.Add(1)
	p.byteCount.Add(size)
}

// put writes an object from memory.
func (p *putCounter) put(ctx context.Context, b objstore.Bucket, key string, body []byte) error {
	if _, err := b.Put(ctx, key, body); err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	p.add(int64(len(body)))
	return nil
}
