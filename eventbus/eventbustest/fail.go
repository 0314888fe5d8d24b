package eventbustest

import (
	"time"

	"github.com/ontosql/ontosql/eventbus"
)

func testFail(w *world) {
	w.send(event())
	d := w.one(w.bus, request())
	if r, err := w.bus.Fail(w.Context(), d.Lease, "never again", 0); err != nil || !r.Held || !r.Dead || r.Attempts != 1 {
		w.Errorf("Fail with 0 attempts: %+v, %v", r, err)
	}
	w.send(event())
	second := w.one(w.bus, request())
	r, err := w.bus.Fail(w.Context(), second.Lease, "first", 12)
	for attempts := int64(1); attempts < 12; attempts++ {
		if err != nil || !r.Held || r.Dead || r.Attempts != attempts {
			w.Fatalf("failure %d of 12: %+v, %v", attempts, r, err)
		}
		w.clock.Advance(time.Minute)
		second = w.one(w.bus, request())
		r, err = w.bus.Fail(w.Context(), second.Lease, "again", 12)
	}
	if err != nil || !r.Held || !r.Dead || r.Attempts != 12 {
		w.Errorf("failure 12 of 12: %+v, %v", r, err)
	}
	letters, err := w.bus.DeadLetters(w.Context(), "n", 10)
	if err != nil || len(letters) != 2 || letters[0].EventID != second.ID || letters[0].Attempts != 12 || letters[1].EventID != d.ID || letters[1].LastError != "never again" {
		w.Errorf("dead letters: %+v, %v", letters, err)
	}
}

func testPut(w *world) {
	sender := eventbus.Sender{Now: w.clock.Now}
	prepared, err := sender.Prepare([]eventbus.New{event(), event()})
	if err != nil {
		w.Fatal(err)
	}
	for range 2 {
		if err := w.bus.Put(w.Context(), prepared); err != nil {
			w.Fatalf("Put: %v", err)
		}
	}
	taken := w.claim(w.bus, request())
	w.equal("delivered", ids(taken), []string{prepared[0].ID, prepared[1].ID})
	w.ack(w.bus, taken[0].Lease)
	if err := w.worker().Put(w.Context(), prepared); err != nil {
		w.Fatalf("Put: %v", err)
	}
	w.none("put again", w.worker(), request())
}
