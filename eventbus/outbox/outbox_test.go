package outbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/eventbus/outbox"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/metered"
)

// TestStage: events stand in the metadata up to 64 KiB, above that in an object of the attempt's folder.
func TestStage(t *testing.T) {
	for _, c := range []struct {
		payloads []string
		inline   bool
	}{
		{nil, true},
		{[]string{`{"a":1}`, `{"b":"é"}`}, true},
		{[]string{`{"a":"` + strings.Repeat("x", 65000) + `"}`}, true},
		{[]string{`{"a":"` + strings.Repeat("x", 65536) + `"}`}, false},
	} {
		s := newStore(t)
		events := s.mustCommit(c.payloads...)
		if large := s.keys("commits/"); (len(large) == 1) != c.inline || !c.inline && !strings.HasSuffix(large[0], "/events.json") {
			t.Errorf("%d events: objects %v", len(events), large)
		}
		s.sent("before anybody looks")
		s.look()
		s.sent("afterwards", events)
		s.look()
		s.sent("again", events)
	}
}

// TestFaultsOfACommit: a committer fails or dies at one request, from staging to the mark. The events
// are sent if and only if the commit is there, once, by whoever looks next.
func TestFaultsOfACommit(t *testing.T) {
	large := `{"a":"` + strings.Repeat("x", 70000) + `"}`
	for _, f := range []struct {
		name          string
		applied, dead bool
	}{
		{"the question is lost", false, false},
		{"the answer is lost", true, false},
		{"the committer dies before the request", false, true},
		{"the committer dies after the request", true, true},
	} {
		for _, payloads := range [][]string{{`{"a":1}`, `{"b":2}`}, {large}} {
			t.Run(fmt.Sprint(f.name, " ", len(payloads)), func(t *testing.T) {
				for at := 0; ; at++ {
					s := newStore(t)
					first := s.mustCommit(`{"first":1}`)
					bad := &faulty.Bucket{Bucket: s.Bucket, At: at, Applied: f.applied, Dead: f.dead}
					ours := s.outbox(bad)
					s.now = s.now.Add(time.Minute)
					events := s.prepare(payloads...)
					err := s.commit(bad, events)
					told := err == nil && ours.Look(s.Context()) == nil
					if s.head() == 1 {
						events = nil
					}
					if told {
						s.sent("the committer was told so", first, events)
					}
					s.look()
					s.sent("somebody looks", first, events)
					if bus := objects.Open(objects.Options{Bucket: s.Bucket, Now: func() time.Time { return s.now }}); events != nil {
						if count, err := bus.Cleanup(s.Context(), "n", s.now.Add(time.Hour)); err != nil || count != 1+len(events) {
							t.Errorf("Cleanup: %d, %v", count, err)
						}
						_ = ours.Look(s.Context())
						s.look()
						s.sent("after a cleanup")
					}
					if t.Failed() {
						t.Fatalf("when request %d failed", at)
					}
					if bad.Requests() <= at {
						return
					}
				}
			})
		}
	}
}

// TestOthersCommit: the original commits on top of a commit whose committer died, and never sends what
// stands there. Whoever looks does.
func TestOthersCommit(t *testing.T) {
	s := newStore(t)
	a := s.mustCommit(`{"a":1}`)
	s.mustCommit()
	b := s.mustCommit(`{"b":1}`)
	s.mustCommit()
	s.look()
	s.sent("four commits, two with events", a, b)
}

// TestClaimOfWhatWasLeft: a worker claims the event of a commit whose committer died before it was sent.
func TestClaimOfWhatWasLeft(t *testing.T) {
	s := newStore(t)
	left := s.mustCommit(`{"a":1}`)
	bus := objects.Open(objects.Options{Bucket: s.Bucket, Now: func() time.Time { return s.now }})
	got, err := s.outbox(s.Bucket).Before(bus).Claim(s.Context(), eventbus.Request{Namespace: "n", Handler: "h", Types: []string{"t"}, Session: "w"})
	if err != nil || len(got) != 1 || got[0].ID != left[0].ID {
		t.Fatalf("claimed %v, %v; want %s", got, err, left[0].ID)
	}
	broken := s.outbox(&faulty.Bucket{Bucket: s.Bucket, At: 0}).Before(bus)
	if _, err := broken.Claim(s.Context(), eventbus.Request{Namespace: "n", Handler: "h", Types: []string{"t"}, Session: "w"}); err == nil {
		t.Error("the head cannot be read, and the claim says nothing of it")
	}
}

