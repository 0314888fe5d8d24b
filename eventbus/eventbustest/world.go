package eventbustest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

// world is a store and what a test does with it.
type world struct {
	*testing.T
	open  Open
	clock *Clock
	bus   eventbus.Bus

	mu       sync.Mutex
	findings []error
}

// worker opens the store once more.
func (w *world) worker() eventbus.Bus { return w.workerAt(w.clock.Now) }

func (w *world) workerAt(now func() time.Time) eventbus.Bus {
	return w.open(now, func(err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.findings = append(w.findings, err)
	})
}

func (w *world) send(all ...eventbus.New) []format.Event {
	w.Helper()
	events, err := w.bus.Enqueue(w.Context(), all)
	if err != nil {
		w.Fatalf("Enqueue: %v", err)
	}
	return events
}

// event is a new event of the namespace and type that most tests use.
func event() eventbus.New {
	return eventbus.New{Namespace: "n", Type: "t", Payload: []byte(`{"a": 1}`)}
}

func request() eventbus.Request {
	return eventbus.Request{Namespace: "n", Handler: "h", Types: []string{"t"}, Session: "s", Limit: 1000}
}

func (w *world) claim(bus eventbus.Bus, r eventbus.Request) []eventbus.Delivery {
	w.Helper()
	taken, err := bus.Claim(w.Context(), r)
	if err != nil {
		w.Fatalf("Claim: %v", err)
	}
	return taken
}

// one claims and expects one event.
func (w *world) one(bus eventbus.Bus, r eventbus.Request) eventbus.Delivery {
	w.Helper()
	taken := w.claim(bus, r)
	if len(taken) != 1 {
		w.Fatalf("Claim: got %d events, want 1", len(taken))
	}
	return taken[0]
}

// none claims and expects nothing.
func (w *world) none(story string, bus eventbus.Bus, r eventbus.Request) {
	w.Helper()
	if taken := w.claim(bus, r); len(taken) != 0 {
		w.Errorf("%s: got %v, want no event", story, ids(taken))
	}
}

func (w *world) ack(bus eventbus.Bus, l eventbus.Lease) bool {
	w.Helper()
	done, err := bus.Ack(w.Context(), l)
	if err != nil {
		w.Fatalf("Ack: %v", err)
	}
	return done
}

func (w *world) release(bus eventbus.Bus, l eventbus.Lease, reason string) eventbus.Released {
	w.Helper()
	r, err := bus.Release(w.Context(), l, reason)
	if err != nil {
		w.Fatalf("Release: %v", err)
	}
	return r
}

// claimOf is the claim that a handler has for an event.
func (w *world) claimOf(id, handler string) format.Claim {
	w.Helper()
	found, err := w.bus.Inspect(w.Context(), "n", id)
	if err != nil {
		w.Fatalf("Inspect: %v", err)
	}
	for _, c := range found[0].Claims {
		if c.HandlerID == handler {
			return c
		}
	}
	w.Fatalf("event %s has no claim of %s: %v", id, handler, found[0].Claims)
	return format.Claim{}
}

func (w *world) list(q eventbus.Query) []eventbus.Listed {
	w.Helper()
	listed, err := w.bus.List(w.Context(), q)
	if err != nil {
		w.Fatalf("List: %v", err)
	}
	return listed
}

func ids(taken []eventbus.Delivery) []string {
	all := make([]string, len(taken))
	for i := range taken {
		all[i] = taken[i].ID
	}
	return all
}

func (w *world) equal(what string, got, want []string) {
	w.Helper()
	if !slices.Equal(got, want) {
		w.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}
