package worker_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/cron"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/eventbus/worker"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
)

// TestEachEventOnce: three workers with four handlers each handle every event once.
func TestEachEventOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		var mu sync.Mutex
		times := map[string]int{}
		var stops []func()
		for range 3 {
			o := s.options(func(_ context.Context, d *eventbus.Delivery) ([]eventbus.New, error) {
				mu.Lock()
				times[d.ID]++
				mu.Unlock()
				time.Sleep(100 * time.Millisecond)
				return nil, nil
			})
			o.Concurrency = 4
			stops = append(stops, s.start(o))
		}
		for range 5 {
			s.send(20)
			time.Sleep(700 * time.Millisecond)
		}
		time.Sleep(5 * time.Second)
		for _, stop := range stops {
			stop()
		}
		s.want("all", map[string]int{"t acked": 100})
		for id, n := range times {
			if n != 1 {
				t.Errorf("%s was handled %d times", id, n)
			}
		}
		sessions, err := s.bus.Sessions(t.Context(), "n")
		if err != nil || len(sessions) != 3 {
			t.Errorf("sessions %+v, %v", sessions, err)
		}
	})
}

// TestSlowHandler: while the worker lives, nobody else gets an event whose handler takes ten times the
// lease, and the session is alive.
func TestSlowHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		var mu sync.Mutex
		handled := 0
		slow := func(context.Context, *eventbus.Delivery) ([]eventbus.New, error) {
			mu.Lock()
			handled++
			mu.Unlock()
			time.Sleep(20 * time.Second)
			return nil, nil
		}
		s.send(1)
		var stops []func()
		for range 2 {
			o := s.options(slow)
			o.Lease, o.Poll = 2*time.Second, 100*time.Millisecond
			stops = append(stops, s.start(o))
		}
		time.Sleep(19 * time.Second)
		sessions, err := s.bus.Sessions(t.Context(), "n")
		if err != nil || len(sessions) != 2 || eventbus.IsDead(&sessions[1], time.Now(), 6*time.Second) {
			t.Errorf("sessions %+v, %v", sessions, err)
		}
		time.Sleep(5 * time.Second)
		for _, stop := range stops {
			stop()
		}
		if s.want("one", map[string]int{"t acked": 1}); handled != 1 {
			t.Errorf("handled %d times", handled)
		}
	})
}

// TestRetriesAndDeadLetter: a handler that fails gets the event again after the backoff, and at the end
// there is a dead letter with its words.
func TestRetriesAndDeadLetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		sent := s.send(1)
		var attempts []int64
		o := s.options(func(_ context.Context, d *eventbus.Delivery) ([]eventbus.New, error) {
			attempts = append(attempts, d.Attempts)
			if d.Attempts == 1 {
				panic("oh\x00 no")
			}
			return nil, fmt.Errorf("attempt %d", d.Attempts)
		})
		o.MaxAttempts = 3
		stop := s.start(o)
		time.Sleep(2500 * time.Millisecond)
		found, err := s.bus.Inspect(t.Context(), "n", sent[0].ID)
		if err != nil || found[0].Claims[0].LastError == nil || *found[0].Claims[0].LastError != "the handler panicked: oh no" {
			t.Errorf("after two attempts: %+v, %v", found, err)
		}
		time.Sleep(10 * time.Second)
		stop()
		if !slices.Equal(attempts, []int64{0, 1, 2}) {
			t.Errorf("attempts %v", attempts)
		}
		letters, err := s.bus.DeadLetters(t.Context(), "n", 10)
		if err != nil || len(letters) != 1 || letters[0].LastError != "attempt 2" || letters[0].Attempts != 3 {
			t.Errorf("dead letters %+v, %v", letters, err)
		}
	})
}

