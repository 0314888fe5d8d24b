package eventbustest

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/eventbus"
)

// workers is the number of concurrent workers in a race.
const workers = 64

// holders checks that no event has two live leases for a handler.
type holders struct {
	w    *world
	mu   sync.Mutex
	held map[string]string // session by handler and event
	done map[string]int
}

func (h *holders) take(d *eventbus.Delivery) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := d.Lease.Handler + " " + d.ID
	if other := h.held[key]; other != "" {
		h.w.Errorf("%s is leased to %s and to %s", key, other, d.Lease.Session)
	}
	if h.done[key] > 0 {
		h.w.Errorf("%s is leased to %s after it was acknowledged", key, d.Lease.Session)
	}
	h.held[key] = d.Lease.Session
}

// end gives a lease back, before the store is told.
func (h *holders) end(d *eventbus.Delivery, done bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := d.Lease.Handler + " " + d.ID
	delete(h.held, key)
	if done {
		h.done[key]++
	}
}

func (h *holders) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.done)
}

// race lets workers with two handlers work through events. Some buses serve several workers, as in
// one process. fails says whether a delivery fails.
func (w *world) race(events int, fails func(*eventbus.Delivery) bool) {
	const buses, handlers = 8, 2
	h := &holders{w: w, held: map[string]string{}, done: map[string]int{}}
	var all []eventbus.New
	for range events {
		all = append(all, event())
	}
	w.send(all...)
	var open []eventbus.Bus
	for range buses {
		open = append(open, w.worker())
	}
	var g errgroup.Group
	for i := range workers {
		bus := open[i%buses]
		r := request()
		r.Handler, r.Session, r.Limit, r.Lease = fmt.Sprint("h", i/buses%handlers), fmt.Sprint("s", i), 3, time.Hour
		g.Go(func() error {
			until := time.Now().Add(time.Minute)
			for h.count() < events*handlers && time.Now().Before(until) && !w.Failed() {
				taken, err := bus.Claim(w.Context(), r)
				if err != nil {
					return err
				}
				for i := range taken {
					h.take(&taken[i])
				}
				for i := range taken {
					d := &taken[i]
					if fails(d) {
						h.end(d, false)
						if r, err := bus.Release(w.Context(), d.Lease, "no"); err != nil || !r.Held {
							return fmt.Errorf("release %s: %+v, %w", d.ID, r, err)
						}
						w.clock.Advance(200 * time.Millisecond)
						continue
					}
					h.end(d, true)
					if done, err := bus.Ack(w.Context(), d.Lease); err != nil || !done {
						return fmt.Errorf("ack %s: %v, %w", d.ID, done, err)
					}
				}
				if len(taken) == 0 {
					w.clock.Advance(50 * time.Millisecond) // for what was released
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		w.Error(err)
	}
	for key, times := range h.done {
		if times != 1 {
			w.Errorf("%s was handled %d times", key, times)
		}
	}
	if h.count() != events*handlers {
		w.Errorf("%d of %d were handled", h.count(), events*handlers)
	}
}

func testRace(w *world) {
	w.race(60, func(*eventbus.Delivery) bool { return false })
}

func testRaceRetries(w *world) {
	w.race(20, func(d *eventbus.Delivery) bool { return d.Attempts == 0 && d.ID[0] < '8' })
}
