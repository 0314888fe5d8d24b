package writepath_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql/writepath"
)

// waiter is a transaction of the queue under test, told apart by its name.
type waiter struct {
	writepath.Pending
	name string
}

type waiters struct {
	t *testing.T
	*writepath.Queue[*waiter]
	mu    sync.Mutex
	ended map[string]error // how those fared that are answered
}

// queueOf is a queue whose worker is the test. It is closed at the end.
func queueOf(t *testing.T, lockTimeout time.Duration) *waiters {
	q := &waiters{t: t, Queue: writepath.NewQueue[*waiter](lockTimeout, time.Now), ended: map[string]error{}}
	q.Run(func() { <-q.Context().Done() })
	return q
}

// end closes the queue and fails what waits.
func (q *waiters) end() {
	q.Fail(errors.New("the test is over"))
	ctx, cancel := context.WithCancel(q.t.Context())
	cancel()
	_ = q.Close(ctx)
	synctest.Wait()
}

// enter lets a transaction wait behind those that do already.
func (q *waiters) enter(ctx context.Context, name string, tx writepath.Tx) {
	q.wait(name, func() error {
		_, err := q.Commit(&waiter{writepath.NewPending(ctx, tx), name})
		return err
	})
}

// ask lets somebody wait for a reservation, which goes to the channel.
func (q *waiters) ask(name string) <-chan *writepath.Reservation {
	got := make(chan *writepath.Reservation, 1)
	q.wait(name, func() error {
		r, err := q.Reserve(&waiter{writepath.NewReserving(q.t.Context(), 0), name})
		got <- r
		return err
	})
	return got
}

func (q *waiters) wait(name string, what func() error) {
	go func() {
		err := what()
		q.mu.Lock()
		defer q.mu.Unlock()
		q.ended[name] = err
	}()
	synctest.Wait()
}

// takes compares what is taken, which it returns.
func (q *waiters) takes(n int, want ...string) []*waiter {
	q.t.Helper()
	group := q.Take(n)
	var got []string
	for _, p := range group {
		got = append(got, p.name)
	}
	if !slices.Equal(got, want) {
		q.t.Errorf("Take(%d) took %q, want %q", n, got, want)
	}
	return group
}

// wants compares how a transaction fared: answered with an error like err, or, where
// that is errWaits, not answered.
func (q *waiters) wants(name string, err error) {
	q.t.Helper()
	synctest.Wait()
	q.mu.Lock()
	got, answered := q.ended[name]
	q.mu.Unlock()
	if !answered {
		got = errWaits
	}
	if !errors.Is(got, err) {
		q.t.Errorf("%s: %v, want %v", name, got, err)
	}
}

var (
	errWaits = errors.New("it waits")
	errTest  = errors.New("trouble of the test")
)

// TestQueueOrder takes transactions as they came, so many at most, and those first
// that were put back.
func TestQueueOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queueOf(t, time.Hour)
		defer q.end()
		for _, name := range []string{"a", "b", "c", "d"} {
			q.enter(t.Context(), name, writepath.Tx{})
		}
		q.takes(1, "a")[0].Finish(writepath.Outcome{Commit: 7}, nil)
		q.wants("a", nil)
		q.PutBack(q.takes(2, "b", "c"))
		group := q.takes(9, "b", "c", "d")
		q.takes(9)
		q.wants("b", errWaits)
		q.PutBack(group)
	})
}

// TestQueueServedByTheCaller wakes the worker only where the caller does not decide
// what waits himself.
func TestQueueServedByTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queueOf(t, time.Hour)
		defer q.end()
		for _, able := range []bool{true, false} {
			name := fmt.Sprint(able)
			q.wait(name, func() error {
				_, err := q.CommitInline(&waiter{writepath.NewPending(t.Context(), writepath.Tx{}), name}, func() bool {
					if able {
						q.takes(9, name)[0].Finish(writepath.Outcome{}, nil)
					}
					return able
				})
				return err
			})
			select {
			case <-q.Wake():
				if able {
					t.Error("the worker is woken for what is decided")
				}
			default:
				if !able {
					t.Error("the worker is not woken")
				}
			}
		}
		q.wants("true", nil)
		q.wants("false", errWaits)
	})
}

