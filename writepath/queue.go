package writepath

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ontosql/ontosql"
)

// ErrClosed: the committer takes no more transactions.
var ErrClosed = errors.New("committer is closed")

// maxTries is how often a transaction is tried anew after others made its attempt
// void.
const maxTries = 5

// Queue holds the transactions that wait to be taken into a group, in the order
// of their arrival. Any number of goroutines wait in it, and one works it off. P is
// a pointer to a struct that embeds Pending.
type Queue[P member] struct {
	lockTimeout time.Duration
	now         func() time.Time

	ctx    context.Context // of the worker
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the worker has ended
	wake   chan struct{} // holds one token when there may be something to do

	mu          sync.Mutex
	items       []P
	reservation *Reservation // what carries it is all that is taken; nil for none
	closed      bool
}

type member interface {
	comparable
	pending() *Pending
}

// NewQueue makes a Queue in which a transaction that names no time waits for
// lockTimeout, by the clock now, until it is its turn. Run is called next.
func NewQueue[P member](lockTimeout time.Duration, now func() time.Time) *Queue[P] {
	q := &Queue[P]{lockTimeout: lockTimeout, now: now, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	q.ctx, q.cancel = context.WithCancelCause(context.Background())
	return q
}

// Run starts the worker, which ends by itself once the queue is closed and nobody
// waits.
func (q *Queue[P]) Run(work func()) {
	go func() {
		defer close(q.done)
		work()
	}()
}

// Context is that of everything the worker waits for.
func (q *Queue[P]) Context() context.Context { return q.ctx }

// Close refuses what comes from now on, and waits for the worker to decide what
// waits. When ctx ends first, the worker's Context ends too; the error is then the
// cause.
func (q *Queue[P]) Close(ctx context.Context) error {
	q.mu.Lock()
	q.closed = true
	q.signal()
	q.mu.Unlock()
	var err error
	select {
	case <-q.done:
	case <-ctx.Done():
		err = context.Cause(ctx)
		q.cancel(errors.Join(ErrClosed, err))
		<-q.done
	}
	q.cancel(ErrClosed)
	return err
}

// Commit waits until the transaction is decided, or its caller's context ends
// before it was taken; the error is then the cause.
func (q *Queue[P]) Commit(p P) (Outcome, error) {
	return q.CommitInline(p, func() bool { return false })
}

// CommitInline is Commit where serve may do the worker's work in its place: it decides
// what waits, and is false where the worker has to.
func (q *Queue[P]) CommitInline(p P, serve func() bool) (Outcome, error) {
	w := p.pending()
	timeout := w.LockTimeout
	if timeout == 0 {
		timeout = q.lockTimeout
	}
	w.deadline = q.now().Add(timeout)
	if err := q.add(p); err != nil {
		return Outcome{}, err
	}
	if !serve() {
		q.signal()
	}
	select {
	case <-w.done:
	case <-w.ctx.Done():
		if q.withdraw(p) {
			return Outcome{}, context.Cause(w.ctx)
		}
		<-w.done
	}
	return w.outcome, w.err
}

// Reserve waits until the Reservation holds that p asks for. The caller releases it.
func (q *Queue[P]) Reserve(p P) (*Reservation, error) {
	r := p.pending().reserves
	if _, err := q.Commit(p); err != nil {
		r.end(err)
		return nil, err
	}
	return r, nil
}

func (q *Queue[P]) add(p P) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	if r := p.pending().Reservation; r != nil && (r != q.reservation || r.ctx.Err() != nil) {
		return r.endError()
	}
	q.items = append(q.items, p)
	return nil
}

// withdraw removes p, unless it was taken.
func (q *Queue[P]) withdraw(p P) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.items, p)
	if i < 0 {
		return false
	}
	q.items = slices.Delete(q.items, i, i+1)
	return true
}

func (q *Queue[P]) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// What follows is for the worker.

// Wake gives a token when there may be something to do.
func (q *Queue[P]) Wake() <-chan struct{} { return q.wake }

// State tells whether there is work, and whether none will come.
func (q *Queue[P]) State() (waiting int, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items), q.closed
}

// Take removes those that can be decided together: while there is a reservation
// what carries it, else the first n at most, up to the next that asks for one,
// which is taken alone.
func (q *Queue[P]) Take(n int) (taken []P) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.reservation != nil {
		return q.takeReserved()
	}
	n = min(n, len(q.items))
	if i := slices.IndexFunc(q.items[:n], func(p P) bool { return p.pending().Reserves() }); i >= 0 {
		n = max(i, 1)
	}
	taken = slices.Clone(q.items[:n])
	q.items = slices.Delete(q.items, 0, n)
	return taken
}

// takeReserved removes those that carry the reservation.
func (q *Queue[P]) takeReserved() (taken []P) {
	q.items = slices.DeleteFunc(q.items, func(p P) bool {
		carries := p.pending().Reservation == q.reservation
		if carries {
			taken = append(taken, p)
		}
		return carries
	})
	return taken
}

// PutBack lets transactions that were taken be the next again.
func (q *Queue[P]) PutBack(items []P) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = slices.Insert(q.items, 0, items...)
	if len(q.items) > 0 {
		q.signal()
	}
}

// Retry puts transactions back of which nothing is visible and nothing will be;
// those that were put back too often end with err, and those at once that are
// committed under a reservation, which ends here.
func (q *Queue[P]) Retry(group []P, err error) {
	var rest []P
	for _, p := range group {
		w := p.pending()
		if w.tries++; w.tries >= maxTries || w.Reservation != nil || q.ctx.Err() != nil {
			w.Finish(Outcome{}, err)
			continue
		}
		rest = append(rest, p)
	}
	q.PutBack(rest)
}

// Expire ends those whose time to wait for the lock of another, or for the end of
// a reservation, is over, with why, and reports whether any wait on.
func (q *Queue[P]) Expire(why error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	q.items = slices.DeleteFunc(q.items, func(p P) bool {
		w := p.pending()
		late := w.Late(now) && w.Reservation == nil
		if late {
			w.Finish(Outcome{}, why)
		}
		return late
	})
	return len(q.items) > 0
}

// Drain removes all that wait.
func (q *Queue[P]) Drain() []P {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.items
	q.items = nil
	return all
}

// Fail ends all that wait.
func (q *Queue[P]) Fail(err error) {
	for _, p := range q.Drain() {
		p.pending().Finish(Outcome{}, err)
	}
}

// StartReservation gives the Reservation to the one that asks for it. Until Unhold only what
// carries it is taken.
func (q *Queue[P]) StartReservation(p P) *Reservation {
	w := p.pending()
	q.mu.Lock()
	q.reservation = w.reserves
	q.mu.Unlock()
	w.Finish(Outcome{}, nil)
	return w.reserves
}

// EndReservation ends the Reservation, with why unless its holder did, and what still waits
// to be committed under it; the others are taken again.
func (q *Queue[P]) EndReservation(why error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.reservation.end(why)
	for _, p := range q.takeReserved() {
		p.pending().Finish(Outcome{}, q.reservation.endError())
	}
	q.reservation = nil
}

// pendingTypes are the types that the waiting transactions write, and whether one of them
// changes the schema.
func (q *Queue[P]) pendingTypes() (types []ontosql.TypeRef, schema bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := map[ontosql.TypeRef]bool{}
	for _, p := range q.items {
		w := p.pending()
		for i := range w.Data {
			all[w.Data[i].Type] = true
		}
		schema = schema || w.Schema != nil
	}
	return slices.SortedFunc(maps.Keys(all), ontosql.TypeRef.Compare), schema
}
