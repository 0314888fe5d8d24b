package objects_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/eventbustest"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
)

var start = time.Date(2026, 2, 11, 12, 0, 0, 0, time.UTC)

// store is a bucket in memory with healthy workers.
type store struct {
	*testing.T
	*mem.Bucket
	clock *eventbustest.Clock
}

func newStore(t *testing.T) *store {
	return &store{T: t, Bucket: mem.New("events"), clock: eventbustest.NewClock(start)}
}

// worker is a worker on a bucket that reports nothing as damaged.
func (s *store) worker(b objstore.Bucket) *objects.Bus {
	return objects.Open(objects.Options{Bucket: b, Now: s.clock.Now, Damaged: func(err error) { s.Errorf("reported as damaged: %v", err) }})
}

func (s *store) send(names ...string) []format.Event {
	s.Helper()
	events, err := s.worker(s.Bucket).Enqueue(s.Context(), named(names...))
	if err != nil {
		s.Fatalf("Enqueue: %v", err)
	}
	return events
}

func named(names ...string) []eventbus.New {
	var all []eventbus.New
	for _, name := range names {
		all = append(all, eventbus.New{Namespace: "n", Type: "t", Payload: fmt.Appendf(nil, `{"name":%q}`, name)})
	}
	return all
}

func nameOf(e *format.Event) string {
	var p struct{ Name string }
	_ = json.Unmarshal(e.Payload, &p)
	return p.Name
}

func request(session string) eventbus.Request {
	return eventbus.Request{Namespace: "n", Handler: "app.<locals>.h", Types: []string{"t"}, Session: session}
}

func (s *store) claim(bus eventbus.Bus, session string) []eventbus.Delivery {
	s.Helper()
	taken, err := bus.Claim(s.Context(), request(session))
	if err != nil {
		s.Fatalf("Claim: %v", err)
	}
	return taken
}

// keys are the keys below a prefix.
func (s *store) keys(prefix string) []string {
	s.Helper()
	var keys []string
	if err := s.List(context.WithoutCancel(s.Context()), prefix, func(o objstore.Object) error {
		keys = append(keys, o.Key)
		return nil
	}); err != nil {
		s.Fatal(err)
	}
	return keys
}

// events are all events of the bucket.
func (s *store) events() []format.Event {
	s.Helper()
	var all []format.Event
	for _, key := range s.keys(format.EventsPrefix) {
		body, _, err := s.Get(s.Context(), key)
		if err != nil {
			s.Fatal(err)
		}
		e, err := format.DecodeEvent(key, body)
		if err != nil {
			s.Fatal(err)
		}
		all = append(all, *e)
	}
	return all
}

// fate is how a request fails.
type fate struct {
	name          string
	applied, dead bool
}

var fates = []fate{
	{"the question is lost", false, false},
	{"the answer is lost", true, false},
	{"the worker dies before the request", false, true},
	{"the worker dies after the request", true, true},
}

// eachFault runs a story with each request failing in each way, until a run needs no more requests.
func eachFault(t *testing.T, story func(s *store, bad *faulty.Bucket)) {
	for _, f := range fates {
		t.Run(f.name, func(t *testing.T) {
			for at := 0; ; at++ {
				s := newStore(t)
				bad := &faulty.Bucket{Bucket: s.Bucket, At: at, Applied: f.applied, Dead: f.dead}
				story(s, bad)
				if t.Failed() {
					t.Fatalf("when request %d failed", at)
				}
				if bad.Requests() <= at {
					if at < 5 {
						t.Fatalf("the story made only %d requests", bad.Requests())
					}
					return
				}
			}
		})
	}
}

