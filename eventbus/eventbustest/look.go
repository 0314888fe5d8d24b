package eventbustest

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

func testSessions(w *world) {
	ctx := w.Context()
	for _, s := range []eventbus.NewSession{{Namespace: "n", ID: "one", Metadata: []byte(`{"pid": 7}`)}, {Namespace: "n", ID: "two"}, {Namespace: "n2", ID: "three"}} {
		if err := w.bus.Register(ctx, s); err != nil {
			w.Fatalf("Register: %v", err)
		}
	}
	w.clock.Advance(50 * time.Second)
	if err := w.bus.Heartbeat(ctx, "n", "two"); err != nil {
		w.Fatalf("Heartbeat: %v", err)
	}
	w.clock.Advance(50 * time.Second)
	if err := w.bus.Heartbeat(ctx, "n", "missing"); err != nil {
		w.Fatalf("Heartbeat: %v", err)
	}
	var got []string
	sessions, err := w.bus.Sessions(ctx, "n")
	for _, s := range sessions {
		got = append(got, fmt.Sprintf("%s %v %v %s %v", s.ID, s.StartedAt.Sub(start), s.LastHeartbeat.Sub(start), s.Metadata, eventbus.IsDead(&s, w.clock.Now(), time.Minute)))
	}
	w.equal(fmt.Sprint("sessions, ", err), got, []string{"missing 1m40s 1m40s {} false", "two 0s 50s {} false", `one 0s 0s {"pid":7} true`})
	if err := w.bus.Register(ctx, eventbus.NewSession{Namespace: "n", ID: "one", Metadata: []byte(`{"pid": 8}`)}); err != nil {
		w.Fatalf("Register again: %v", err)
	}
	sessions, err = w.bus.Sessions(ctx, "n")
	if err != nil || len(sessions) != 3 || sessions[1].ID != "one" || !sessions[1].StartedAt.Equal(start) || string(sessions[1].Metadata) != `{"pid":8}` {
		w.Errorf("registered again: %+v, %v", sessions, err)
	}
	at := sessions[1].LastHeartbeat.Add(time.Minute)
	if eventbus.IsDead(&sessions[1], at, time.Minute) || !eventbus.IsDead(&sessions[1], at.Add(1), time.Minute) {
		w.Error("a session is dead after its time to live, not at its end")
	}
	if err := w.bus.Register(ctx, eventbus.NewSession{Namespace: "n", ID: "four", Metadata: []byte(`[]`)}); !errors.Is(err, eventbus.ErrPayload) {
		w.Errorf("metadata that is no object: %v", err)
	}
}

func testInspect(w *world) {
	e := w.send(event())[0]
	for _, handler := range []string{"z", "b/c", "a"} {
		r := request()
		r.Handler = handler
		w.one(w.bus, r)
	}
	for _, namespace := range []string{"n", ""} {
		found, err := w.bus.Inspect(w.Context(), namespace, e.ID)
		if err != nil || len(found) != 1 || len(found[0].Claims) != 3 {
			w.Fatalf("Inspect in %q: %+v, %v", namespace, found, err)
		}
		var handlers []string
		for _, c := range found[0].Claims {
			handlers = append(handlers, c.HandlerID)
		}
		w.equal("handlers", handlers, []string{"a", "b/c", "z"})
	}
	for _, of := range [][2]string{{"n", "00000000-0000-4000-8000-000000000000"}, {"n2", e.ID}} {
		if _, err := w.bus.Inspect(w.Context(), of[0], of[1]); !errors.Is(err, eventbus.ErrNoEvent) {
			w.Errorf("Inspect of %v: got %v, want ErrNoEvent", of, err)
		}
	}
}

func testStatus(w *world) {
	e := w.send(event())[0]
	check := func(want eventbus.Status, handler string) {
		w.Helper()
		l := w.list(eventbus.Query{Namespace: "n", To: start.Add(time.Second)})[0]
		if l.Status != want || l.Handler != handler || l.ID != e.ID {
			w.Errorf("status %v by %q, want %v by %q", l.Status, l.Handler, want, handler)
		}
	}
	of := func(handler string) eventbus.Request {
		r := request()
		r.Handler = handler
		return r
	}
	check(eventbus.Pending, "")
	w.one(w.bus, of("z-claimed"))
	check(eventbus.Claimed, "z-claimed")
	w.clock.Advance(time.Hour)
	check(eventbus.Pending, "z-claimed")
	w.one(w.bus, of("z-claimed"))
	w.ack(w.bus, w.one(w.bus, of("y-acked")).Lease)
	check(eventbus.Acked, "y-acked")
	w.fail(of("x-dead"))
	check(eventbus.DeadLettered, "x-dead")
	if got := fmt.Sprint(eventbus.Pending, eventbus.Claimed, eventbus.Acked, eventbus.DeadLettered); got != "pending claimed acked dead_lettered" {
		w.Errorf("words: %s", got)
	}
}

