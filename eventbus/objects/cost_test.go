package objects_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/metered"
)

// logOf puts events of the last hour into the bucket that the handler has acknowledged.
func (s *store) logOf(events int) {
	s.Helper()
	at := s.clock.Now().Add(-time.Hour)
	for i := range events {
		id := fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
		created := format.TimeOf(at.Add(time.Duration(i) * 10 * time.Millisecond))
		body, err := format.EncodeEvent(&format.Event{ID: id, Namespace: "n", Type: "t", Payload: []byte(`{"name":"old"}`), CreatedAt: created, Priority: 100, RootEventID: id})
		if err != nil {
			s.Fatal(err)
		}
		claim := format.EncodeClaim(&format.Claim{EventID: id, HandlerID: "app.<locals>.h", SessionID: "s", ClaimedAt: created, LeaseUntil: created, AvailableAt: created, AckAt: &created})
		for key, body := range map[string][]byte{format.EventKey("n", created.String(), id): body, format.ClaimKey("n", id, "app.<locals>.h"): claim} {
			if _, err := s.Put(s.Context(), key, body); err != nil {
				s.Fatal(err)
			}
		}
	}
}

// requests counts the requests of an operation, a listing of many pages as one.
type requests struct {
	mu    sync.Mutex
	count map[string]int
}

func (r *requests) take() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	count := r.count
	r.count = map[string]int{}
	return count
}

// counted is a worker whose requests are counted.
func (s *store) counted(b objstore.Bucket) (*objects.Bus, *requests) {
	r := &requests{count: map[string]int{}}
	return s.worker(r.on(b)), r
}

// on is a bucket whose requests are counted.
func (r *requests) on(b objstore.Bucket) objstore.Bucket {
	return metered.New(b, metered.Options{OnRequest: func(op, _ string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.count[op]++
	}})
}

// TestPollOfALongLog: a poll of a long log of acknowledged events and 10 new ones lists the new keys and reads
// the new events; a worker that starts reads the claims once, and no body of what is done.
func TestPollOfALongLog(t *testing.T) {
	s := newStore(t)
	const long = 30000
	s.logOf(long)
	bus, r := s.counted(s.Bucket)
	if taken := s.claim(bus, "s"); len(taken) != 0 {
		t.Fatalf("delivered: %d events", len(taken))
	}
	if got := r.take(); got[objstore.OpList] != 2 || got[objstore.OpGet] != long || len(got) != 2 {
		t.Errorf("the first poll: %v, want 2 lists and a get for each claim", got)
	}
	if taken := s.claim(bus, "s"); len(taken) != 0 {
		t.Fatalf("delivered: %d events", len(taken))
	}
	if got := r.take(); got[objstore.OpList] != 1 || len(got) != 1 {
		t.Errorf("a poll without new events: %v, want 1 list", got)
	}
	s.send("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")
	taken := s.claim(bus, "s")
	if len(taken) != 10 {
		t.Fatalf("delivered: %d events", len(taken))
	}
	// Each new event is read, claimed, and found to be there still.
	if got := r.take(); got[objstore.OpList] != 1 || got[objstore.OpGet] != 20 || got[objstore.OpSwap] != 10 || len(got) != 3 {
		t.Errorf("a poll with 10 new events: %v", got)
	}
	for _, d := range taken {
		if ok, err := bus.Ack(t.Context(), d.Lease); !ok || err != nil {
			t.Fatalf("Ack: %v, %v", ok, err)
		}
	}
	if got := r.take(); got[objstore.OpSwap] != 10 || len(got) != 1 {
		t.Errorf("10 acknowledgements: %v", got)
	}
	s.clock.Advance(time.Minute)
	s.claim(bus, "s")
	if got := r.take(); got[objstore.OpList] != 1 || len(got) != 1 {
		t.Errorf("a poll after the acknowledgements: %v, want 1 list", got)
	}
}

// TestForgetsWhatWasRemoved: events that a cleanup has removed are not claimed.
func TestForgetsWhatWasRemoved(t *testing.T) {
	s := newStore(t)
	s.send("a", "b", "c")
	bus, r := s.counted(s.Bucket)
	one := request("s")
	one.Limit = 1
	if taken, err := bus.Claim(t.Context(), one); err != nil || len(taken) != 1 {
		t.Fatalf("Claim: %+v, %v", taken, err)
	}
	s.clock.Advance(time.Minute)
	if count, err := s.worker(s.Bucket).Cleanup(t.Context(), "n", s.clock.Now()); err != nil || count != 3 {
		t.Fatalf("Cleanup: %d, %v", count, err)
	}
	r.take()
	if taken := s.claim(bus, "s"); len(taken) != 0 {
		t.Errorf("delivered: %+v", taken)
	}
	if got := r.take(); got[objstore.OpList] != 1 || len(got) != 1 {
		t.Errorf("a poll after the cleanup: %v, want 1 list", got)
	}
}

