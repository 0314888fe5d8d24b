package metered

import (
	"context"
	"slices"
	"sync"
)

// Count is the number of requests and bytes of one operation.
type Count struct {
	Requests int64 // a List counts one per 1000 objects (a page of S3)
	Failures int64 // failed requests; a missing object and a lost swap do not count as failures
	Bytes    int64 // of bodies, read or written
}

func (c Count) plus(o Count) Count {
	return Count{c.Requests + o.Requests, c.Failures + o.Failures, c.Bytes + o.Bytes}
}

// Counts maps each used operation (objstore.Op constants) to its Count.
type Counts map[string]Count

// Total returns the sum over all operations.
func (c Counts) Total() Count {
	var total Count
	for _, count := range c {
		total = total.plus(count)
	}
	return total
}

// Counter adds up requests. The zero value is ready. Its methods are safe for
// concurrent use.
type Counter struct {
	parent *Counter // the counter of the parent context
	told   func()   // called after each request, nil for nothing; set before the first one

	mu     sync.Mutex
	counts []opCount  // in the order of their first requests
	first  [2]opCount // room for counts: a statement makes requests of one or two kinds
}

type opCount struct {
	op string
	Count
}

// Counts returns the counts so far, nil for no request.
func (c *Counter) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	var counts Counts
	for _, of := range c.counts {
		if counts == nil {
			counts = Counts{}
		}
		counts[of.op] = of.Count
	}
	return counts
}

// Total returns the sum of the counts so far.
func (c *Counter) Total() Count {
	c.mu.Lock()
	defer c.mu.Unlock()
	var total Count
	for _, of := range c.counts {
		total = total.plus(of.Count)
	}
	return total
}

func (c *Counter) add(op string, count Count) {
	for ; c != nil; c = c.parent {
		c.mu.Lock()
		i := slices.IndexFunc(c.counts, func(of opCount) bool { return of.op == op })
		if i < 0 {
			if i = len(c.counts); i == 0 {
				c.counts = c.first[:0]
			}
			c.counts = append(c.counts, opCount{op: op})
		}
		c.counts[i].Count = c.counts[i].plus(count)
		c.mu.Unlock()
		if c.told != nil {
			c.told()
		}
	}
}

type counterKey struct{}

// OnRequest makes the counter call f after each request, from any goroutine. It is called before the counter's
// context is used.
func (c *Counter) OnRequest(f func()) { c.told = f }

// WithCounter returns a context and a Counter that counts the requests made with this
// context to any metered bucket, for example those of one statement. Counters nest: a
// counter of ctx also counts these requests.
func WithCounter(ctx context.Context) (context.Context, *Counter) {
	c := &counted{Context: ctx, counter: Counter{parent: counterOf(ctx)}}
	return c, &c.counter
}

// counted is a context with a counter.
type counted struct {
	context.Context
	counter Counter
}

func (c *counted) Value(key any) any {
	if key == (counterKey{}) {
		return &c.counter
	}
	return c.Context.Value(key)
}

func counterOf(ctx context.Context) *Counter {
	c, _ := ctx.Value(counterKey{}).(*Counter)
	return c
}