func testList(w *world) {
	var sent []format.Event
	for i := range 5 {
		n, priority := event(), int64(i%2)
		n.Priority = &priority
		sent = append(sent, w.send(n)...)
		w.clock.Advance(time.Minute)
	}
	for _, c := range []struct {
		q    eventbus.Query
		want []int
	}{
		{eventbus.Query{}, []int{1, 3, 0, 2, 4}},
		{eventbus.Query{Limit: 3}, []int{1, 3, 0}},
		{eventbus.Query{From: start.Add(time.Minute), To: start.Add(3 * time.Minute)}, []int{1, 2}},
		{eventbus.Query{From: start.Add(time.Minute + time.Microsecond)}, []int{3, 2, 4}},
	} {
		c.q.Namespace = "n"
		var got, want []string
		for _, l := range w.list(c.q) {
			got = append(got, l.ID)
		}
		for _, i := range c.want {
			want = append(want, sent[i].ID)
		}
		w.equal(fmt.Sprintf("list of %+v", c.q), got, want)
	}
}

func testNamespaces(w *world) {
	sent := map[string]string{}
	for _, namespace := range []string{"a", "a/b", "ab", "a/b/c", "a/2026"} {
		n := event()
		n.Namespace = namespace
		sent[namespace] = w.send(n)[0].ID
	}
	for namespace, id := range sent {
		r := request()
		r.Namespace = namespace
		if d := w.one(w.bus, r); d.ID != id || d.Namespace != namespace {
			w.Errorf("namespace %s: delivered %s of %s", namespace, d.ID, d.Namespace)
		}
		listed := w.list(eventbus.Query{Namespace: namespace})
		if len(listed) != 1 || len(listed[0].Claims) != 1 {
			w.Errorf("list of %s: %+v", namespace, listed)
		}
	}
	names, err := w.bus.Namespaces(w.Context())
	var got []string
	for _, n := range names {
		got = append(got, fmt.Sprint(n.Name, n.Events, n.Claims))
	}
	w.equal(fmt.Sprint("namespaces, ", err), got, []string{"a1 1", "a/20261 1", "a/b1 1", "a/b/c1 1", "ab1 1"})
	w.clock.Advance(time.Hour)
	if count, err := w.bus.Cleanup(w.Context(), "a", w.clock.Now()); err != nil || count != 1 {
		w.Errorf("Cleanup of a: %d, %v", count, err)
	}
	for _, namespace := range []string{"a/b", "ab", "a/b/c", "a/2026"} {
		if l := w.list(eventbus.Query{Namespace: namespace}); len(l) != 1 || len(l[0].Claims) != 1 {
			w.Errorf("%s after a cleanup of a: %+v", namespace, l)
		}
	}
}

func testCounts(w *world) {
	w.send(event(), event(), event(), event(), event())
	taken := w.claim(w.bus, func() eventbus.Request { r := request(); r.Limit = 3; return r }())
	w.ack(w.bus, taken[0].Lease)
	w.release(w.bus, taken[1].Lease, "")
	if err := w.bus.Register(w.Context(), eventbus.NewSession{Namespace: "n", ID: "one"}); err != nil {
		w.Fatal(err)
	}
	w.clock.Advance(time.Millisecond)
	names, err := w.bus.Namespaces(w.Context())
	want := eventbus.Namespace{Name: "n", Events: 5, Unclaimed: 2, Oldest: format.TimeOf(start.Add(3 * time.Microsecond)), Claims: 3, Sessions: 1}
	if err != nil || len(names) != 1 || names[0] != want {
		w.Errorf("Namespaces: got %+v, %v, want %+v", names, err, want)
	}
	backlog, err := w.bus.Backlog(w.Context(), "n")
	got, _ := json.Marshal(backlog)
	if want := `{"Events":{"0":3,"1":1,"2":1},"Leases":1,"Retries":1}`; err != nil || string(got) != want {
		w.Errorf("Backlog: got %s, %v, want %s", got, err, want)
	}
	w.clock.Advance(time.Hour)
	w.fail(func() eventbus.Request { r := request(); r.Handler, r.Limit = "h2", 1; return r }())
	names, err = w.bus.Namespaces(w.Context())
	if err != nil || len(names) != 1 || names[0].DeadLetters != 1 || names[0].Events != 6 {
		w.Errorf("Namespaces after a dead letter: %+v, %v", names, err)
	}
}
