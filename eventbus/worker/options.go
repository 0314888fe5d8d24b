package worker

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/ontosql/ontosql/eventbus"
)

// Handler does the work for one event.
type Handler interface {
	// Handle returns when the work is done, and the events that follow from it, which become children
	// of this one. An error gives the event back; its text is what the claim keeps as last error. The
	// context ends when the lease is lost or the worker must stop; then Handle returns soon, and
	// leaves nothing running.
	//
	// The same event may be handled again: after an error, or when a worker died.
	Handle(ctx context.Context, d *eventbus.Delivery) ([]eventbus.New, error)
}

var (
	// ErrLeaseLost ends the context of a handler whose lease could not be renewed in time, or was
	// given to another worker.
	ErrLeaseLost = errors.New("the lease of the event was lost")
	// ErrStopped ends the context of a handler that has not ended in time when the worker stops.
	ErrStopped = errors.New("the worker was stopped")
)

// Options say what a worker does.
type Options struct {
	Bus     eventbus.Bus
	Session eventbus.NewSession // whose namespace is that of all events

	// Name, Types and Handler are nothing in a worker that only has schedules.
	Name    string   // of the handler, in claims
	Types   []string // of the events to handle
	Handler Handler

	Schedules []Schedule

	Concurrency int           // events handled at the same time; 1 if 0
	MaxAttempts int64         // failed ones after which an event is a dead letter; eventbus.MaxAttempts if 0
	Lease       time.Duration // eventbus.DefaultLease if 0; renewed as long as the handler runs
	Poll        time.Duration // between two claims while there is nothing to do; DefaultPoll if 0
	Drain       time.Duration // how long running handlers may go on when the worker stops; DefaultDrain if 0

	Now    func() time.Time // time.Now if nil: the clock of the Bus
	Logger *slog.Logger     // nothing is logged if nil
}

// Defaults of Options.
const (
	DefaultPoll  = time.Second
	DefaultDrain = 30 * time.Second
)

// Bounds of what is tried again when the store does not answer.
const (
	retryFirst = 100 * time.Millisecond
	retryMost  = 30 * time.Second
	// settleLimit is how long the end of an event, or what follows from it, is tried to be stored.
	settleLimit = time.Minute
	// requestLimit bounds one call of the bus.
	requestLimit = time.Minute
)

func (o *Options) setDefaults() {
	o.Concurrency = cmp.Or(o.Concurrency, 1)
	o.MaxAttempts = cmp.Or(o.MaxAttempts, eventbus.MaxAttempts)
	o.Lease = cmp.Or(o.Lease, eventbus.DefaultLease)
	o.Poll = cmp.Or(o.Poll, DefaultPoll)
	o.Drain = cmp.Or(o.Drain, DefaultDrain)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}
