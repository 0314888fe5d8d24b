package objects_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore/mem"
)

func (s *store) original(session string) *original.Worker {
	return &original.Worker{Bucket: s.Bucket, Namespace: "n", Session: session, Now: s.clock.Now}
}

// TestFixtures answers from a bucket of the original's what the original answers.
func TestFixtures(t *testing.T) {
	b := mem.New("fixtures")
	fixtures.Load(t, b, "s3-v1/stage3-final")
	bus := objects.Open(objects.Options{Bucket: b, Now: func() time.Time { return start.Add(365 * 24 * time.Hour) }, Damaged: func(err error) { t.Error(err) }})
	var got []string
	listed, err := bus.List(t.Context(), eventbus.Query{Namespace: "fixtures"})
	for _, l := range listed {
		got = append(got, fmt.Sprintf("%s %s %s %s", l.Type, l.Status, l.Handler, l.Payload))
	}
	want := []string{
		`order.placed acked make_fixtures.accept_order {"amount":9.5,"order_no":"n1"}`,
		`order.rejected dead_lettered make_fixtures.reject_order {"order_no":"n2"}`,
		`event.dead_letter pending  {"attempts":1,"event_id":"b2215948-7e4e-4771-b3c6-4c1b6f2d5cb3","handler_id":"make_fixtures.reject_order","last_error":"rejected n2"}`,
	}
	if !slices.Equal(got, want) || err != nil {
		t.Errorf("List: %v\n got %s\nwant %s", err, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	names, err := bus.Namespaces(t.Context())
	if err != nil || len(names) != 1 || names[0].Events != 3 || names[0].Sessions != 1 || names[0].DeadLetters != 1 || names[0].Claims != 2 || names[0].Unclaimed != 1 {
		t.Errorf("Namespaces: %+v, %v", names, err)
	}
	// Its handler has one event left to it.
	for handler, types := range map[string][]string{"make_fixtures.accept_order": {"order.placed"}, "make_fixtures.reject_order": {"order.rejected"}} {
		taken, err := bus.Claim(t.Context(), eventbus.Request{Namespace: "fixtures", Handler: handler, Types: types, Session: "s"})
		if err != nil || len(taken) != 0 {
			t.Errorf("Claim for %s: %+v, %v", handler, taken, err)
		}
	}
}

// TestWithTheOriginal: workers of both kinds work on one bucket. Each event is acknowledged once, and
// none has two live leases.
func TestWithTheOriginal(t *testing.T) {
	s := newStore(t)
	const each, handler = 30, "app.<locals>.h"
	var mu sync.Mutex
	held, done := map[string]string{}, map[string]int{}
	handle := func(id, session string) {
		mu.Lock()
		defer mu.Unlock()
		if held[id] != "" || done[id] > 0 {
			t.Errorf("%s is leased to %s and %s, done %d times", id, session, held[id], done[id])
		}
		held[id] = session
	}
	finish := func(id string) {
		mu.Lock()
		defer mu.Unlock()
		delete(held, id)
		done[id]++
	}
	all := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(done) == 4*each || t.Failed()
	}
	var g errgroup.Group
	for i := range 4 {
		session := fmt.Sprint("original", i)
		w := s.original(session)
		g.Go(func() error {
			for range each / 2 {
				if _, err := w.Enqueue(t.Context(), "t", "{}"); err != nil {
					return err
				}
			}
			for !all() {
				taken, err := w.Claim(t.Context(), handler, "t", 2)
				if err != nil {
					return err
				}
				for _, e := range taken {
					handle(e.ID, session)
					finish(e.ID)
					if err := w.Ack(t.Context(), handler, e.ID); err != nil {
						return err
					}
				}
			}
			return nil
		})
		bus := s.worker(s.Bucket)
		g.Go(func() error {
			for range each / 2 {
				if _, err := bus.Enqueue(t.Context(), named("x")); err != nil {
					return err
				}
			}
			r := request(fmt.Sprint("ours", i))
			r.Limit = 2
			for !all() {
				taken, err := bus.Claim(t.Context(), r)
				if err != nil {
					return err
				}
				for _, d := range taken {
					handle(d.ID, r.Session)
					finish(d.ID)
					if ok, err := bus.Ack(t.Context(), d.Lease); err != nil || !ok {
						return fmt.Errorf("ack %s: %v, %w", d.ID, ok, err)
					}
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for id, times := range done {
		if times != 1 {
			t.Errorf("%s was handled %d times", id, times)
		}
	}
}

// retry makes an event fail until its next failure is the last one.
func (s *store) retry() {
	s.Helper()
	bus := s.worker(s.Bucket)
	for range eventbus.MaxAttempts - 1 {
		if r, err := bus.Release(s.Context(), s.claim(bus, "first")[0].Lease, "no"); err != nil || r.Dead {
			s.Fatalf("Release: %+v, %v", r, err)
		}
		s.clock.Advance(time.Minute)
	}
}

// TestDeadLetterOfTheOriginal: the original has buried an event, or it has written the dead letter and
// lost the race for the claim. We bury nothing a second time.
func TestDeadLetterOfTheOriginal(t *testing.T) {
	t.Run("it was first", func(t *testing.T) {
		s := newStore(t)
		e := s.send("a")[0]
		s.retry()
		ours, theirs := s.worker(s.Bucket), s.original("original")
		s.claim(ours, "looks at it")
		s.clock.Advance(time.Minute)
		if taken, err := theirs.Claim(t.Context(), "app.<locals>.h", "t", 1); err != nil || len(taken) != 1 {
			t.Fatalf("original's Claim: %v, %v", taken, err)
		}
		if err := theirs.Release(t.Context(), "app.<locals>.h", e.ID, "no"); err != nil {
			t.Fatal(err)
		}
		s.clock.Advance(time.Minute)
		if taken := s.claim(ours, "s"); len(taken) != 0 {
			t.Errorf("delivered: %+v", taken)
		}
		if letters, events := s.keys(format.DeadLettersPrefix), s.events(); len(letters) != 1 || len(events) != 2 {
			t.Errorf("dead letters %v, events %+v", letters, events)
		}
	})
	t.Run("it lost", func(t *testing.T) {
		s := newStore(t)
		e := s.send("a")[0]
		s.retry()
		ours, theirs := s.worker(s.Bucket), s.original("original")
		d := s.claim(ours, "s")[0]
		theirs.BeforeSwap = func() {
			if r, err := ours.Release(t.Context(), d.Lease, "ours"); err != nil || !r.Dead {
				t.Errorf("Release: %+v, %v", r, err)
			}
		}
		if err := theirs.Release(t.Context(), "app.<locals>.h", e.ID, "theirs"); err != nil {
			t.Fatal(err)
		}
		// The letter of the original stands, and the event that it sent; ours takes that for its own.
		if letters, events := s.keys(format.DeadLettersPrefix), s.events(); len(letters) != 1 || len(events) != 2 {
			t.Errorf("dead letters %v, events %+v", letters, events)
		}
	})
}

// TestOriginalDiesOfAnEvent: the original claims an event whose type it does not know and dies. The
// event is delivered when that lease has ended.
func TestOriginalDiesOfAnEvent(t *testing.T) {
	s := newStore(t)
	e := s.send("a")[0]
	theirs := s.original("original")
	theirs.Unknown = "t"
	if _, err := theirs.Claim(t.Context(), "app.<locals>.h", "t", 10); !errors.Is(err, original.ErrUnknownType) {
		t.Fatalf("original's Claim: %v", err)
	}
	ours := s.worker(s.Bucket)
	if taken := s.claim(ours, "s"); len(taken) != 0 {
		t.Errorf("delivered during the original's lease: %+v", taken)
	}
	s.clock.Advance(30 * time.Second)
	if taken := s.claim(ours, "s"); len(taken) != 1 || taken[0].ID != e.ID {
		t.Errorf("delivered after it: %+v", taken)
	}
}

// TestOriginalWritesAgain: the original writes an event unconditionally. Whatever it writes a second
// time is not handled a second time.
func TestOriginalWritesAgain(t *testing.T) {
	s := newStore(t)
	e, err := s.original("original").Enqueue(t.Context(), "t", "{}")
	if err != nil {
		t.Fatal(err)
	}
	ours := s.worker(s.Bucket)
	taken := s.claim(ours, "s")
	if ok, err := ours.Ack(t.Context(), taken[0].Lease); err != nil || !ok {
		t.Fatalf("Ack: %v, %v", ok, err)
	}
	body, err := format.EncodeEvent(e)
	if err == nil {
		_, err = s.Put(t.Context(), e.Key(), body)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(10 * time.Minute)
	for _, bus := range []*objects.Bus{ours, s.worker(s.Bucket)} {
		if taken := s.claim(bus, "s"); len(taken) != 0 {
			t.Errorf("delivered again: %+v", taken)
		}
	}
}

// TestBytes: our objects have the members that the original's have, in its form.
func TestBytes(t *testing.T) {
	s := newStore(t)
	e := s.send("a")[0]
	bus := s.worker(s.Bucket)
	s.retry()
	d := s.claim(bus, "s")[0]
	if _, err := bus.Release(t.Context(), d.Lease, "é"); err != nil {
		t.Fatal(err)
	}
	if err := bus.Register(t.Context(), eventbus.NewSession{Namespace: "n", ID: "s", Metadata: []byte(`{"pid": 1}`)}); err != nil {
		t.Fatal(err)
	}
	objects := map[string]string{}
	for _, prefix := range format.EventPrefixes {
		for _, key := range s.keys(prefix) {
			body, _, err := s.Get(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			objects[key] = string(body)
		}
	}
	claim := "claims/n/" + e.ID + "/app.<locals>.h.json"
	available, _, _ := strings.Cut(strings.SplitAfter(objects[claim], `"available_at":"`)[1], `"`)
	want := map[string]string{
		"events/n/2026-02-11T12-00-00.000000+00-00_" + e.ID + ".json": `{"chain_depth":0,"created_at":"2026-02-11T12:00:00.000000+00:00","id":"` + e.ID + `","namespace":"n","payload":{"name":"a"},"priority":100,"root_event_id":"` + e.ID + `","type":"t"}`,
		claim: `{"ack_at":null,"attempts":10,"available_at":"` + available + `","claimed_at":"2026-02-11T12:09:00.000000+00:00","dead_lettered_at":"2026-02-11T12:09:00.000000+00:00","event_id":"` + e.ID + `","handler_id":"app.<locals>.h","last_error":"\u00e9","lease_until":"2026-02-11T12:09:00.000000+00:00","session_id":"s"}`,
		"dead_letters/n/" + e.ID + "/app.<locals>.h.json": `{"attempts":10,"event_id":"` + e.ID + `","failed_at":"2026-02-11T12:09:00.000000+00:00","handler_id":"app.<locals>.h","last_error":"\u00e9","namespace":"n"}`,
		"sessions/n/s.json": `{"last_heartbeat":"2026-02-11T12:09:00.000000+00:00","metadata":{"pid":1},"namespace":"n","session_id":"s","started_at":"2026-02-11T12:09:00.000000+00:00"}`,
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if objects[key] != want[key] {
			t.Errorf("%s:\n got %s\nwant %s", key, objects[key], want[key])
		}
		delete(objects, key)
	}
	if len(objects) != 1 { // the event of the dead letter
		t.Errorf("other objects: %v", objects)
	}
}