// TestChainEnds: a handler whose event causes the same again is stopped after twenty steps, by a dead
// letter and not in silence.
func TestChainEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		sent := s.send(1)
		handled := 0
		stop := s.start(s.options(func(context.Context, *eventbus.Delivery) ([]eventbus.New, error) {
			handled++
			return []eventbus.New{{Type: "t", Payload: []byte("{}")}}, nil
		}))
		began := time.Now()
		time.Sleep(time.Minute)
		stop()
		s.want("the chain", map[string]int{"t acked": 20, "t dead_lettered": 1, "event.dead_letter pending": 1})
		letters, err := s.bus.DeadLetters(t.Context(), "n", 10)
		if err != nil || len(letters) != 1 || !strings.Contains(letters[0].LastError, eventbus.ErrTooDeep.Error()) || letters[0].FailedAt.Sub(began) > 2*time.Second {
			t.Errorf("dead letters %+v, %v: want one at once", letters, err)
		}
		depths := map[int64]bool{}
		listed, _ := s.bus.List(t.Context(), eventbus.Query{Namespace: "n"})
		for _, e := range listed {
			depths[e.ChainDepth] = true
			if e.RootEventID != sent[0].ID {
				t.Errorf("the root of %+v is not %s", e.Event, sent[0].ID)
			}
		}
		if len(depths) != 22 {
			t.Errorf("depths %v: want 0 to 20, and 21 of the dead letter", depths)
		}
		if handled != 21 {
			t.Errorf("handled %d times", handled)
		}
	})
}

// TestStop: a worker that stops claims no more and lets handlers end; one that does not end in time
// is stopped, and its event is given back without ever being a dead letter for that.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		sent := s.send(3)
		var cause error
		o := s.options(func(ctx context.Context, d *eventbus.Delivery) ([]eventbus.New, error) {
			if d.ID == sent[0].ID {
				time.Sleep(9 * time.Second)
				return nil, nil
			}
			<-ctx.Done()
			cause = context.Cause(ctx)
			return nil, errors.New("signal: terminated")
		})
		o.Concurrency, o.Drain, o.MaxAttempts, o.Lease = 2, 10*time.Second, 1, time.Second
		stop := s.start(o)
		time.Sleep(5 * time.Second)
		began := time.Now()
		stop()
		if took := time.Since(began); took < 10*time.Second || took > 11*time.Second || !errors.Is(cause, worker.ErrStopped) {
			t.Errorf("stopped after %v by %v", took, cause)
		}
		s.want("at the end", map[string]int{"t acked": 1, "t pending": 2})
		found, err := s.bus.Inspect(t.Context(), "n", sent[1].ID)
		if err != nil || *found[0].Claims[0].LastError != worker.ErrStopped.Error()+": signal: terminated" {
			t.Errorf("the event of the stopped handler: %+v, %v", found, err)
		}
	})
}

// TestStoppedBeforeItBegan: a worker that is stopped while it registers its session ends without an error.
func TestStoppedBeforeItBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		o := s.options(func(context.Context, *eventbus.Delivery) ([]eventbus.New, error) { return nil, nil })
		if err := worker.Run(ctx, o); err != nil {
			t.Error(err)
		}
	})
}

// TestLeaseLost: a handler whose lease somebody else has taken is stopped, and says nothing.
func TestLeaseLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		sent := s.send(1)
		var cause error
		o := s.options(func(ctx context.Context, d *eventbus.Delivery) ([]eventbus.New, error) {
			// The original releases by handler and event only.
			if r, err := s.bus.Release(ctx, eventbus.Lease{Namespace: "n", Event: d.ID, Handler: "h"}, "taken away"); err != nil || !r.Held {
				t.Errorf("Release: %+v, %v", r, err)
			}
			<-ctx.Done()
			cause = context.Cause(ctx)
			return nil, ctx.Err()
		})
		stop := s.start(o)
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if !errors.Is(cause, worker.ErrLeaseLost) {
			t.Errorf("the context ended by %v", cause)
		}
		found, err := s.bus.Inspect(t.Context(), "n", sent[0].ID)
		if err != nil || found[0].Claims[0].AckAt != nil {
			t.Errorf("%+v, %v", found, err)
		}
		stop()
	})
}

// TestStoreAway: a store that is away for an hour ends no worker, and loses no event and no slot.
func TestStoreAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		away := &gate{Bucket: s.bucket}
		handled := map[string]int{}
		o := s.options(func(_ context.Context, d *eventbus.Delivery) ([]eventbus.New, error) {
			handled[d.CreatedAt.String()]++
			return nil, nil
		})
		o.Bus = objects.Open(objects.Options{Bucket: away})
		o.Schedules = []worker.Schedule{{At: schedule(t, "*/10 * * * *"), Type: "t", Payload: []byte(`{}`)}}
		stop := s.start(o)
		time.Sleep(15 * time.Minute)
		away.set(true)
		time.Sleep(time.Hour)
		away.set(false)
		time.Sleep(16 * time.Minute)
		stop()
		s.want("all slots", map[string]int{"t acked": 9})
		if len(handled) != 9 {
			t.Errorf("handled %v", handled)
		}
	})
}