// TestQueueWakes gives one token for all that came since the last one was taken.
func TestQueueWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queueOf(t, time.Hour)
		defer q.end()
		woken := func() bool {
			select {
			case <-q.Wake():
				return true
			default:
				return false
			}
		}
		if woken() {
			t.Error("a token of an empty queue")
		}
		q.enter(t.Context(), "a", writepath.Tx{})
		q.enter(t.Context(), "b", writepath.Tx{})
		if !woken() || woken() {
			t.Error("two transactions came, want one token")
		}
		group := q.takes(9, "a", "b")
		if q.PutBack(nil); woken() {
			t.Error("a token though nothing was put back")
		}
		if q.PutBack(group); !woken() || woken() {
			t.Error("no token for what was put back")
		}
	})
}

// TestQueueWithdraws ends a transaction whose caller has left, unless it was taken: then the
// queue waits for its outcome.
func TestQueueWithdraws(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queueOf(t, time.Hour)
		defer q.end()
		ctx, leave := context.WithCancelCause(t.Context())
		q.enter(ctx, "taken", writepath.Tx{})
		q.enter(ctx, "waiting", writepath.Tx{})
		taken := q.takes(1, "taken")
		leave(errTest)
		q.wants("waiting", errTest)
		q.wants("taken", errWaits)
		q.takes(9)
		taken[0].Finish(writepath.Outcome{}, nil)
		q.wants("taken", nil)
	})
}

// TestQueueExpires ends those who have waited for their own lock timeout, or the
// queue's.
func TestQueueExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queueOf(t, 5*time.Second)
		defer q.end()
		q.enter(t.Context(), "patient", writepath.Tx{LockTimeout: 7 * time.Second})
		q.enter(t.Context(), "plain", writepath.Tx{})
		if time.Sleep(4 * time.Second); !q.Expire(errTest) {
			t.Error("nobody waits after 4 s")
		}
		q.wants("plain", errWaits)
		if time.Sleep(time.Second); !q.Expire(errTest) {
			t.Error("nobody waits after 5 s")
		}
		q.wants("plain", errTest)
		q.wants("patient", errWaits)
		if time.Sleep(2 * time.Second); q.Expire(errTest) {
			t.Error("somebody waits after 7 s")
		}
		q.wants("patient", errTest)
	})
}

// TestQueueAgain tries a transaction five times, and none again that carries a
// reservation.
func TestQueueAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queueOf(t, time.Hour)
		defer q.end()
		q.enter(t.Context(), "unlucky", writepath.Tx{})
		for range 4 {
			q.Retry(q.takes(1, "unlucky"), errTest)
			q.wants("unlucky", errWaits)
		}
		q.Retry(q.takes(1, "unlucky"), errTest)
		q.wants("unlucky", errTest)

		got := q.ask("holder")
		r := q.StartReservation(q.takes(1, "holder")[0])
		if r != <-got {
			t.Error("another reservation holds than the one that was given")
		}
		q.enter(t.Context(), "carries", writepath.Tx{Reservation: r})
		q.Retry(q.takes(1, "carries"), errTest)
		q.wants("carries", errTest)
		q.EndReservation(nil)
	})
}

