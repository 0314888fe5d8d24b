package eventbustest

import (
	"context"
	"errors"
	"time"

	"github.com/ontosql/ontosql/eventbus"
)

func testOrder(w *world) {
	var all []eventbus.New
	for _, priority := range []int64{1, 100, 7, 100, -5, 7, 1000} {
		n := event()
		n.Priority = &priority
		all = append(all, n)
	}
	sent := w.send(all...)
	for i := 1; i < len(sent); i++ {
		if !sent[i].CreatedAt.After(sent[i-1].CreatedAt.Time) {
			w.Errorf("event %d was sent at %v, the one before at %v", i, sent[i].CreatedAt, sent[i-1].CreatedAt)
		}
	}
	var want []string
	for _, i := range []int{6, 1, 3, 2, 5, 0, 4} {
		want = append(want, sent[i].ID)
	}
	r := request()
	r.Limit = 3
	w.equal("first three", ids(w.claim(w.bus, r)), want[:3])
	w.equal("the others", ids(w.claim(w.bus, request())), want[3:])
}

func testLimit(w *world) {
	n := event()
	var all []eventbus.New
	for range 150 {
		all = append(all, n)
	}
	n.Type = "other"
	w.send(append(all, n)...)
	r := request()
	r.Limit = 0
	if taken := w.claim(w.bus, r); len(taken) != eventbus.DefaultLimit {
		w.Errorf("without a limit: %d events, want %d", len(taken), eventbus.DefaultLimit)
	}
	r.Types = nil
	w.none("no types", w.bus, r)
	r.Types = []string{"other", "none", "other"}
	if d := w.one(w.bus, r); d.Type != "other" || !d.Until.Equal(start.Add(eventbus.DefaultLease)) {
		w.Errorf("of type %q until %v", d.Type, d.Until)
	}
	r.Types = []string{"t", "other"}
	if taken := w.claim(w.bus, r); len(taken) != 50 {
		w.Errorf("the rest: %d events, want 50", len(taken))
	}
}

func testHandlersApart(w *world) {
	e := w.send(event())[0]
	first, second := request(), request()
	second.Handler = "h2"
	if d := w.one(w.bus, first); !w.ack(w.bus, d.Lease) {
		w.Error("Ack: false")
	}
	if d := w.one(w.bus, second); d.ID != e.ID || d.Lease.Handler != "h2" {
		w.Errorf("the second handler got %+v", d)
	}
}

func testFree(w *world) {
	other := w.worker()
	w.send(event())
	r := request()
	r.Lease = 10 * time.Second
	d := w.one(w.bus, r)
	if d.Attempts != 0 || !d.Until.Equal(start.Add(10*time.Second)) || d.Lease.Session != "s" {
		w.Errorf("first delivery: %+v", d)
	}
	c := w.claimOf(d.ID, "h")
	if c.AckAt != nil || c.LastError != nil || c.DeadLetteredAt != nil || !c.ClaimedAt.Equal(start) || !c.AvailableAt.Equal(start) {
		w.Errorf("claim: %+v", c)
	}
	w.none("a lease begins", other, r)
	w.clock.Advance(10*time.Second - time.Microsecond)
	w.none("a lease is about to end", other, r)
	w.none("a lease is about to end, its own worker", w.bus, r)
	w.clock.Advance(time.Microsecond)
	if d := w.one(other, r); d.Attempts != 0 {
		w.Errorf("after the lease has ended: %+v", d)
	}
	w.none("somebody else has it", w.bus, r)
}

func testReclaim(w *world) {
	w.send(event())
	d := w.one(w.bus, request())
	if r := w.release(w.bus, d.Lease, "broken"); !r.Held {
		w.Fatalf("Release: %+v", r)
	}
	w.clock.Advance(time.Minute)
	r := request()
	r.Session = "second"
	again := w.one(w.worker(), r)
	if again.Attempts != 1 {
		w.Errorf("attempts after one failure: %d", again.Attempts)
	}
	c := w.claimOf(d.ID, "h")
	if c.Attempts != 1 || c.SessionID != "second" || !c.ClaimedAt.Equal(w.clock.Now()) || c.LastError != nil || c.AckAt != nil {
		w.Errorf("claim made again: %+v", c)
	}
}

// testClocks: the clocks of senders are minutes apart, so that events arrive behind newer ones. Each is
// delivered by the next claim; one that is a day late, some minutes later.
func testClocks(w *world) {
	ahead := w.workerAt(func() time.Time { return w.clock.Now().Add(9 * time.Minute) })
	behind := w.workerAt(func() time.Time { return w.clock.Now().Add(-4 * time.Minute) })
	seen := map[string]int{}
	for range 10 {
		for _, sender := range []eventbus.Bus{ahead, behind, w.bus} {
			e, err := sender.Enqueue(w.Context(), []eventbus.New{event()})
			if err != nil {
				w.Fatal(err)
			}
			seen[e[0].ID] = 0
		}
		taken := w.claim(w.bus, request())
		for _, d := range taken {
			seen[d.ID]++
			w.ack(w.bus, d.Lease)
		}
		if len(taken) != 3 {
			w.Errorf("three were sent: %d are delivered", len(taken))
		}
		w.clock.Advance(10 * time.Second)
	}
	late := w.workerAt(func() time.Time { return w.clock.Now().Add(-24 * time.Hour) })
	e, err := late.Enqueue(w.Context(), []eventbus.New{event()})
	if err != nil {
		w.Fatal(err)
	}
	seen[e[0].ID] = 0
	w.clock.Advance(6 * time.Minute)
	for _, d := range w.claim(w.bus, request()) {
		seen[d.ID]++
	}
	for id, times := range seen {
		if times != 1 {
			w.Errorf("event %s was delivered %d times, want once", id, times)
		}
	}
}

func testEndedContext(w *world) {
	w.send(event())
	ctx, cancel := context.WithCancel(w.Context())
	cancel()
	if _, err := w.bus.Enqueue(ctx, []eventbus.New{event()}); !errors.Is(err, context.Canceled) {
		w.Errorf("Enqueue with an ended context: %v", err)
	}
	if _, err := w.bus.Claim(ctx, request()); !errors.Is(err, context.Canceled) {
		w.Errorf("Claim with an ended context: %v", err)
	}
	if len(w.claim(w.bus, request())) != 1 {
		w.Error("the event is not delivered afterwards")
	}
}
