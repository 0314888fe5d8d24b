package metered

import (
	"context"
	"maps"
	"sync"
)

// Count is what one operation cost.
type Count struct {
	Requests int64 // a List counts one for every 1000 objects, S3's page
	Failures int64 // requests without the answer that was asked for; a missing object and a lost swap are answers
	Bytes    int64 // of bodies, read or written
}

func (c Count) plus(o Count) Count {
	return Count{c.Requests + o.Requests, c.Failures + o.Failures, c.Bytes + o.Bytes}
}

// Counts holds a Count for every operation that was used, by the objstore.Op
// constants.
type Counts map[string]Count

// Total is the sum over all operations.
func (c Counts) Total() Count {
	var total Count
	for _, count := range c {
		total = total.plus(count)
	}
	return total
}

// Counter adds up requests. The zero value is ready; every method may be
// called from several goroutines.
type Counter struct {
	parent *Counter // of the context it was made from

	mu     sync.Mutex
	counts Counts
}

// Counts is a copy of what was counted so far.
func (c *Counter) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.counts)
}

func (c *Counter) add(op string, count Count) {
	for ; c != nil; c = c.parent {
		c.mu.Lock()
		if c.counts == nil {
			c.counts = Counts{}
		}
		c.counts[op] = c.counts[op].plus(count)
		c.mu.Unlock()
	}
}

type counterKey struct{}

// WithCounter returns a context whose requests to any metered bucket are also
// counted by the returned Counter: those of one statement, say. Counters nest:
// a counter of ctx itself goes on counting.
func WithCounter(ctx context.Context) (context.Context, *Counter) {
	c := &Counter{parent: counterOf(ctx)}
	return context.WithValue(ctx, counterKey{}, c), c
}

func counterOf(ctx context.Context) *Counter {
	c, _ := ctx.Value(counterKey{}).(*Counter)
	return c
}