// gate is a bucket that may be away.
type gate struct {
	objstore.Bucket
	mu   sync.Mutex
	shut bool
}

func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = shut
}

func (g *gate) err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return objstore.ErrUnreachable
	}
	return nil
}

func (g *gate) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	if err := g.err(); err != nil {
		return nil, objstore.Absent, err
	}
	return g.Bucket.Get(ctx, key)
}

func (g *gate) List(ctx context.Context, prefix string, visit func(objstore.Object) error) error {
	if err := g.err(); err != nil {
		return err
	}
	return g.Bucket.List(ctx, prefix, visit)
}

func (g *gate) Swap(ctx context.Context, key string, v objstore.Version, body []byte) (objstore.Version, error) {
	if err := g.err(); err != nil {
		return objstore.Absent, err
	}
	return g.Bucket.Swap(ctx, key, v, body)
}

func schedule(t *testing.T, text string) *cron.Schedule {
	t.Helper()
	s, err := cron.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchedule: three workers send one event per slot, also if one of them comes later.
func TestSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		begin := time.Now()
		var stops []func()
		for i := range 3 {
			o := s.options(nil)
			o.Handler = nil
			o.Schedules = []worker.Schedule{
				{At: schedule(t, "*/5 * * * *"), Type: "tick", Payload: []byte(`{"n": 5}`)},
				{At: schedule(t, "*/10 * * * *"), Type: "tick", Payload: []byte(`{"n":10}`)},
			}
			stops = append(stops, s.start(o))
			time.Sleep(time.Duration(i) * 7 * time.Minute)
		}
		time.Sleep(time.Until(begin.Add(time.Hour + time.Second)))
		for _, stop := range stops {
			stop()
		}
		listed, err := s.bus.List(t.Context(), eventbus.Query{Namespace: "n"})
		if err != nil || len(listed) != 12+6 {
			t.Fatalf("%d events, %v", len(listed), err)
		}
		for _, e := range listed {
			if !schedule(t, "*/5 * * * *").Matches(e.CreatedAt.Time) || e.CreatedAt.Second() != 0 || e.RootEventID != e.ID || e.Priority != 100 {
				t.Errorf("event %+v", e.Event)
			}
		}
	})
}

// TestFaultAtEachStep breaks each request of a worker, once before it is applied and once after: the
// event is handled at least once and acknowledged, and what follows from it is sent.
func TestFaultAtEachStep(t *testing.T) {
	for _, applied := range []bool{false, true} {
		for at := range 40 {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				s.send(2)
				f := &faulty.Bucket{Bucket: s.bucket, At: at, Applied: applied}
				handled := 0
				o := s.options(func(context.Context, *eventbus.Delivery) ([]eventbus.New, error) {
					handled++
					time.Sleep(8 * time.Second) // one renewal and one heartbeat
					return []eventbus.New{{Type: "t2", Payload: []byte("{}")}}, nil
				})
				o.Lease = 20 * time.Second
				o.Bus = objects.Open(objects.Options{Bucket: f})
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				err := worker.Run(ctx, o)
				if handled == 0 {
					if err == nil || at > 3 {
						t.Errorf("request %d broken (applied %v): nothing was handled: %v", at, applied, err)
					}
					return // the session could not be registered
				}
				if err != nil || handled != 2 {
					t.Errorf("request %d broken (applied %v): handled %d times, %v", at, applied, handled, err)
				}
				s.want(fmt.Sprintf("request %d broken (applied %v)", at, applied), map[string]int{"t acked": 2, "t2 pending": 2})
			})
		}
	}
}

// TestFinalErrors: a worker ends where it can never work.
func TestFinalErrors(t *testing.T) {
	s := newStage(t)
	o := s.options(func(context.Context, *eventbus.Delivery) ([]eventbus.New, error) { return nil, nil })
	o.Name = strings.Repeat("x", 5000)
	var name *eventbus.NameError
	if err := worker.Run(t.Context(), o); !errors.As(err, &name) || name.What != "handler" {
		t.Errorf("a name that is too long: %v", err)
	}
	o = s.options(o.Handler.(handlerFunc))
	o.Session.Namespace = ""
	if err := worker.Run(t.Context(), o); !errors.As(err, &name) || name.What != "namespace" {
		t.Errorf("no namespace: %v", err)
	}
}
