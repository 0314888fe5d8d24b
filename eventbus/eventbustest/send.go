package eventbustest

import (
	"errors"
	"strings"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

func testDefaults(w *world) {
	e := w.send(event())[0]
	if e.Priority != 100 || e.RootEventID != e.ID || e.ChainDepth != 0 || !e.CreatedAt.Equal(start) || len(e.ID) != 36 {
		w.Errorf("an event that is sent at %v: %+v", start, e)
	}
	listed := w.list(eventbus.Query{Namespace: "n"})
	if len(listed) != 1 || string(listed[0].Payload) != `{"a":1}` || listed[0].ID != e.ID || !listed[0].CreatedAt.Equal(start) {
		w.Errorf("stored: %+v, want %+v", listed, e)
	}
	low := int64(-3)
	n := event()
	n.Priority = &low
	if e := w.send(n)[0]; e.Priority != low {
		w.Errorf("priority %d: got %d", low, e.Priority)
	}
}

func testDerived(w *world) {
	parent := w.send(event())[0]
	n := event()
	n.Parent = &parent
	child := w.send(n)[0]
	n.Parent = &child
	grandchild := w.send(n)[0]
	if grandchild.RootEventID != parent.ID || grandchild.ChainDepth != 2 || child.ChainDepth != 1 {
		w.Errorf("root %s, child %+v, grandchild %+v", parent.ID, child, grandchild)
	}
}

func testDepth(w *world) {
	n := event()
	last := w.send(n)[0]
	for range 20 {
		n.Parent = &last
		last = w.send(n)[0]
	}
	n.Parent = &last
	if _, err := w.bus.Enqueue(w.Context(), []eventbus.New{event(), n}); !errors.Is(err, eventbus.ErrTooDeep) {
		w.Errorf("an event at depth 21: got %v, want ErrTooDeep", err)
	}
	if all := w.list(eventbus.Query{Namespace: "n"}); len(all) != 21 {
		w.Errorf("after the refusal there are %d events, want 21: it is refused with all that were to be sent", len(all))
	}
	// The dead letter of the last one is told of, that of what tells of it is not.
	r := request()
	r.Types, r.Namespace = []string{"t", eventbus.DeadLetterType}, "n"
	letters := 0
	for range 40 {
		all, err := w.bus.Claim(w.Context(), r)
		if err != nil {
			w.Fatalf("Claim: %v", err)
		}
		for _, d := range all {
			if _, err := w.bus.Fail(w.Context(), d.Lease, "", 1); err != nil {
				w.Fatalf("Fail: %v", err)
			}
			letters++
		}
		w.clock.Advance(time.Minute)
	}
	const steps = 21 * 22 / 2 // each of 21 events, at depth 0 to 20, has what tells of it down to depth 20,
	if letters != steps+1 {   // and the last one's has one more
		w.Errorf("%d dead letters of a handler that fails at all events, want %d", letters, steps+1)
	}
}

func testPayload(w *world) {
	for _, payload := range []string{``, `1`, `[]`, `null`, `"x"`, `{`, `{} {}`, `{"a":"\u0000"}`, `{"\u0000":1}`, `{"a":"\ud800"}`, `{"a":NaN}`, `{"a":[Infinity]}`} {
		n := event()
		n.Payload = []byte(payload)
		if _, err := w.bus.Enqueue(w.Context(), []eventbus.New{n}); !errors.Is(err, eventbus.ErrPayload) {
			w.Errorf("payload %s: got %v, want ErrPayload", payload, err)
		}
	}
	for _, payload := range []string{`{}`, `{"b":1.50,"a":{"x":[1,2.0,"é😀\n NaN \\u0000"]},"big":123456789012345678901234567890}`} {
		n := event()
		n.Payload = []byte(payload)
		sent := w.send(n)[0]
		d := w.one(w.bus, request())
		if want, _ := format.Canonicalize([]byte(payload)); string(sent.Payload) != string(want) || string(d.Payload) != string(want) {
			w.Errorf("payload %s: sent %s, delivered %s", payload, sent.Payload, d.Payload)
		}
	}
}

func testNames(w *world) {
	for _, name := range []string{"", "a\x00b", "\xff"} {
		for what, call := range map[string]func() error{
			"namespace": func() error {
				n := event()
				n.Namespace = name
				_, err := w.bus.Enqueue(w.Context(), []eventbus.New{n})
				return err
			},
			"type": func() error {
				n := event()
				n.Type = name
				_, err := w.bus.Enqueue(w.Context(), []eventbus.New{n})
				return err
			},
			"handler": func() error {
				r := request()
				r.Handler = name
				_, err := w.bus.Claim(w.Context(), r)
				return err
			},
			"session": func() error { return w.bus.Heartbeat(w.Context(), "n", name) },
		} {
			var refused *eventbus.NameError
			if err := call(); !errors.As(err, &refused) || refused.What != what || refused.Name != name {
				w.Errorf("%s %q: got %v, want a NameError of it", what, name, err)
			}
		}
	}
}

// testHandlers: a handler is named after a Python function, or as anybody likes. A store may refuse a
// name with a NameError; it must not confuse two.
func testHandlers(w *world) {
	e := w.send(event())[0]
	for _, handler := range []string{
		"billing.handle_order", "app.make.<locals>.inner", "a/b", "a/b.json", "a.json", "a b", "é", "..", "a/../b", "/a", "a/", "a//b", "%2F", `"'\`,
		strings.Repeat("x", 900), strings.Repeat("y", 1000),
	} {
		r := request()
		r.Handler = handler
		taken, err := w.bus.Claim(w.Context(), r)
		var refused *eventbus.NameError
		if errors.As(err, &refused) && refused.What == "handler" && refused.Name == handler {
			w.Logf("refused: %v", err)
			continue
		}
		if err != nil || len(taken) != 1 {
			w.Errorf("handler %.50q: %d events, %v", handler, len(taken), err)
			continue
		}
		if c := w.claimOf(e.ID, handler); c.SessionID != "s" {
			w.Errorf("handler %.50q: its claim is %+v", handler, c)
		}
		if r := w.release(w.bus, taken[0].Lease, "no"); !r.Held || r.Attempts != 1 {
			w.Errorf("handler %.50q: Release: %+v", handler, r)
		}
	}
}

func testReplay(w *world) {
	parent := w.send(eventbus.New{Namespace: "n", Type: "parent", Payload: []byte("{}")})[0]
	n, priority := event(), int64(7)
	n.Parent, n.Priority = &parent, &priority
	old := w.send(n)[0]
	w.ack(w.bus, w.one(w.bus, request()).Lease)
	w.clock.Advance(time.Hour)
	e, err := w.bus.Replay(w.Context(), "n", old.ID)
	if err != nil {
		w.Fatalf("Replay: %v", err)
	}
	if e.ID == old.ID || e.Type != "t" || string(e.Payload) != string(old.Payload) || e.Priority != 7 || e.RootEventID != e.ID || e.ChainDepth != 0 || !e.CreatedAt.Equal(start.Add(time.Hour)) {
		w.Errorf("replayed: %+v", e)
	}
	if d := w.one(w.bus, request()); d.ID != e.ID {
		w.Errorf("delivered %s, want the replayed %s", d.ID, e.ID)
	}
	for _, of := range [][2]string{{"n", "00000000-0000-4000-8000-000000000000"}, {"n2", old.ID}} {
		if _, err := w.bus.Replay(w.Context(), of[0], of[1]); !errors.Is(err, eventbus.ErrNoEvent) {
			w.Errorf("Replay of %v: got %v, want ErrNoEvent", of, err)
		}
	}
}
