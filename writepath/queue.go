package writepath

import (
	"errors"
	"maps"
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
	holder *Reservation // what carries it is all that is taken; nil for none
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
	if r := p.Reservation; r != nil && (r != q.holder || r.ctx.Err() != nil) {
		return r.over()
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

// take removes those that can be decided together: while there is a reservation
// what carries it, else the first n at most, up to the next that asks for one,
// which is taken alone.
func (q *queue) take(n int) (taken []*pending) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.holder != nil {
		return q.carrying()
	}
	n = min(n, len(q.items))
	if i := slices.IndexFunc(q.items[:n], func(p *pending) bool { return p.reserves != nil }); i >= 0 {
		n = max(i, 1)
	}
	taken = slices.Clone(q.items[:n])
	q.items = slices.Delete(q.items, 0, n)
	return taken
}

// carrying removes those that carry the reservation.
func (q *queue) carrying() (taken []*pending) {
	q.items = slices.DeleteFunc(q.items, func(p *pending) bool {
		carries := p.Reservation == q.holder
		if carries {
			taken = append(taken, p)
		}
		return carries
	})
	return taken
}

// drain removes all.
func (q *queue) drain() []*pending {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.items
	q.items = nil
	return all
}

// reserve lets r be the reservation that holds.
func (q *queue) reserve(r *Reservation) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.holder = r
}

// unreserve ends what still waits to be committed under r, which is over, and lets
// the others be taken again.
func (q *queue) unreserve(r *Reservation) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range q.carrying() {
		p.finish(Outcome{}, r.over())
	}
	q.holder = nil
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

// expire ends those whose time to wait for the lock of another, or for the end of
// a reservation, is over, and reports whether any wait on.
func (q *queue) expire(now time.Time, holder *format.Lock) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = slices.DeleteFunc(q.items, func(p *pending) bool {
		late := !now.Before(p.deadline) && p.Reservation == nil
		if late {
			p.finish(Outcome{}, &LeaseHeldError{Owner: holder.OwnerID, Until: holder.ExpiresAt.Time})
		}
		return late
	})
	return len(q.items) > 0
}

// fail ends all that wait.
func (q *queue) fail(err error) {
	for _, p := range q.drain() {
		p.finish(Outcome{}, err)
	}
}

// touches are the types that the waiting transactions write, and whether one of them
// changes the schema.
func (q *queue) touches() (types []ontosql.TypeRef, schema bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := map[ontosql.TypeRef]bool{}
	for _, p := range q.items {
		for ref := range p.writes {
			all[ref] = true
		}
		schema = schema || p.Schema != nil
	}
	return slices.SortedFunc(maps.Keys(all), ontosql.TypeRef.Compare), schema
}
