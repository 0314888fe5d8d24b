// Package eventbustest is the contract test suite of package eventbus. Every kind of store must pass
// it: each sentence of the contract is a test.
package eventbustest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

// Open opens a store once more, for another worker. The Bus ends with the test.
type Open func(now func() time.Time, damaged func(error)) eventbus.Bus

// Run runs all tests. fresh returns a way to open a new empty store at each call.
func Run(t *testing.T, fresh func(t *testing.T) Open) {
	for _, test := range []struct {
		name string
		run  func(w *world)
	}{
		{"an event has defaults", testDefaults},
		{"a derived event has its parent's root", testDerived},
		{"a chain ends after twenty steps", testDepth},
		{"a payload is an object", testPayload},
		{"names that no store keeps", testNames},
		{"handlers of all names", testHandlers},
		{"order of delivery", testOrder},
		{"limit and types", testLimit},
		{"each handler gets each event", testHandlersApart},
		{"what is free", testFree},
		{"a claim that ended is made again", testReclaim},
		{"acknowledge", testAck},
		{"release and backoff", testRelease},
		{"dead letter", testDeadLetter},
		{"dead after another number of attempts", testFail},
		{"prepared events", testPut},
		{"extend", testExtend},
		{"a lease of somebody else", testForeignLease},
		{"sessions", testSessions},
		{"replay", testReplay},
		{"inspect", testInspect},
		{"status", testStatus},
		{"list", testList},
		{"cleanup", testCleanup},
		{"what is cleaned up is not delivered", testCleanupDelivery},
		{"namespaces that begin alike", testNamespaces},
		{"counts", testCounts},
		{"follow", testFollow},
		{"senders whose clocks differ", testClocks},
		{"race: each event once", testRace},
		{"race: retries", testRaceRetries},
		{"ended context", testEndedContext},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &world{T: t, clock: &Clock{at: start}}
			w.open = fresh(t)
			w.bus = w.worker()
			test.run(w)
			for _, err := range w.findings {
				t.Errorf("reported as damaged: %v", err)
			}
		})
	}
}

// start is when the tests begin.
var start = time.Date(2026, 2, 11, 12, 0, 0, 123456000, time.UTC)

// Clock is a clock that stands still.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock returns a clock that shows a time.
func NewClock(at time.Time) *Clock { return &Clock{at: at} }

// Now is the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

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

func testAck(w *world) {
	other := w.worker()
	w.send(event())
	d := w.one(w.bus, request())
	if w.ack(other, eventbus.Lease{Namespace: "n", Event: "00000000-0000-4000-8000-000000000000", Handler: "h"}) {
		w.Error("Ack of an event that is not there: true")
	}
	unknown := d.Lease
	unknown.Handler = "h2"
	if w.ack(other, unknown) {
		w.Error("Ack of a handler without a claim: true")
	}
	w.clock.Advance(time.Second)
	if !w.ack(other, d.Lease) {
		w.Error("Ack by another process: false")
	}
	if !w.ack(w.bus, d.Lease) {
		w.Error("Ack again: false, want true, because its answer may have been lost")
	}
	if c := w.claimOf(d.ID, "h"); c.AckAt == nil || !c.AckAt.Equal(start.Add(time.Second)) || !c.LeaseUntil.Equal(d.Until.Time) {
		w.Errorf("claim: %+v", c)
	}
	if r := w.release(w.bus, d.Lease, ""); r.Held {
		w.Errorf("Release after Ack: %+v", r)
	}
	w.clock.Advance(time.Hour)
	w.none("an acknowledged event", w.bus, request())
	w.none("an acknowledged event", other, request())
	if all := w.list(eventbus.Query{Namespace: "n"}); len(all) != 1 || all[0].Status != eventbus.Acked {
		w.Errorf("the event stays: %+v", all)
	}
}

func testRelease(w *world) {
	other := w.worker()
	w.send(event())
	for attempts := int64(1); attempts < 10; attempts++ {
		d := w.one(w.bus, request())
		if d.Attempts != attempts-1 {
			w.Errorf("before failure %d: %d attempts", attempts, d.Attempts)
		}
		w.clock.Advance(3 * time.Second)
		now := w.clock.Now()
		reason := fmt.Sprintf("failure %d", attempts)
		r := w.release(w.bus, d.Lease, reason)
		least := min(250*time.Millisecond<<attempts, 30*time.Second)
		if wait := r.AvailableAt.Sub(now); !r.Held || r.Dead || r.Attempts != attempts || wait < least || wait > least+101*time.Millisecond {
			w.Errorf("failure %d: %+v after %v, want %v and up to 100 ms", attempts, r, wait, least)
		}
		c := w.claimOf(d.ID, "h")
		if c.Attempts != attempts || c.LastError == nil || *c.LastError != reason || !c.LeaseUntil.Equal(now) || !c.AvailableAt.Equal(r.AvailableAt.Time) || c.DeadLetteredAt != nil {
			w.Errorf("claim after failure %d: %+v", attempts, c)
		}
		w.clock.Advance(r.AvailableAt.Sub(now) - time.Microsecond)
		w.none("before it is available", w.bus, request())
		w.none("before it is available", other, request())
		w.clock.Advance(2 * time.Second)
	}
	r := request()
	r.Handler = "h2"
	d := w.one(w.bus, r)
	w.release(w.bus, d.Lease, "")
	if c := w.claimOf(d.ID, "h2"); c.LastError == nil || *c.LastError != "handler failure" {
		w.Errorf("released without a reason: %+v", c)
	}
	if again := w.release(w.bus, d.Lease, "again"); again.Held || w.ack(w.bus, d.Lease) {
		w.Errorf("a lease that was given back: Release: %+v, or Ack: true", again)
	}
}

