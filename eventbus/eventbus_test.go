package eventbus_test

import (
	"testing"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

var now = time.Date(2026, 2, 11, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) format.Time { return format.TimeOf(now.Add(d)) }

// TestBackoff has the table of seed 000 section 15.3: min(250 * 2^attempts, 30000) ms and up to 100 ms.
func TestBackoff(t *testing.T) {
	for attempts, least := range map[int64]time.Duration{
		-1: 250 * time.Millisecond, 0: 250 * time.Millisecond, 1: 500 * time.Millisecond, 2: time.Second, 6: 16 * time.Second,
		7: 30 * time.Second, 9: 30 * time.Second, 1 << 62: 30 * time.Second,
	} {
		for range 100 {
			if got := eventbus.Backoff(attempts); got < least || got > least+100*time.Millisecond {
				t.Fatalf("after %d attempts: %v, want %v and up to 100 ms", attempts, got, least)
			}
		}
	}
}

func TestFree(t *testing.T) {
	past, future, done := at(-time.Second), at(time.Microsecond), at(0)
	for name, c := range map[string]struct {
		claim *format.Claim
		want  bool
	}{
		"no claim":                 {nil, true},
		"both are past":            {&format.Claim{LeaseUntil: past, AvailableAt: past}, true},
		"both are now":             {&format.Claim{LeaseUntil: done, AvailableAt: done}, true},
		"leased":                   {&format.Claim{LeaseUntil: future, AvailableAt: past}, false},
		"not available":            {&format.Claim{LeaseUntil: past, AvailableAt: future}, false},
		"acknowledged":             {&format.Claim{LeaseUntil: past, AvailableAt: past, AckAt: &past}, false},
		"dead":                     {&format.Claim{LeaseUntil: past, AvailableAt: past, DeadLetteredAt: &past}, false},
		"acknowledged in a future": {&format.Claim{LeaseUntil: past, AvailableAt: past, AckAt: &future}, false},
	} {
		if got := eventbus.Free(c.claim, now); got != c.want {
			t.Errorf("%s: free is %v", name, got)
		}
	}
}

// TestTakeAgain: two leases differ in claimed_at, whatever the clock says.
func TestTakeAgain(t *testing.T) {
	r := eventbus.Request{Handler: "h", Session: "s"}
	first := r.Take("e", nil, now)
	for _, clock := range []time.Time{now, now.Add(-time.Hour), now.Add(time.Hour)} {
		second := r.Take("e", first, clock)
		l := eventbus.LeaseOf("n", first)
		if l.Holds(second) || !l.Holds(first) {
			t.Errorf("at %v: the first lease holds the second claim %+v", clock, second)
		}
	}
}

// TestDeadLetterIsDetermined: whoever finishes a dead letter writes the same, and different claims have
// different ones.
func TestDeadLetterIsDetermined(t *testing.T) {
	ids := map[string]bool{}
	for _, of := range [][3]string{{"n", "e", "h"}, {"n", "e", "h2"}, {"n", "e2", "h"}, {"n2", "e", "h"}, {"n", "eh", ""}} {
		dead := at(time.Minute)
		e := &format.Event{ID: of[1], Namespace: of[0], RootEventID: "root", ChainDepth: 20}
		c := &format.Claim{EventID: of[1], HandlerID: of[2], Attempts: 10, DeadLetteredAt: &dead}
		letter, told := eventbus.DeadLetter(e, c)
		again, toldAgain := eventbus.DeadLetter(e, c)
		if letter != again || told.Key() != toldAgain.Key() || ids[told.ID] {
			t.Errorf("%v: %+v and %+v, %s and %s", of, letter, again, told.Key(), toldAgain.Key())
		}
		ids[told.ID] = true
		if told.RootEventID != "root" || told.ChainDepth != 21 || told.CreatedAt != dead || letter.LastError != eventbus.DefaultReason {
			t.Errorf("%v: %+v, %+v", of, letter, told)
		}
	}
}

// TestSender: times grow even if the clock goes back.
func TestSender(t *testing.T) {
	clock := now
	s := eventbus.Sender{Now: func() time.Time { return clock }}
	var last format.Time
	for range 3 {
		events, err := s.Prepare([]eventbus.New{{Namespace: "n", Type: "t", Payload: []byte("{}")}, {Namespace: "n", Type: "t", Payload: []byte("{}")}})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if !e.CreatedAt.After(last.Time) {
				t.Errorf("sent at %v after %v", e.CreatedAt, last)
			}
			last = e.CreatedAt
		}
		clock = clock.Add(-time.Minute)
	}
}
