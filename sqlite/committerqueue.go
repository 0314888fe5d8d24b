package sqlite

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ontosql/ontosql/writepath"
)

// pending is a transaction on its way through the queue.
type pending struct {
	writepath.Tx
	ctx      context.Context
	deadline time.Time // of the wait for a lock that another holds
	data     []*prepared
	reserves *writepath.Reservation  // nil for a transaction: what is asked for instead of a commit
	end      context.CancelCauseFunc // of reserves
	yielded  bool                    // a large one let smaller ones pass it
	tries    int                     // attempts that the trouble of another one made void

	outcome writepath.Outcome
	err     error
	done    chan struct{} // closed once outcome and err stand
}

// large says that rows are not kept in memory.
func (p *pending) large() bool {
	return slices.ContainsFunc(p.data, func(d *prepared) bool { return d.large })
}

func (p *pending) finish(o writepath.Outcome, err error) {
	p.outcome, p.err = o, err
	close(p.done)
}

// queue holds the transactions that wait to be taken into a group, in the order
// of their arrival.
type queue struct {
	mu     sync.Mutex
	items  []*pending
	holder *writepath.Reservation // what carries it is all that is taken; nil for none
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
		return writepath.ErrClosed
	}
	if r := p.Reservation; r != nil && (r != q.holder || r.Context().Err() != nil) {
		return over(r)
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

// reserve lets r be the reservation that holds.
func (q *queue) reserve(r *writepath.Reservation) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.holder = r
}

// unreserve ends what still waits to be committed under r, which is over, and lets
// the others be taken again.
func (q *queue) unreserve(r *writepath.Reservation) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range q.carrying() {
		p.finish(writepath.Outcome{}, over(r))
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

// expire ends those whose time to wait for another writer, or for the end of a
// reservation, is over, with why, and reports whether any wait on.
func (q *queue) expire(now time.Time, why error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = slices.DeleteFunc(q.items, func(p *pending) bool {
		late := !now.Before(p.deadline) && p.Reservation == nil
		if late {
			p.finish(writepath.Outcome{}, why)
		}
		return late
	})
	return len(q.items) > 0
}

// fail ends all that wait.
func (q *queue) fail(err error) {
	q.mu.Lock()
	all := q.items
	q.items = nil
	q.mu.Unlock()
	for _, p := range all {
		p.finish(writepath.Outcome{}, err)
	}
}
