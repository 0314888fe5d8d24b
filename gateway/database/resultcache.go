package database

import (
	"container/list"
	"sync"

	"github.com/ontosql/ontosql/column"
)

// ResultCache keeps the results of statements that may be executed again, the last used
// first. An entry never becomes wrong, because a key names commits and not the head; an
// entry that is no longer used is removed when the cache is full. A nil cache keeps
// nothing.
type ResultCache struct {
	budget int64 // bytes

	mu       sync.Mutex
	kept     int64 // bytes of the results
	recorded int64 // bytes of the recordings under way
	byKey    map[string]*list.Element
	order    list.List // of *result, the last used first
}

// maxResult is the size in bytes of the largest result that is kept: the page of a
// dashboard is far smaller, an export far larger.
const maxResult = 1 << 20

// recordingShare is the share of the budget, 1/recordingShare, for recordings under way.
// They remove no entry before they are complete.
const recordingShare = 4

// result is a complete result with its size in bytes, key included. Its batches are
// shared by all readers and never changed.
type result struct {
	key     string
	batches []*column.Batch
	size    int64
}

// resultSize is the memory of a result without its key and batches.
const resultSize = 256

// newResultCache is a cache of so many bytes, nil for 0.
func newResultCache(budget int64) *ResultCache {
	if budget <= 0 {
		return nil
	}
	return &ResultCache{budget: budget, byKey: map[string]*list.Element{}}
}

// Get is the result of a key, nil if it is not kept or the key is nil.
func (c *ResultCache) Get(key []byte) *column.Batches {
	if key == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[string(key)]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return column.NewBatches(e.Value.(*result).batches...)
}

// Record begins to record the result of a key. It is nil if the key is nil or there is no
// room.
func (c *ResultCache) Record(key []byte) *Recording {
	if key == nil {
		return nil
	}
	r := &Recording{cache: c, result: &result{key: string(key)}}
	r.take(int64(len(key)) + resultSize)
	return r
}

// reserve takes bytes of the budget for a recording, if there are enough.
func (c *ResultCache) reserve(n int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.recorded+n > c.budget/recordingShare {
		return false
	}
	c.recorded += n
	return true
}

// free gives such bytes back.
func (c *ResultCache) free(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recorded -= n
}

// put keeps a recorded result, unless another session has recorded the same one.
func (c *ResultCache) put(r *result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recorded -= r.size
	if c.byKey[r.key] != nil {
		return
	}
	c.byKey[r.key] = c.order.PushFront(r)
	c.kept += r.size
	for c.kept > c.budget-c.budget/recordingShare {
		oldest := c.order.Remove(c.order.Back()).(*result)
		delete(c.byKey, oldest.key)
		c.kept -= oldest.size
	}
}

// Recording copies the batches of a result while the client gets them. A nil Recording,
// and one that was discarded, does nothing.
type Recording struct {
	cache *ResultCache // nil when it was given up or is kept
	*result
}

// take reserves bytes. If there are not enough, it discards the recording.
func (r *Recording) take(n int64) bool {
	if r.size+n > maxResult || !r.cache.reserve(n) {
		r.Discard()
		return false
	}
	r.size += n
	return true
}

// Add copies the next batch of the result.
func (r *Recording) Add(b *column.Batch) {
	if r == nil || r.cache == nil {
		return
	}
	if r.take(b.CopySize()) {
		r.batches = append(r.batches, b.Copy(0))
	}
}

// Keep puts the result, which is complete, into the cache.
func (r *Recording) Keep() {
	if r == nil || r.cache == nil {
		return
	}
	r.cache.put(r.result)
	r.cache = nil
}

// Discard drops what was recorded of an incomplete result.
func (r *Recording) Discard() {
	if r == nil || r.cache == nil {
		return
	}
	r.cache.free(r.size)
	r.cache, r.result = nil, nil
}
