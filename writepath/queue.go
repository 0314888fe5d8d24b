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

// ErrClosed is returned after the committer was closed.
var ErrClosed = errors.New("committer is closed")

// maxTries is how often a transaction is tried if other writers make its attempts fail.
const maxTries = 5

// Queue holds waiting transactions in order of arrival. Any number of goroutines wait in it;
// one worker takes groups from it. P is a pointer to a struct that embeds Pending.
type Queue[P member] struct {
	lockTimeout time.Duration
	now         func() time.Time

	ctx    context.Context // of the worker
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the worker has ended
	wake   chan struct{} // has a token if there may be work

	mu          sync.Mutex
	items       []P
	reservation *Reservation // only its transactions are taken; nil for none
	closed      bool
}

type member interface {
	comparable
	pending() *Pending
}

// NewQueue creates a Queue. A transaction without a timeout of its own waits for lockTimeout,
// by the clock now. The caller calls Run next.
func NewQueue[P member](lockTimeout time.Duration, now func() time.Time) *Queue[P] {
	q := &Queue[P]{lockTimeout: lockTimeout, now: now, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	q.ctx, q.cancel = context.WithCancelCause(context.Background())
	return q
}

// Run starts the worker, which returns when the queue is closed and empty.
func (q *Queue[P]) Run(work func()) {
	go func() {
		defer close(q.done)
		work()
	}()
}

// Context is the worker's context.
func (q *Queue[P]) Context() context.Context { return q.ctx }

// Close refuses new transactions and waits for the worker to decide the others. If ctx ends
// first, the worker's Context is cancelled, and the error is the cause.
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

// Commit waits until the transaction is decided. If the caller's context ends before it was
// taken, the error is the cause.
func (q *Queue[P]) Commit(p P) (Outcome, error) {
	return q.CommitInline(p, func() bool { return false })
}

// CommitInline is Commit, but serve may do the worker's work on the caller's goroutine. It
// returns false if the worker has to do it.
func (q *Queue[P]) CommitInline(p P, serve func() bool) (Outcome, error) {
	w := p.pending()
	timeout := w.LockTimeout
	if timeout == 0 {
		timeout = q.lockTimeout
	}
	w.arrived = q.now()
	w.deadline = w.arrived.Add(timeout)
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

// Reserve waits for the Reservation that p requests. The caller releases it.
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

// The methods below are for the worker.

// Wake returns a channel that has a token if there may be work.
func (q *Queue[P]) Wake() <-chan struct{} { return q.wake }

// State returns the number of waiting transactions, and whether the queue is closed.
func (q *Queue[P]) State() (waiting int, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items), q.closed
}

// Take removes the transactions to be decided together: during a reservation those that use
// it; otherwise at most the first n, up to the next request for a reservation, which is taken
// alone.
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

// takeReserved removes the transactions that use the current reservation.
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

// PutBack returns transactions to the front of the queue.
func (q *Queue[P]) PutBack(items []P) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = slices.Insert(q.items, 0, items...)
	if len(q.items) > 0 {
		q.signal()
	}
}

// Retry returns transactions to the queue of which nothing is or will be visible. Those that
// were tried maxTries times end with err, and so do those under a reservation, which ends
// here.
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

// Expire ends, with the error why, transactions whose time to wait for another writer's lock,
// or for the end of a reservation, is over. It reports whether any remain.
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

// Drain removes and returns all transactions.
func (q *Queue[P]) Drain() []P {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.items
	q.items = nil
	return all
}

// Fail ends all waiting transactions with err.
func (q *Queue[P]) Fail(err error) {
	for _, p := range q.Drain() {
		p.pending().Finish(Outcome{}, err)
	}
}

// StartReservation grants the Reservation that p requests. Until EndReservation only
// transactions that use it are taken.
func (q *Queue[P]) StartReservation(p P) *Reservation {
	w := p.pending()
	q.mu.Lock()
	q.reservation = w.reserves
	q.mu.Unlock()
	w.Finish(Outcome{}, nil)
	return w.reserves
}

// EndReservation ends the Reservation, with the cause why unless its holder released it, and
// the transactions that wait under it. Other transactions are taken again.
func (q *Queue[P]) EndReservation(why error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.reservation.end(why)
	for _, p := range q.takeReserved() {
		p.pending().Finish(Outcome{}, q.reservation.endError())
	}
	q.reservation = nil
}

// pendingTypes returns the types that the waiting transactions write, and whether one of them
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
