package compaction

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// Service compacts the ontology of a gateway, one compaction at a time: when a client asks for
// it, and by itself if it was told to (automatic.go).
type Service struct {
	store Store
	log   *slog.Logger
	turn  chan struct{} // holds a token while a compaction goes on

	stop    context.CancelFunc // of the automatic compaction, which was started
	stopped chan struct{}

	mu  sync.Mutex
	now *Work
}

// Work is an automatic compaction that goes on.
type Work struct {
	Progress
	Began time.Time
}

// NewService makes a Service. The caller closes it before the store.
func NewService(s Store) *Service {
	log := s.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Service{store: s, log: log, turn: make(chan struct{}, 1)}
}

// Close stops the automatic compaction, if it was started, and waits for its end. What it leaves
// is at most a snapshot that no index names.
func (s *Service) Close() {
	if s.stop != nil {
		s.stop()
		<-s.stopped
	}
}

// Compact is the function Compact on the service's store. It waits for the compaction that goes
// on.
func (s *Service) Compact(ctx context.Context, o Options) (*Compaction, error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, objstore.ContextError(ctx)
	}
	defer func() { <-s.turn }()
	return Compact(ctx, s.store, o)
}

// Automatic is the automatic compaction that goes on, nil for none.
func (s *Service) Automatic() *Work {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		return nil
	}
	now := *s.now
	return &now
}

func (s *Service) setAutomatic(w *Work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = w
}
