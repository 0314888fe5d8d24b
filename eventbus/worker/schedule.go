package worker

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/cron"
	"github.com/ontosql/ontosql/format"
)

// Schedule sends an event in each minute that matches.
type Schedule struct {
	At      *cron.Schedule
	Type    string
	Payload []byte // a JSON object
}

// slots is the name space of the ids of scheduled events.
var slots = uuid.NewSHA1(uuid.NameSpaceOID, []byte("ontosql:schedule"))

// event is the event of a slot. It follows from the schedule and the slot alone, so that all workers
// with this schedule send the same one, and all but the first find that it is there.
func (s *Schedule) event(namespace string, slot time.Time) (format.Event, error) {
	payload, err := eventbus.Document(s.Payload)
	if err != nil {
		return format.Event{}, err
	}
	at := format.TimeOf(slot)
	name := namespace + "\x00" + s.At.String() + "\x00" + s.Type + "\x00" + string(payload) + "\x00" + at.String()
	id := uuid.NewSHA1(slots, []byte(name)).String()
	return format.Event{
		ID: id, Namespace: namespace, Type: s.Type, Payload: payload, CreatedAt: at, Priority: eventbus.DefaultPriority, RootEventID: id,
	}, nil
}

// clockCheck is how often the clock is looked at while a schedule waits: it may be set, and the
// machine may sleep.
const clockCheck = time.Second

// fire sends the events of a schedule until ctx ends. As in the original, slots that pass while the
// worker runs but cannot send are made up for, and those before it started are not.
func (w *worker) fire(ctx context.Context, s *Schedule) {
	failures := 0
	for next := s.At.Next(w.Now()); ; {
		wait := next.Sub(w.Now().Round(0)) // by the wall clock
		if wait <= 0 {
			err := w.fireSlot(ctx, s, next)
			if err == nil {
				next, failures = s.At.Next(next), 0
				w.wakeUp()
				continue
			}
			if ctx.Err() == nil {
				w.Logger.ErrorContext(ctx, "send scheduled event", "type", s.Type, "slot", next, "error", err)
			}
			wait = retryWait(failures)
			failures++
		} else {
			wait = min(wait, clockCheck)
		}
		if !pause(ctx, wait) {
			return
		}
	}
}

func (w *worker) fireSlot(ctx context.Context, s *Schedule, slot time.Time) error {
	e, err := s.event(w.Session.Namespace, slot)
	if err != nil {
		return err
	}
	return w.limited(ctx, func(ctx context.Context) error { return w.Bus.Put(ctx, []format.Event{e}) })
}

// retryWait is how long to wait after that many failures in a row before the last.
func retryWait(failures int) time.Duration {
	return min(retryFirst<<min(failures, 20), retryMost)
}

// pause waits. It is false if ctx ends first.
func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
