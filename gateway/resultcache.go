package gateway

import (
	"container/list"
	"sync"

	"github.com/ontosql/ontosql/column"
)

// resultCache keeps results that may be asked for again, those that were asked
// for last. Nothing in it ever becomes wrong, because a key names commits and
// not the head (resultKey): what nobody asks for any more is pushed out. A nil
// one keeps nothing.
type resultCache struct {
	budget int64 // bytes

	mu       sync.Mutex
	kept     int64 // bytes of the results
	recorded int64 // bytes of the recordings under way
	byKey    map[string]*list.Element
	order    list.List // of *result, the last used first
}

// mostResult is the size in bytes of the greatest result that is kept: what a
// page of a dashboard shows is far below it, an export far above.
const mostResult = 1 << 20

// recordingShare of the budget is for recordings under way. They push nothing
// out before they are complete.
const recordingShare = 4

// result is a complete result with its size in bytes, key and all. Its batches
// are shared by all who read them and are never changed.
type result struct {
	key     string
	batches []*column.Batch
	size    int64
}

// resultSize is what a result takes beside its key and its batches.
const resultSize = 256

func newResultCache(budget int64) *resultCache {
	if budget <= 0 {
		return nil
	}
	return &resultCache{budget: budget, byKey: map[string]*list.Element{}}
}

// get are the rows of the result that was kept under a key, nil for none.
func (c *resultCache) get(key []byte) *column.Batches {
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

// record begins to keep the result of a key, nil where there is none.
func (c *resultCache) record(key []byte) *recording {
	if key == nil {
		return nil
	}
	r := &recording{cache: c, result: &result{key: string(key)}}
	r.take(int64(len(key)) + resultSize)
	return r
}

// reserve gives bytes to a recording if they can be had.
func (c *resultCache) reserve(n int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.recorded+n > c.budget/recordingShare {
		return false
	}
	c.recorded += n
	return true
}

// free takes them back.
func (c *resultCache) free(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recorded -= n
}

// put keeps a result that was recorded, unless another session was faster.
func (c *resultCache) put(r *result) {
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

// recording is a result on its way into the cache: its batches are copied while
// the client gets them. A nil one, and one that was given up, copies nothing.
type recording struct {
	cache *resultCache // nil when it was given up or is kept
	*result
}

// take makes room, or gives the recording up.
func (r *recording) take(n int64) bool {
	if r.size+n > mostResult || !r.cache.reserve(n) {
		r.giveUp()
		return false
	}
	r.size += n
	return true
}

// add copies the next batch of the result.
func (r *recording) add(b *column.Batch) {
	if r == nil || r.cache == nil {
		return
	}
	if r.take(b.CopySize()) {
		r.batches = append(r.batches, b.Copy(0))
	}
}

// keep is told that the result is complete.
func (r *recording) keep() {
	if r == nil || r.cache == nil {
		return
	}
	r.cache.put(r.result)
	r.cache = nil
}

// giveUp forgets what was recorded of a result that is not complete.
func (r *recording) giveUp() {
	if r == nil || r.cache == nil {
		return
	}
	r.cache.free(r.size)
	r.cache, r.result = nil, nil
}