// TestCost: a look at a head that did not change is one conditional read, and so is one at a commit
// without events, apart from its manifest; now and then the mark follows.
func TestCost(t *testing.T) {
	s := newStore(t)
	s.mustCommit(`{"a":1}`)
	ops := map[string]int{}
	o := s.outbox(metered.New(s.Bucket, metered.Options{OnRequest: func(op, key string) {
		if !strings.HasPrefix(key, "commits/") {
			ops[op]++
		}
	}}))
	for _, step := range []struct {
		story string
		do    func()
		want  string
	}{
		{"an event", func() {}, "map[get:1 get if changed:1 swap:2]"},
		{"nothing new", func() {}, "map[get if changed:1]"},
		{"a commit without events", func() { s.mustCommit() }, "map[get if changed:1]"},
		{"many commits without events", func() {
			for range 300 {
				s.mustCommit()
			}
		}, "map[get:1 get if changed:1 swap:1]"},
	} {
		step.do()
		clear(ops)
		if err := o.Look(t.Context()); err != nil {
			t.Fatalf("%s: %v", step.story, err)
		}
		if got := fmt.Sprint(ops); got != step.want {
			t.Errorf("%s: %s, want %s", step.story, got, step.want)
		}
	}
}

// TestHeadWentBack: the history that the mark is of is gone. What the new one sends is sent, and what was
// sent long ago is not.
func TestHeadWentBack(t *testing.T) {
	s := newStore(t)
	old := s.mustCommit(`{"old":1}`)
	kept := s.keys("meta/")
	if len(kept) != 1 {
		t.Fatalf("objects: %v", kept)
	}
	body, _, err := s.Get(t.Context(), format.HeadKey)
	if err != nil {
		t.Fatal(err)
	}
	s.now = s.now.Add(time.Hour)
	lost := s.mustCommit(`{"lost":1}`)
	s.mustCommit()
	s.mustCommit(`{"lost":2}`)
	s.look()
	for _, key := range s.keys(format.EventsPrefix) { // a cleanup
		if err := s.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = old, lost
	if _, err := s.Put(t.Context(), format.HeadKey, body); err != nil {
		t.Fatal(err)
	}
	s.look()
	s.sent("the head went back")
	fresh := s.mustCommit(`{"new":1}`)
	s.look()
	s.sent("a commit after that, below the mark", fresh)
	more := s.mustCommit(`{"new":2}`)
	s.look()
	s.sent("another one", fresh, more)
}

// TestLateView: a committer that sends for an older head, while another one is ahead, sends nothing again.
func TestLateView(t *testing.T) {
	s := newStore(t)
	s.mustCommit(`{"a":1}`)
	view := s.view(s.Bucket)
	s.mustCommit(`{"b":1}`)
	s.look()
	for _, key := range s.keys(format.EventsPrefix) {
		if err := s.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.outbox(s.Bucket).Send(t.Context(), view, outbox.Own{}); err != nil {
		t.Fatal(err)
	}
	s.look()
	s.sent("a late view")
}

// TestDamagedOutbox: events that cannot be read are named, and those of other commits are sent.
func TestDamagedOutbox(t *testing.T) {
	s := newStore(t)
	s.mustCommit(`{"a":"` + strings.Repeat("x", 70000) + `"}`)
	for _, key := range s.keys("commits/") {
		if strings.HasSuffix(key, "events.json") {
			if err := s.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
	}
	good := s.mustCommit(`{"good":1}`)
	if _, err := s.Put(t.Context(), format.EventsSentKey, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	var named []string
	o := s.outboxTo(s.Bucket, func(err error) {
		var corrupt *ontosql.CorruptError
		if errors.As(err, &corrupt) {
			named = append(named, corrupt.Key[strings.LastIndexByte(corrupt.Key, '/')+1:])
		}
	})
	if err := o.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.sent("the other commit", good)
	if got := fmt.Sprint(named); got != "[events_sent.json events.json]" {
		t.Errorf("reported: %s", got)
	}
	for value, want := range map[string]string{`7`: "ontosql_events", `"../x"`: "metadata.ontosql_events", `[{}]`: "id"} {
		m := &format.Manifest{CommitID: 1, Metadata: map[string]json.RawMessage{format.MetadataEvents: json.RawMessage(value)}}
		_, _, err := format.EventsOf("m", m)
		var corrupt *ontosql.CorruptError
		if !errors.As(err, &corrupt) || corrupt.Field != want || corrupt.Key != "m" {
			t.Errorf("events %s: %v", value, err)
		}
	}
}

// TestManyLook: all processes look at the same time. Each event is there once.
func TestManyLook(t *testing.T) {
	s := newStore(t)
	var all [][]format.Event
	for range 20 {
		all = append(all, s.mustCommit(`{"a":1}`, `{"a":2}`))
	}
	var g errgroup.Group
	for range 16 {
		o := s.outbox(s.Bucket)
		g.Go(func() error { return o.Look(t.Context()) })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	s.sent("sixteen outboxes", all...)
}
