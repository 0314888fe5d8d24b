package worker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

// handle runs the handler for one event and stores what became of it.
func (w *worker) handle(d *eventbus.Delivery) {
	follow, err := w.run(d)
	if err != nil {
		w.giveBack(d, err)
		return
	}
	if w.acknowledge(d) && len(follow) > 0 {
		w.send(d, follow)
	}
}

// run runs the handler under a lease that is renewed, and prepares the events that follow. When it
// returns, nobody renews the lease.
func (w *worker) run(d *eventbus.Delivery) ([]format.Event, error) {
	ctx, cancel := context.WithCancelCause(w.work)
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		w.renew(ctx, cancel, d)
	}()
	follow, err := w.call(ctx, d)
	cause := context.Cause(ctx)
	cancel(nil)
	<-renewed
	if err != nil {
		if cause != nil {
			err = fmt.Errorf("%w: %w", cause, err)
		}
		return nil, err
	}
	for i := range follow {
		follow[i].Namespace, follow[i].Parent = d.Namespace, &d.Event
	}
	return w.sender.Prepare(follow)
}

// call calls the handler. One that panics has failed.
func (w *worker) call(ctx context.Context, d *eventbus.Delivery) (follow []eventbus.New, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the handler panicked: %v", r)
		}
	}()
	return w.Handler.Handle(ctx, d)
}

// renew extends the lease until ctx ends. When the lease is lost it ends ctx.
func (w *worker) renew(ctx context.Context, cancel context.CancelCauseFunc, d *eventbus.Delivery) {
	until := d.Until.Time
	wait := min(w.Lease, until.Sub(w.Now().Round(0))) / 3
	for pause(ctx, max(wait, 0)) {
		asked := w.Now().Round(0) // compared by the wall clock
		limit, done := context.WithTimeout(ctx, max(until.Sub(asked), 0))
		held, err := w.Bus.Extend(limit, d.Lease, w.Lease)
		done()
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && held:
			until, wait = asked.Add(w.Lease), w.Lease/3
		case err == nil, !w.Now().Round(0).Before(until):
			cancel(ErrLeaseLost)
			return
		default:
			wait = w.Lease / 20
		}
	}
}

// settle calls f until it has no error, for a while. It renews the lease of d between the calls.
func (w *worker) settle(d *eventbus.Delivery, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.work), settleLimit)
	defer cancel()
	for failures := 0; ; failures++ {
		err := f(ctx)
		if err == nil || isFinal(err) || !pause(ctx, retryWait(failures)) {
			return err
		}
		if d != nil {
			_, _ = w.Bus.Extend(ctx, d.Lease, w.Lease) // the next call tells
		}
	}
}

// acknowledge is false if the event may be handled again.
func (w *worker) acknowledge(d *eventbus.Delivery) bool {
	held := false
	err := w.settle(d, func(ctx context.Context) (err error) {
		held, err = w.Bus.Ack(ctx, d.Lease)
		return err
	})
	switch {
	case err != nil:
		w.Logger.ErrorContext(w.work, "acknowledge event: it will be handled again", w.about(d, "error", err)...)
	case !held:
		w.Logger.WarnContext(w.work, "the event was handled, but its lease was lost: it may be handled again", w.about(d)...)
	}
	return err == nil && held
}

// giveBack releases an event after a failure. A handler that was stopped with its worker is no reason
// for a dead letter. A chain that is too long does not become shorter: it is one at once.
func (w *worker) giveBack(d *eventbus.Delivery, failure error) {
	attempts := w.MaxAttempts
	switch {
	case errors.Is(failure, ErrStopped):
		attempts = math.MaxInt64
	case errors.Is(failure, eventbus.ErrTooDeep):
		attempts = 0
	}
	var r eventbus.Released
	err := w.settle(d, func(ctx context.Context) (err error) {
		r, err = w.Bus.Fail(ctx, d.Lease, reason(failure), attempts)
		return err
	})
	switch {
	case err != nil:
		w.Logger.ErrorContext(w.work, "release event: its lease will end", w.about(d, "failure", failure, "error", err)...)
	case !r.Held:
		w.Logger.WarnContext(w.work, "the handler failed, and the lease was lost", w.about(d, "failure", failure)...)
	case r.Dead:
		w.Logger.ErrorContext(w.work, "the handler failed: the event is a dead letter", w.about(d, "failure", failure, "attempts", r.Attempts)...)
	default:
		wait := r.AvailableAt.Sub(w.Now()).Round(time.Millisecond)
		w.Logger.WarnContext(w.work, "the handler failed", w.about(d, "failure", failure, "attempts", r.Attempts, "retry_in", wait)...)
	}
}

// reason is the text of a failure as a claim keeps it.
func reason(failure error) string {
	const most = 4096 // bytes
	text := failure.Error()
	if len(text) > most {
		text = text[:most]
	}
	return validText(text)
}

// send sends the events that follow from one that is acknowledged.
func (w *worker) send(d *eventbus.Delivery, follow []format.Event) {
	if err := w.settle(nil, func(ctx context.Context) error { return w.Bus.Put(ctx, follow) }); err != nil {
		w.Logger.ErrorContext(w.work, "send the events that follow: they are lost", w.about(d, "events", len(follow), "error", err)...)
		return
	}
	w.wakeUp()
}

// about are the attributes of an event in the log.
func (w *worker) about(d *eventbus.Delivery, more ...any) []any {
	return append([]any{"namespace", d.Namespace, "handler", w.Name, "event_type", d.Type, "event_id", d.ID}, more...)
}
