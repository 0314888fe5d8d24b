package writepath

import (
	"errors"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// ErrClosed: the committer takes no more transactions.
var ErrClosed = errors.New("committer is closed")

// queue holds the transactions that wait to be taken into a group, in the order
// of their arrival.
type queue struct {
	mu     sync.Mutex
	items  []*pending
	closed bool
	wake   chan struct{} // holds one token when there may be something to do
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) add(p *pending) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.items = append(q.items, p)
	q.signal()
	return nil
}

// close refuses what comes from now on; what waits stays.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

// state tells whether there is work, and whether none will come.
func (q *queue) state() (waiting int, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items), q.closed
}

// take removes the first n, or as many as there are.
func (q *queue) take(n int) []*pending {
	q.mu.Lock()
	defer q.mu.Unlock()
	n = min(n, len(q.items))
	taken := slices.Clone(q.items[:n])
	q.items = slices.Delete(q.items, 0, n)
	return taken
}

// putBack lets transactions be the next again.
func (q *queue) putBack(items []*pending) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = slices.Insert(q.items, 0, items...)
	if len(q.items) > 0 {
		q.signal()
	}
}

// withdraw removes p, unless it was taken.
func (q *queue) withdraw(p *pending) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.items, p)
	if i < 0 {
		return false
	}
	q.items = slices.Delete(q.items, i, i+1)
	return true
}

// expire ends those whose time to wait for the lock of another is over, and
// reports whether any wait on.
func (q *queue) expire(now time.Time, holder *format.Lock) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = slices.DeleteFunc(q.items, func(p *pending) bool {
		late := !now.Before(p.deadline)
		if late {
			p.finish(Outcome{}, &LeaseHeldError{Owner: holder.OwnerID, Until: holder.ExpiresAt.Time})
		}
		return late
	})
	return len(q.items) > 0
}

// fail ends all that wait.
func (q *queue) fail(err error) {
	for _, p := range q.take(math.MaxInt) {
		p.finish(Outcome{}, err)
	}
}

// types are those that the waiting transactions write.
func (q *queue) types() []ontosql.TypeRef {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := map[ontosql.TypeRef]bool{}
	for _, p := range q.items {
		for ref := range p.writes {
			all[ref] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), ontosql.TypeRef.Compare)
}