// TestLooksAtForeignLeases: what other workers have is looked at after a second, then after twice as
// long each time, and when the lease ends.
func TestLooksAtForeignLeases(t *testing.T) {
	s := newStore(t)
	s.send("a", "b", "c")
	s.claim(s.worker(s.Bucket), "other")
	bus, r := s.counted(s.Bucket)
	var looked []time.Duration
	for began := s.clock.Now(); s.clock.Now().Before(began.Add(eventbus.DefaultLease)); s.clock.Advance(500 * time.Millisecond) {
		if taken := s.claim(bus, "s"); len(taken) != 0 {
			t.Fatalf("delivered: %d events", len(taken))
		}
		reads := r.take()[objstore.OpGet]
		if s.clock.Now().Equal(began) {
			reads -= 3 // of the events
		}
		switch reads {
		case 0:
		case 3:
			looked = append(looked, s.clock.Now().Sub(began))
		default:
			t.Errorf("%d claims are read, want 3", reads)
		}
	}
	if want := []time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second, 15 * time.Second}; !slices.Equal(looked, want) {
		t.Errorf("claims are looked at after %v, want %v", looked, want)
	}
	if taken := s.claim(bus, "s"); len(taken) != 3 {
		t.Errorf("after the end of the leases %d events are delivered, want 3", len(taken))
	}
}

// TestBeginsOnALongLog: a worker that finds many events does not read them all before it has something
// to do, and yet reads each only once.
func TestBeginsOnALongLog(t *testing.T) {
	s := newStore(t)
	const long = 1000
	for range long / 100 {
		s.send(make([]string, 100)...)
	}
	bus, r := s.counted(s.Bucket)
	reads, taken := 0, 0
	for taken < long {
		got := s.claim(bus, "s")
		if len(got) == 0 {
			t.Fatalf("no event after %d", taken)
		}
		count := r.take()
		if taken == 0 && count[objstore.OpGet] > 2*len(got)+32 {
			t.Errorf("the first claim of %d events reads %v", len(got), count)
		}
		reads += count[objstore.OpGet]
		taken += len(got)
	}
	if reads > 2*long { // once, and once more after the claim
		t.Errorf("%d reads of %d events", reads, long)
	}
}

// TestManyWorkersOnOneLog: workers that begin at the same time share the events without reading and
// trying all that the others have.
func TestManyWorkersOnOneLog(t *testing.T) {
	const long, runs = 1000, 3
	// How the workers meet is by chance, and worse on a busy machine, so the best of some runs counts. Of the reads two
	// are of the event that is delivered. If each worker read all events, it were 16 more.
	for range runs {
		count := handledByMany(t, long)
		t.Logf("%d events: %v", long, count)
		if count[objstore.OpGet] <= 8*long && count[objstore.OpSwap] <= 5*long {
			return
		}
	}
	t.Errorf("%d events are handled by too many requests in each of %d runs", long, runs)
}

// handledByMany has events handled by 16 workers, and returns their requests by operation.
func handledByMany(t *testing.T, long int64) map[string]int {
	t.Helper()
	s := newStore(t)
	for range long / 100 {
		s.send(make([]string, 100)...)
	}
	r := &requests{count: map[string]int{}}
	counted := r.on(s.Bucket)
	var acked atomic.Int64
	var all sync.WaitGroup
	for i := range 16 {
		bus := s.worker(counted)
		all.Go(func() {
			for acked.Load() < long {
				taken, err := bus.Claim(t.Context(), request(fmt.Sprint("s", i)))
				if err != nil {
					t.Errorf("Claim: %v", err)
					return
				}
				for _, d := range taken {
					if ok, err := bus.Ack(t.Context(), d.Lease); !ok || err != nil {
						t.Errorf("Ack: %v, %v", ok, err)
						return
					}
					acked.Add(1)
				}
			}
		})
	}
	all.Wait()
	return r.take()
}

// dated is a bucket whose objects have the times of a test's clock.
type dated struct {
	*store
	mu    sync.Mutex
	times map[string]time.Time
}

func (d *dated) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	v, err := d.Bucket.Swap(ctx, key, want, body)
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.times[key] = d.clock.Now()
	}
	return v, err
}

func (d *dated) List(ctx context.Context, prefix string, fn func(objstore.Object) error) error {
	return d.ListAfter(ctx, prefix, "", fn)
}

func (d *dated) ListAfter(ctx context.Context, prefix, after string, fn func(objstore.Object) error) error {
	return d.Bucket.ListAfter(ctx, prefix, after, func(o objstore.Object) error {
		d.mu.Lock()
		o.Modified = d.times[o.Key]
		d.mu.Unlock()
		return fn(o)
	})
}