// TestFaultsOfAWorker: a worker whose store fails at one request sends events, claims, acknowledges and
// releases. Whatever it was told is true; another worker gets what it was not told; nothing is leased
// twice at a time.
func TestFaultsOfAWorker(t *testing.T) {
	eachFault(t, func(s *store, bad *faulty.Bucket) {
		s.send("a", "b", "c")
		worker, other := s.worker(bad), s.worker(s.Bucket)
		sent := map[string]bool{} // what may be there; true: what must be
		for _, name := range []string{"d", "e"} {
			_, err := worker.Enqueue(s.Context(), named(name))
			sent[name] = err == nil
		}
		leased := map[string]eventbus.Delivery{}
		for range 2 { // the second call tells what the first one left out
			taken, _ := worker.Claim(s.Context(), request("worker"))
			for _, d := range taken {
				if before, twice := leased[d.ID]; twice {
					s.Errorf("%s was leased twice: %+v and %+v", nameOf(&d.Event), before.Lease, d.Lease)
				}
				leased[d.ID] = d
			}
		}
		for _, d := range s.claim(other, "other") {
			if _, twice := leased[d.ID]; twice {
				s.Errorf("%s is leased to both", nameOf(&d.Event))
			}
			leased[d.ID] = d
		}
		done, released, unclear := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, d := range leased {
			switch name := nameOf(&d.Event); name {
			case "a", "d":
				ok, err := worker.Ack(s.Context(), d.Lease)
				if done[name], unclear[name] = ok, err != nil; err == nil && !ok {
					s.Errorf("Ack of %s: false", name)
				}
			case "b":
				r, err := worker.Release(s.Context(), d.Lease, "no")
				if released[name] = err == nil && r.Held; err == nil && !r.Held {
					s.Errorf("Release of %s: %+v", name, r)
				}
			}
		}
		s.clock.Advance(time.Minute)
		for name, times := range s.workOff(other) {
			switch {
			case times > 1:
				s.Errorf("%s is delivered %d times to one worker that acknowledges it", name, times)
			case times == 1 && done[name]:
				s.Errorf("%s is delivered after it was acknowledged", name)
			}
			delete(sent, name)
		}
		for name, must := range sent {
			if must && !done[name] && !unclear[name] {
				s.Errorf("%s was sent and is not delivered", name)
			}
		}
		seen := map[string]int{}
		for _, e := range s.events() {
			seen[nameOf(&e)]++
		}
		for name, times := range seen {
			if times > 1 {
				s.Errorf("%s is there %d times", name, times)
			}
		}
		for _, e := range s.events() {
			c, _, err := s.Get(s.Context(), format.ClaimKey("n", e.ID, "app.<locals>.h"))
			if err != nil || !strings.Contains(string(c), `"ack_at":"`) {
				s.Errorf("%s is not acknowledged: %s, %v", nameOf(&e), c, err)
			}
			if name := nameOf(&e); released[name] && !strings.Contains(string(c), `"attempts":1,`) {
				s.Errorf("%s was released: %s", name, c)
			}
		}
	})
}

// TestLostAnswersOfSwaps: a worker that gets no answer to a conditional write finds out what became of it,
// and nobody notices. An event is sent again, under the same key.
func TestLostAnswersOfSwaps(t *testing.T) {
	eachFault(t, func(s *store, bad *faulty.Bucket) {
		hidden := false // the request that fails is one of these
		bad.Delay = func(_ context.Context, number int, op, key string) {
			if number == bad.At && !bad.Dead && op == objstore.OpSwap {
				hidden = bad.Applied || strings.HasPrefix(key, format.EventsPrefix)
			}
		}
		worker := s.worker(bad)
		_, err := worker.Enqueue(s.Context(), named("a", "b"))
		taken, claimed := worker.Claim(s.Context(), request("s"))
		if err == nil && claimed == nil && len(taken) == 2 {
			var done, extended bool
			var released eventbus.Released
			done, err = worker.Ack(s.Context(), taken[0].Lease)
			extended, claimed = worker.Extend(s.Context(), taken[1].Lease, time.Hour)
			if err == nil && claimed == nil {
				released, err = worker.Release(s.Context(), taken[1].Lease, "no")
			}
			if err == nil && claimed == nil && done && extended && released.Held {
				return
			}
		}
		if hidden {
			s.Errorf("a worker noticed the loss: %v, %v, %d leases", err, claimed, len(taken))
		}
	})
}

// workOff claims and acknowledges until nothing is left, and counts the deliveries by name.
func (s *store) workOff(bus eventbus.Bus) map[string]int {
	s.Helper()
	count := map[string]int{}
	for range 3 {
		for _, d := range s.claim(bus, "last") {
			count[nameOf(&d.Event)]++
			if ok, err := bus.Ack(s.Context(), d.Lease); err != nil || !ok {
				s.Errorf("Ack: %v, %v", ok, err)
			}
		}
		s.clock.Advance(time.Minute)
	}
	return count
}

