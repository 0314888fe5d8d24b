package eventbustest

import (
	"time"

	"github.com/ontosql/ontosql/eventbus"
)

func testCleanup(w *world) {
	ctx := w.Context()
	w.send(event(), event())
	w.ack(w.bus, w.claim(w.bus, request())[0].Lease)
	dead := request()
	dead.Handler = "dead"
	dead.Limit = 1
	w.fail(dead)
	if err := w.bus.Register(ctx, eventbus.NewSession{Namespace: "n", ID: "one"}); err != nil {
		w.Fatal(err)
	}
	w.clock.Advance(time.Hour)
	before := w.clock.Now()
	kept := w.send(event())[0]
	n := event()
	n.Namespace = "n2"
	w.clock.Advance(-2 * time.Hour)
	elsewhere := w.open(w.clock.Now, nil)
	if _, err := elsewhere.Enqueue(ctx, []eventbus.New{n}); err != nil {
		w.Fatal(err)
	}
	w.clock.Advance(2 * time.Hour)
	count, err := w.bus.Cleanup(ctx, "n", before)
	if err != nil || count != 3 { // two events, and the one that tells of the dead letter
		w.Errorf("Cleanup: %d, %v, want 3 events", count, err)
	}
	all := w.list(eventbus.Query{Namespace: "n"})
	if len(all) != 1 || all[0].ID != kept.ID {
		w.Errorf("left: %+v", all)
	}
	letters, err := w.bus.DeadLetters(ctx, "n", 10)
	if err != nil || len(letters) != 1 {
		w.Errorf("dead letters: %v, %v", letters, err)
	}
	sessions, err := w.bus.Sessions(ctx, "n")
	if err != nil || len(sessions) != 1 {
		w.Errorf("sessions: %v, %v", sessions, err)
	}
	if all := w.list(eventbus.Query{Namespace: "n2"}); len(all) != 1 {
		w.Errorf("in the other namespace: %+v", all)
	}
	if count, err := w.bus.Cleanup(ctx, "n", before); err != nil || count != 0 {
		w.Errorf("Cleanup again: %d, %v", count, err)
	}
	names, err := w.bus.Namespaces(ctx)
	if err != nil || len(names) != 2 || names[0].Claims != 0 {
		w.Errorf("namespaces: %+v, %v", names, err)
	}
}

func testCleanupDelivery(w *world) {
	other := w.worker()
	w.send(event(), event(), event())
	r := request()
	r.Limit = 1
	w.ack(w.bus, w.one(w.bus, r).Lease)
	w.ack(other, w.one(other, r).Lease) // both know of the others now
	w.clock.Advance(time.Minute)
	if count, err := other.Cleanup(w.Context(), "n", w.clock.Now()); err != nil || count != 3 {
		w.Fatalf("Cleanup: %d, %v", count, err)
	}
	w.none("after a cleanup", w.bus, request())
	w.none("after a cleanup", other, request())
	e := w.send(event())[0]
	if d := w.one(other, request()); d.ID != e.ID {
		w.Errorf("delivered %s, want the new %s", d.ID, e.ID)
	}
}