// TestMemoryOfAWorker: a worker that runs for hours keeps the events of the last quarter of an hour,
// and lists no more than them; what arrives late is found all the same.
func TestMemoryOfAWorker(t *testing.T) {
	s := newStore(t)
	b := &dated{store: s, times: map[string]time.Time{}}
	bus := s.worker(b)
	late := objects.Open(objects.Options{Bucket: b, Now: func() time.Time { return s.clock.Now().Add(-3 * time.Hour) }})
	const perMinute, minutes = 10, 6 * 60
	delivered := map[string]bool{}
	sent := 0
	for minute := range minutes {
		names := named()
		for i := range perMinute {
			names = append(names, named(fmt.Sprint(minute, "-", i))...)
		}
		sender := eventbus.Bus(bus)
		if minute%50 == 49 {
			sender = late
		}
		if _, err := sender.Enqueue(t.Context(), names); err != nil {
			t.Fatal(err)
		}
		sent += perMinute
		for _, d := range s.claim(bus, "s") {
			if delivered[d.ID] {
				t.Fatalf("%s is delivered twice", d.ID)
			}
			delivered[d.ID] = true
			if ok, err := bus.Ack(t.Context(), d.Lease); !ok || err != nil {
				t.Fatalf("Ack: %v, %v", ok, err)
			}
		}
		s.clock.Advance(time.Minute)
		if open, known := bus.Remembered(); open > 2*perMinute || known > 25*perMinute {
			t.Fatalf("after %d minutes the worker remembers %d open and %d known events", minute, open, known)
		}
	}
	s.clock.Advance(5 * time.Minute)
	for _, d := range s.claim(bus, "s") {
		delivered[d.ID] = true
	}
	if len(delivered) != sent {
		t.Errorf("%d of %d events were delivered", len(delivered), sent)
	}
}

// TestBacklog: a worker that finds more events than it keeps works them off in the order of their
// times, and loses none.
func TestBacklog(t *testing.T) {
	s := newStore(t)
	bus := s.worker(s.Bucket)
	bus.BoundOpen(10)
	var sent []format.Event
	for i := range 55 {
		sent = append(sent, s.send(fmt.Sprint(i))...)
		s.clock.Advance(time.Millisecond)
	}
	var got []string
	for range 100 {
		r := request("s")
		r.Limit = 4
		taken, err := bus.Claim(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range taken {
			got = append(got, d.ID)
			if ok, err := bus.Ack(t.Context(), d.Lease); !ok || err != nil {
				t.Fatalf("Ack: %v, %v", ok, err)
			}
		}
		if open, _ := bus.Remembered(); open > 10 {
			t.Fatalf("%d open events are kept, want 10", open)
		}
	}
	if len(got) != len(sent) {
		t.Fatalf("%d of %d were delivered", len(got), len(sent))
	}
	for i := range sent {
		if got[i] != sent[i].ID {
			t.Fatalf("delivery %d is %s, want %s", i, got[i], sent[i].ID)
		}
	}
}

// TestOwnEvents: what a process has sent itself its workers and followers need not read; a follower
// need not even list it, and tells of it once.
func TestOwnEvents(t *testing.T) {
	s := newStore(t)
	bus, r := s.counted(s.Bucket)
	s.claim(bus, "s")
	f, err := bus.Follow(t.Context(), "n")
	if err != nil {
		t.Fatalf("Follow: %v", err)
	}
	for _, send := range []func(all []format.Event) error{
		func(all []format.Event) error { return bus.Put(t.Context(), all) },
		func(all []format.Event) error { // with a commit
			err := s.worker(s.Bucket).Put(t.Context(), all)
			bus.Sent(all)
			return err
		},
	} {
		sender := eventbus.Sender{Now: s.clock.Now}
		all, err := sender.Prepare(named("a", "b"))
		if err != nil {
			t.Fatal(err)
		}
		if err := send(all); err != nil {
			t.Fatal(err)
		}
		r.take()
		told, err := f.New(t.Context())
		if err != nil || len(told) != 2 || told[0].ID != all[0].ID || string(told[1].Payload) != string(all[1].Payload) {
			t.Errorf("the follower tells %+v, %v", told, err)
		}
		if got := r.take(); len(got) != 0 {
			t.Errorf("the follower asks %v, want nothing", got)
		}
		if told, err := f.New(t.Context()); err != nil || len(told) != 0 {
			t.Errorf("the follower tells %+v again, %v", told, err)
		}
		r.take()
		if taken := s.claim(bus, "s"); len(taken) != 2 || taken[0].ID != all[0].ID || string(taken[0].Payload) != string(all[0].Payload) {
			t.Errorf("delivered: %+v", taken)
		}
		if got := r.take(); got[objstore.OpList] != 1 || got[objstore.OpSwap] != 2 || got[objstore.OpGet] != 2 || len(got) != 3 {
			t.Errorf("the claim asks %v, want a list, and for each event its claim and that it is there still", got)
		}
		s.clock.Advance(time.Second)
	}
}
