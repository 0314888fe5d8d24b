package eventbustest

import (
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

// testFollow follows a namespace while others send, late ones among them, and events are removed.
func testFollow(w *world) {
	w.send(event(), event())
	f, err := w.bus.Follow(w.Context(), "n")
	if err != nil {
		w.Fatal(err)
	}
	news := func(story string, want ...format.Event) {
		w.Helper()
		got, err := f.New(w.Context())
		if err != nil {
			w.Fatalf("%s: %v", story, err)
		}
		w.equal(story, idsOf(got), idsOf(want))
	}
	news("what was there before")
	w.clock.Advance(time.Minute)
	sent := w.send(event(), event())
	other := event()
	other.Namespace = "n2"
	w.send(other)
	news("two that are sent", sent...)
	news("the same again")

	late := w.workerAt(func() time.Time { return w.clock.Now().Add(-5 * time.Minute) })
	behind, err := late.Enqueue(w.Context(), []eventbus.New{event()})
	if err != nil {
		w.Fatal(err)
	}
	news("one whose sender's clock is behind", behind...)

	w.clock.Advance(time.Minute)
	if _, err := w.bus.Cleanup(w.Context(), "n", w.clock.Now().Add(-30*time.Second)); err != nil {
		w.Fatal(err)
	}
	news("after all were removed")
	news("one after the removal", w.send(event())...)

	w.clock.Advance(time.Hour)
	stale := w.workerAt(func() time.Time { return w.clock.Now().Add(-30 * time.Minute) })
	behind, err = stale.Enqueue(w.Context(), []eventbus.New{event()})
	if err != nil {
		w.Fatal(err)
	}
	news("one that is half an hour late", behind...)
	if _, err := w.bus.Follow(w.Context(), ""); err == nil {
		w.Error("the namespace without a name is followed")
	}
}

func idsOf(events []format.Event) []string {
	ids := make([]string, len(events))
	for i := range events {
		ids[i] = events[i].ID
	}
	return ids
}
