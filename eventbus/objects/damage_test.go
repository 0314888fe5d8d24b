package objects_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

func (s *store) put(key, body string) {
	s.Helper()
	if _, err := s.Put(s.Context(), key, []byte(body)); err != nil {
		s.Fatal(err)
	}
}

// TestDamaged: an object that cannot be read is named once, and the others are delivered and listed.
func TestDamaged(t *testing.T) {
	s := newStore(t)
	const id = "00000000-0000-4000-8000-000000000001"
	good := s.send("good")[0]
	held := s.send("held")[0]
	event := format.EventKey("n", "2026-02-11T12:00:00.000000+00:00", id)
	claim := format.ClaimKey("n", held.ID, "app.<locals>.h")
	other := format.EventKey("n", "2026-02-11T12:00:00.000000+00:00", "other")
	letter := format.DeadLetterKey("n", id, "h")
	s.put(event, `{"id":`)
	s.put(other, `{"id":"another","namespace":"n","type":"t","payload":{},"created_at":"2026-02-11T12:00:00.000000+00:00"}`)
	s.put("events/n/not an event.json", "{}")
	s.put("events/n/.2026.sgwtmp.1", "")
	s.put(claim, `{"event_id":"x","lease_until":7}`)
	s.put(letter, `[]`)
	s.put(format.SessionKey("n", "broken"), `{}`)

	var named []string
	bus := objects.Open(objects.Options{Bucket: s.Bucket, Now: s.clock.Now, Damaged: func(err error) {
		var corrupt *ontosql.CorruptError
		if !errors.As(err, &corrupt) {
			t.Errorf("reported: %v", err)
			return
		}
		named = append(named, corrupt.Key)
	}})
	for range 3 {
		for _, d := range s.claim(bus, "s") {
			if d.ID != good.ID {
				t.Errorf("delivered: %+v", d)
			}
			if ok, err := bus.Ack(t.Context(), d.Lease); !ok || err != nil {
				t.Errorf("Ack: %v, %v", ok, err)
			}
		}
		s.clock.Advance(time.Hour)
	}
	listed, err := bus.List(t.Context(), eventbus.Query{Namespace: "n"})
	if err != nil || len(listed) != 2 {
		t.Errorf("List: %+v, %v", listed, err)
	}
	if letters, err := bus.DeadLetters(t.Context(), "n", 10); err != nil || len(letters) != 0 {
		t.Errorf("DeadLetters: %+v, %v", letters, err)
	}
	if sessions, err := bus.Sessions(t.Context(), "n"); err != nil || len(sessions) != 0 {
		t.Errorf("Sessions: %+v, %v", sessions, err)
	}
	if ok, err := bus.Ack(t.Context(), eventbus.Lease{Namespace: "n", Event: held.ID, Handler: "app.<locals>.h"}); ok || err != nil {
		t.Errorf("Ack of a damaged claim: %v, %v", ok, err)
	}
	if _, err := bus.Backlog(t.Context(), "n"); err != nil {
		t.Errorf("Backlog: %v", err)
	}
	want := []string{event, other, claim, letter, format.SessionKey("n", "broken")}
	slices.Sort(named)
	if slices.Sort(want); !slices.Equal(named, want) {
		t.Errorf("reported as damaged:\n got %q\nwant %q", named, want)
	}
	// A session that is alive repairs its object.
	if err := bus.Heartbeat(t.Context(), "n", "broken"); err != nil {
		t.Errorf("Heartbeat: %v", err)
	}
	if sessions, err := bus.Sessions(t.Context(), "n"); err != nil || len(sessions) != 1 {
		t.Errorf("Sessions: %+v, %v", sessions, err)
	}
	// So does whoever repairs a claim by hand.
	if err := s.Delete(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(time.Minute)
	if taken := s.claim(bus, "s"); len(taken) != 1 || taken[0].ID != held.ID {
		t.Errorf("after the damaged claim was removed: %+v", taken)
	}
}

// TestDeadLetterOfADamagedEvent: an event that was damaged after it was claimed is buried, with what is
// known of it.
func TestDeadLetterOfADamagedEvent(t *testing.T) {
	s := newStore(t)
	e := s.send("a")[0]
	s.retry()
	d := s.claim(s.worker(s.Bucket), "s")[0]
	s.put(e.Key(), "{")
	var named int
	bus := objects.Open(objects.Options{Bucket: s.Bucket, Now: s.clock.Now, Damaged: func(error) { named++ }})
	if r, err := bus.Release(t.Context(), d.Lease, "no"); err != nil || !r.Dead || named != 1 {
		t.Errorf("Release: %+v, %v; %d reports", r, err, named)
	}
	if letters, events := s.keys(format.DeadLettersPrefix), s.keys(format.EventsPrefix); len(letters) != 1 || len(events) != 2 {
		t.Errorf("dead letters %v, events %v", letters, events)
	}
}

// meddler does something before a swap of a claim.
type meddler struct {
	objstore.Bucket
	before func(key string)
}

func (m *meddler) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	m.before(key)
	return m.Bucket.Swap(ctx, key, want, body)
}

// TestCleanupDuringAClaim: between the listing and the claim of a worker, another one handles the event
// and a cleanup removes it. The worker does not get it.
func TestCleanupDuringAClaim(t *testing.T) {
	s := newStore(t)
	s.send("a")
	other := s.worker(s.Bucket)
	m := &meddler{Bucket: s.Bucket}
	m.before = func(string) {
		m.before = func(string) {}
		if ok, err := other.Ack(t.Context(), s.claim(other, "other")[0].Lease); !ok || err != nil {
			t.Errorf("Ack: %v, %v", ok, err)
		}
		if count, err := other.Cleanup(t.Context(), "n", s.clock.Now().Add(time.Second)); count != 1 || err != nil {
			t.Errorf("Cleanup: %d, %v", count, err)
		}
	}
	if taken := s.claim(s.worker(m), "s"); len(taken) != 0 {
		t.Errorf("delivered after it was handled and removed: %+v", taken)
	}
	if claims := s.keys(format.ClaimsPrefix); len(claims) != 0 {
		t.Errorf("claims are left: %v", claims)
	}
}