// TestQueueReservation takes a transaction that requests a reservation alone, then only the
// transactions that carry it, until it ends.
func TestQueueReservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queueOf(t, 5*time.Second)
		defer q.end()
		q.enter(t.Context(), "before", writepath.Tx{})
		got := q.ask("holder")
		q.enter(t.Context(), "behind", writepath.Tx{})
		q.takes(9, "before")[0].Finish(writepath.Outcome{}, nil)
		holder := q.takes(9, "holder")[0]
		if !holder.Reserves() {
			t.Error("who asks for a reservation is taken for a transaction")
		}
		r := q.StartReservation(holder)
		<-got
		q.takes(9)

		q.enter(t.Context(), "carries", writepath.Tx{Reservation: r})
		q.takes(9, "carries")[0].Finish(writepath.Outcome{}, nil)
		q.enter(t.Context(), "late", writepath.Tx{Reservation: r})
		if time.Sleep(5 * time.Second); !q.Expire(errTest) {
			t.Error("the time of one that carries the reservation is over, want it to wait on")
		}
		q.wants("behind", errTest)
		q.wants("late", errWaits)

		q.enter(t.Context(), "next", writepath.Tx{})
		q.EndReservation(errTest)
		q.wants("late", errTest)
		if cause := context.Cause(r.Context()); !errors.Is(cause, errTest) {
			t.Errorf("the reservation ended with %v, want %v", cause, errTest)
		}
		q.enter(t.Context(), "too late", writepath.Tx{Reservation: r})
		q.wants("too late", errTest)
		q.PutBack(q.takes(9, "next"))
	})
}

// TestQueueForeignReservation refuses what carries a reservation of another queue.
func TestQueueForeignReservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, other := queueOf(t, time.Hour), queueOf(t, time.Hour)
		defer q.end()
		defer other.end()
		other.ask("holder")
		r := other.StartReservation(other.takes(1, "holder")[0])
		q.enter(t.Context(), "astray", writepath.Tx{Reservation: r})
		if err := q.ended["astray"]; err == nil || err.Error() != "the reservation belongs to another committer" {
			t.Errorf("astray: %v, want it refused", err)
		}
		other.EndReservation(nil)
	})
}

// TestQueueCloses refuses what comes, lets the worker decide what waits, and breaks
// it off when the time for that is over.
func TestQueueCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &waiters{t: t, Queue: writepath.NewQueue[*waiter](time.Hour, time.Now), ended: map[string]error{}}
		q.Run(func() {
			<-q.Wake()
			<-q.Context().Done()
			q.Fail(context.Cause(q.Context()))
		})
		q.enter(t.Context(), "waiting", writepath.Tx{})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errTest)
		defer cancel()
		closed := make(chan error, 1)
		go func() { closed <- q.Close(ctx) }()
		synctest.Wait()
		if waiting, none := q.State(); waiting != 1 || !none {
			t.Errorf("State is %d, %v once closed, want 1, true", waiting, none)
		}
		q.enter(t.Context(), "late", writepath.Tx{})
		q.wants("late", writepath.ErrClosed)
		q.wants("waiting", errWaits)
		if err := <-closed; !errors.Is(err, errTest) {
			t.Errorf("Close: %v, want %v", err, errTest)
		}
		q.wants("waiting", errTest)
		q.wants("waiting", writepath.ErrClosed)
	})
}

// TestCreatedAt takes the transaction's own time, else the clock's, and never one
// before the parent's.
func TestCreatedAt(t *testing.T) {
	noon := time.Date(2026, 2, 10, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return noon }
	for _, c := range []struct{ at, parent, want time.Time }{
		{want: noon},
		{parent: noon.Add(-time.Hour), want: noon},
		{parent: noon.Add(time.Hour), want: noon.Add(time.Hour)},
		{at: noon.Add(-time.Hour), want: noon.Add(-time.Hour)},
		{at: noon.Add(-time.Hour), parent: noon, want: noon},
	} {
		p := writepath.NewPending(t.Context(), writepath.Tx{At: c.at})
		if got := p.CreatedAt(clock, c.parent); !got.Equal(c.want) {
			t.Errorf("at %v after %v: %v, want %v", c.at, c.parent, got, c.want)
		}
	}
}