// fail releases an event until it is a dead letter.
func (w *world) fail(r eventbus.Request) eventbus.Delivery {
	w.Helper()
	for {
		d := w.one(w.bus, r)
		if released := w.release(w.bus, d.Lease, "no luck"); !released.Held || released.Dead {
			if !released.Held || released.Attempts != eventbus.MaxAttempts {
				w.Fatalf("last release: %+v", released)
			}
			return d
		}
		w.clock.Advance(time.Minute)
	}
}

func testDeadLetter(w *world) {
	parent := w.send(eventbus.New{Namespace: "n", Type: "parent", Payload: []byte("{}")})[0]
	n := event()
	n.Parent = &parent
	sent := w.send(n)[0]
	w.fail(request())
	at := w.clock.Now()
	c := w.claimOf(sent.ID, "h")
	if c.DeadLetteredAt == nil || !c.DeadLetteredAt.Equal(at) || !c.LeaseUntil.Equal(at) || c.AckAt != nil || c.Attempts != 10 || *c.LastError != "no luck" {
		w.Errorf("claim: %+v", c)
	}
	letters, err := w.bus.DeadLetters(w.Context(), "n", 10)
	if err != nil || len(letters) != 1 {
		w.Fatalf("dead letters: %v, %v", letters, err)
	}
	l := letters[0]
	l.EventType = "" // which not every store keeps
	if want := (format.DeadLetter{EventID: sent.ID, HandlerID: "h", Namespace: "n", FailedAt: format.TimeOf(at), Attempts: 10, LastError: "no luck"}); l != want {
		w.Errorf("dead letter: got %+v, want %+v", l, want)
	}
	w.clock.Advance(time.Hour)
	w.none("a dead letter", w.bus, request())
	w.none("a dead letter", w.worker(), request())

	r := request()
	r.Types = []string{eventbus.DeadLetterType}
	told := w.one(w.bus, r)
	want := fmt.Sprintf(`{"attempts":10,"event_id":"%s","handler_id":"h","last_error":"no luck"}`, sent.ID)
	if string(told.Payload) != want || told.RootEventID != parent.ID || told.ChainDepth != 2 || told.Priority != 100 || !told.CreatedAt.Equal(at) {
		w.Errorf("event of the dead letter: %+v\npayload %s, want %s", told.Event, told.Payload, want)
	}
	if r := w.release(w.bus, told.Lease, ""); !r.Held {
		w.Errorf("Release: %+v", r)
	}
	second := request()
	second.Handler = "h2"
	if d := w.one(w.bus, second); d.ID != sent.ID {
		w.Errorf("another handler gets %s", d.ID)
	}
}

func testExtend(w *world) {
	other := w.worker()
	w.send(event())
	d := w.one(w.bus, request())
	w.clock.Advance(20 * time.Second)
	extend := func(l eventbus.Lease) bool {
		w.Helper()
		done, err := w.bus.Extend(w.Context(), l, time.Minute)
		if err != nil {
			w.Fatalf("Extend: %v", err)
		}
		return done
	}
	if !extend(d.Lease) {
		w.Error("Extend of a lease: false")
	}
	if c := w.claimOf(d.ID, "h"); !c.LeaseUntil.Equal(w.clock.Now().Add(time.Minute)) || !c.ClaimedAt.Equal(start) {
		w.Errorf("claim: %+v", c)
	}
	w.clock.Advance(time.Minute - time.Microsecond)
	w.none("an extended lease", other, request())
	w.none("an extended lease", w.bus, request())
	w.clock.Advance(2 * time.Second)
	if !extend(d.Lease) {
		w.Error("Extend of a lease that ended and that nobody has taken: false")
	}
	w.clock.Advance(2 * time.Minute)
	r := request()
	r.Session = "other"
	taken := w.one(other, r)
	if extend(d.Lease) {
		w.Error("Extend of a lease that somebody else has: true")
	}
	w.ack(other, taken.Lease)
	if extend(taken.Lease) {
		w.Error("Extend after Ack: true")
	}
}

func testForeignLease(w *world) {
	other := w.worker()
	w.send(event())
	stale := w.one(w.bus, request())
	w.clock.Advance(time.Minute)
	for _, session := range []string{"other", "s"} { // a session's own earlier lease is another lease, too
		r := request()
		r.Session = session
		taken := w.one(other, r)
		if w.ack(w.bus, stale.Lease) {
			w.Errorf("Ack of a lease that session %s has: true", session)
		}
		if r := w.release(w.bus, stale.Lease, "late"); r.Held {
			w.Errorf("Release of a lease that session %s has: %+v", session, r)
		}
		if bySession := (eventbus.Lease{Namespace: "n", Event: stale.ID, Handler: "h", Session: "third"}); w.ack(w.bus, bySession) {
			w.Errorf("Ack by a session that has no lease: true")
		}
		if c := w.claimOf(stale.ID, "h"); c.AckAt != nil || c.Attempts != 0 || !c.LeaseUntil.Equal(taken.Until.Time) {
			w.Errorf("the lease of session %s: %+v", session, c)
		}
		w.clock.Advance(time.Minute)
	}
	if anybody := (eventbus.Lease{Namespace: "n", Event: stale.ID, Handler: "h"}); !w.ack(w.bus, anybody) {
		w.Error("Ack of whatever claim there is, as the original does: false")
	}
}

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
