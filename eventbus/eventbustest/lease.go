package eventbustest

import (
	"fmt"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

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
	// Others of a pool know the session alone.
	pooled := d.Lease
	pooled.ClaimedAt = format.Time{}
	for range 2 {
		if again := w.release(w.bus, pooled, "again"); again.Held || w.ack(w.bus, pooled) {
			w.Errorf("a lease that was given back, by its session: Release: %+v, or Ack: true", again)
		}
		if held, err := w.bus.Extend(w.Context(), pooled, time.Minute); held || err != nil {
			w.Errorf("a lease that was given back, by its session: Extend: %v, %v", held, err)
		}
	}
	w.clock.Advance(time.Minute)
	r.Session = d.Lease.Session
	w.one(w.bus, r)
	if again := w.release(w.bus, pooled, "again"); !again.Held || again.Attempts != 2 {
		w.Errorf("the session's next lease: Release: %+v", again)
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
