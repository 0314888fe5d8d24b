package worker_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/eventbus/worker"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
)

// handlerFunc is a handler.
type handlerFunc func(ctx context.Context, d *eventbus.Delivery) ([]eventbus.New, error)

func (f handlerFunc) Handle(ctx context.Context, d *eventbus.Delivery) ([]eventbus.New, error) {
	return f(ctx, d)
}

// stage is a bucket with events, in the time of a bubble.
type stage struct {
	*testing.T
	bucket objstore.Bucket
	bus    *objects.Bus
	count  int
}

func newStage(t *testing.T) *stage {
	b := mem.New("events")
	return &stage{T: t, bucket: b, bus: objects.Open(objects.Options{Bucket: b})}
}

// options are those of another worker, which opens the store itself.
func (s *stage) options(f handlerFunc) worker.Options {
	s.count++
	return worker.Options{
		Bus:     objects.Open(objects.Options{Bucket: s.bucket}),
		Session: eventbus.NewSession{Namespace: "n", ID: fmt.Sprint("session", s.count)},
		Name:    "h", Types: []string{"t"}, Handler: f,
	}
}

// start runs a worker until the returned function is called.
func (s *stage) start(o worker.Options) (stop func()) {
	ctx, cancel := context.WithCancel(s.Context())
	ended := make(chan error, 1)
	go func() { ended <- worker.Run(ctx, o) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			s.Errorf("Run: %v", err)
		}
	}
}

func (s *stage) send(n int) []format.Event {
	s.Helper()
	events, err := s.bus.Enqueue(s.Context(), slices.Repeat([]eventbus.New{{Namespace: "n", Type: "t", Payload: []byte("{}")}}, n))
	if err != nil {
		s.Fatal(err)
	}
	return events
}

// statuses are those of all events, by status.
func (s *stage) statuses() map[string]int {
	s.Helper()
	listed, err := s.bus.List(s.Context(), eventbus.Query{Namespace: "n"})
	if err != nil {
		s.Fatal(err)
	}
	found := map[string]int{}
	for _, l := range listed {
		found[l.Type+" "+l.Status.String()]++
	}
	return found
}

func (s *stage) want(story string, want map[string]int) {
	s.Helper()
	if got := s.statuses(); fmt.Sprint(got) != fmt.Sprint(want) {
		s.Errorf("%s: events are %v, want %v", story, got, want)
	}
}
