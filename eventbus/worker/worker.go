package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus"
)

// worker is a running worker.
type worker struct {
	Options
	sender eventbus.Sender
	wake   chan struct{} // an event was sent from here
	work   context.Context
}

// Run works until ctx ends. Then it claims no more, waits for the handlers that run, and returns nil.
// The error is that of a store in which a worker cannot work: one that cannot be written, or a name
// that it does not keep. Other errors are logged, and tried again.
func Run(ctx context.Context, o Options) error {
	o.setDefaults()
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	w := &worker{Options: o, sender: eventbus.Sender{Now: o.Now}, wake: make(chan struct{}, 1), work: work}
	if err := w.limited(ctx, func(ctx context.Context) error { return o.Bus.Register(ctx, o.Session) }); err != nil {
		if ctx.Err() != nil {
			return nil // it was stopped before it began
		}
		return fmt.Errorf("register session: %w", err)
	}
	ctx, end := context.WithCancel(ctx)
	var others, beats sync.WaitGroup
	defer beats.Wait()
	defer stop(nil) // before the heart stands still
	beats.Go(w.beat)
	defer others.Wait()
	defer end()
	for i := range o.Schedules {
		others.Go(func() { w.fire(ctx, &o.Schedules[i]) })
	}
	if o.Handler == nil {
		<-ctx.Done()
		return nil
	}
	return w.claims(ctx, stop)
}

// limited calls f, with a bound.
func (w *worker) limited(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	return f(ctx)
}

// beat tells that the session is alive, to the end of the work.
func (w *worker) beat() {
	for pause(w.work, eventbus.HeartbeatEvery) {
		err := w.limited(w.work, func(ctx context.Context) error {
			return w.Bus.Heartbeat(ctx, w.Session.Namespace, w.Session.ID)
		})
		if err != nil && w.work.Err() == nil {
			w.Logger.WarnContext(w.work, "heartbeat", "session", w.Session.ID, "error", err)
		}
	}
}

// wakeUp makes the worker claim at once.
func (w *worker) wakeUp() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// claims claims events and starts their handlers. After the end of ctx it waits for them, and stops
// those that go on for too long.
func (w *worker) claims(ctx context.Context, stop context.CancelCauseFunc) error {
	var running sync.WaitGroup
	ended := make(chan struct{}, w.Concurrency)
	drain := func() {
		timer := time.AfterFunc(w.Drain, func() { stop(ErrStopped) })
		defer timer.Stop()
		running.Wait()
	}
	defer drain()
	timer := time.NewTimer(0)
	defer timer.Stop()
	busy, failures := 0, 0
	next := time.Now()
	for {
		var tick <-chan time.Time
		if busy < w.Concurrency {
			timer.Reset(time.Until(next))
			tick = timer.C
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ended:
			busy--
			continue
		case <-w.wake:
			next = time.Now()
			continue
		case <-tick:
		}
		taken, err := w.claim(ctx, w.Concurrency-busy)
		switch {
		case isFinal(err):
			return err
		case err != nil:
			w.Logger.WarnContext(ctx, "claim events", "namespace", w.Session.Namespace, "handler", w.Name, "error", err)
			next = time.Now().Add(retryWait(failures))
			failures++
			continue
		}
		failures = 0
		if next = time.Now(); len(taken) == 0 {
			next = next.Add(w.Poll)
		}
		for i := range taken {
			busy++
			running.Go(func() {
				w.handle(&taken[i])
				ended <- struct{}{}
			})
		}
	}
}

// claim claims events. It is not interrupted by the end of ctx, so that it is known what was claimed.
func (w *worker) claim(ctx context.Context, limit int) (taken []eventbus.Delivery, err error) {
	if ctx.Err() != nil {
		return nil, nil
	}
	err = w.limited(w.work, func(ctx context.Context) error {
		taken, err = w.Bus.Claim(ctx, eventbus.Request{
			Namespace: w.Session.Namespace, Handler: w.Name, Types: w.Types, Session: w.Session.ID, Limit: limit, Lease: w.Lease,
		})
		return err
	})
	return taken, err
}

// isFinal reports whether a call of the bus fails for the same reason however often it is made.
func isFinal(err error) bool {
	var name *eventbus.NameError
	return errors.As(err, &name) || errors.Is(err, ontosql.ErrReadOnly) || errors.Is(err, ontosql.ErrNotInitialised)
}
