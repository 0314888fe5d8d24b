package writepath

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// conditionsLifetime is how long a probe of conditional writes holds for later processes. A
// server behind one address can be replaced by one that ignores conditions.
const conditionsLifetime = 24 * time.Hour

// ConditionalWrites knows whether a bucket honours conditional writes (decision A29). Its methods
// may be called from several goroutines.
type ConditionalWrites struct {
	bucket objstore.Bucket
	record string

	mu    sync.Mutex
	known bool
}

// NewConditionalWrites knows nothing of the bucket but what an earlier process left in record, a
// file of this bucket alone that may be deleted at any time. An empty record keeps nothing.
func NewConditionalWrites(b objstore.Bucket, record string) *ConditionalWrites {
	return &ConditionalWrites{bucket: b, record: record}
}

// Check is nil if the bucket honours conditional writes: as this process has found before, or
// another one within the last day, or by a probe now. Its error is that of
// ProbeConditionalWrites, and the next call probes again.
func (c *ConditionalWrites) Check(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known = c.known || c.recorded(); c.known {
		return nil
	}
	if err := ProbeConditionalWrites(ctx, c.bucket); err != nil {
		return err
	}
	c.known = true
	if c.record != "" {
		_ = os.MkdirAll(filepath.Dir(c.record), 0o755) // without the file the next process probes
		_ = os.WriteFile(c.record, nil, 0o644)
	}
	return nil
}

// recorded reports whether the file says that a probe has succeeded.
func (c *ConditionalWrites) recorded() bool {
	info, err := os.Stat(c.record)
	if err != nil {
		return false
	}
	age := time.Since(info.ModTime())
	return 0 <= age && age < conditionsLifetime
}

// Doubt makes the next Check probe, in every process with the same file.
func (c *ConditionalWrites) Doubt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = false
	_ = os.Remove(c.record)
}