// TestFaultsOfADeadLetter: a worker that gives an event up fails at one request. The next worker
// finishes what it has left: there is one dead letter and one event of it, or the event is retried.
func TestFaultsOfADeadLetter(t *testing.T) {
	eachFault(t, func(s *store, bad *faulty.Bucket) {
		e := s.send("a")[0]
		healthy, worker, other := s.worker(s.Bucket), s.worker(bad), s.worker(s.Bucket)
		for range eventbus.MaxAttempts - 1 {
			d := s.claim(healthy, "first")
			if r, err := healthy.Release(s.Context(), d[0].Lease, "no"); err != nil || !r.Held {
				s.Fatalf("Release: %+v, %v", r, err)
			}
			s.claim(other, "other") // it knows of the event, and that somebody has it
			s.clock.Advance(time.Minute)
		}
		told := false
		taken, _ := worker.Claim(s.Context(), request("worker"))
		if len(taken) == 1 {
			r, err := worker.Release(s.Context(), taken[0].Lease, "no")
			told = err == nil && r.Dead
		}
		if told && (len(s.keys(format.DeadLettersPrefix)) != 1 || len(s.events()) != 2) {
			s.Errorf("the worker was told that the event is dead: %v, %v", s.keys(format.DeadLettersPrefix), s.keys(format.EventsPrefix))
		}
		s.clock.Advance(time.Minute)
		for _, bus := range []*objects.Bus{other, s.worker(s.Bucket), worker} {
			taken, _ := bus.Claim(s.Context(), request("last"))
			for _, d := range taken { // its lease has ended
				if r, err := s.worker(s.Bucket).Release(s.Context(), d.Lease, "no"); err != nil || !r.Dead {
					s.Errorf("Release: %+v, %v", r, err)
				}
			}
			s.clock.Advance(time.Minute)
		}
		letters, events := s.keys(format.DeadLettersPrefix), s.events()
		if len(letters) != 1 || letters[0] != format.DeadLetterKey("n", e.ID, "app.<locals>.h") || len(events) != 2 {
			s.Fatalf("dead letters %v, events %+v", letters, events)
		}
		if dead := events[1]; dead.Type != eventbus.DeadLetterType || dead.RootEventID != e.ID || dead.ChainDepth != 1 {
			s.Errorf("event of the dead letter: %+v", dead)
		}
	})
}

// TestFaultsOfACleanup: a cleanup that fails at one request loses no event that it keeps, makes no
// event that was done free again, and leaves no claim after the next one.
func TestFaultsOfACleanup(t *testing.T) {
	eachFault(t, func(s *store, bad *faulty.Bucket) {
		healthy := s.worker(s.Bucket)
		s.send("a", "b", "c")
		s.workOff(healthy)
		s.clock.Advance(time.Hour)
		before := s.clock.Now()
		s.send("d")
		count, err := s.worker(bad).Cleanup(s.Context(), "n", before)
		if err == nil && count != 3 {
			s.Errorf("Cleanup: %d", count)
		}
		for name := range s.workOff(s.worker(s.Bucket)) {
			if name != "d" {
				s.Errorf("%s is delivered again", name)
			}
		}
		if _, err := healthy.Cleanup(s.Context(), "n", before); err != nil {
			s.Fatal(err)
		}
		if events, claims := s.events(), s.keys(format.ClaimsPrefix); len(events) != 1 || len(claims) != 1 {
			s.Errorf("left: %+v, %v", events, claims)
		}
	})
}

// TestFaultsOfASession: a heartbeat that fails leaves the session registered once.
func TestFaultsOfASession(t *testing.T) {
	eachFault(t, func(s *store, bad *faulty.Bucket) {
		worker := s.worker(bad)
		registered := worker.Register(s.Context(), eventbus.NewSession{Namespace: "n", ID: "s", Metadata: []byte(`{"pid":1}`)}) == nil
		s.clock.Advance(time.Second)
		beaten := worker.Heartbeat(s.Context(), "n", "s") == nil
		_, _ = worker.Sessions(s.Context(), "n")
		sessions, err := s.worker(s.Bucket).Sessions(s.Context(), "n")
		if err != nil || len(sessions) > 1 || (registered || beaten) && len(sessions) != 1 {
			s.Fatalf("sessions: %+v, %v", sessions, err)
		}
		if registered && (!sessions[0].StartedAt.Equal(start) || string(sessions[0].Metadata) != `{"pid":1}`) || beaten && !sessions[0].LastHeartbeat.Equal(s.clock.Now()) {
			s.Errorf("registered %v, beaten %v: %+v", registered, beaten, sessions[0])
		}
	})
}
