package resolver

import (
	"context"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// refreshCall is one refresh of the state that several callers share. Callers join it only
// before it begins: a running refresh may miss what a later caller must see, such as that
// caller's own commit.
type refreshCall struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	done    chan struct{}
	waiting int // callers; guarded by Store.mu

	state *storeState
	err   error
}

// Pin pins the newest head. It sends no request in two cases: Options.OwnHead knows the
// head and the schema objects were read later than its time; or the last refresh is
// younger than Options.MaxAge, and then the head may be stale by as much. Otherwise Pin
// is PinFresh.
func (s *Store) Pin(ctx context.Context) (*Pin, error) {
	if pin := s.pinOwn(ctx); pin != nil {
		return pin, nil
	}
	if pin := s.pinRecent(); pin != nil {
		return pin, nil
	}
	return s.PinFresh(ctx)
}

// pinRecent returns the pin of the last refresh, or nil if it is too old.
func (s *Store) pinRecent() *Pin {
	s.mu.Lock()
	defer s.mu.Unlock()
	began := s.known.began
	if s.closing.Err() != nil || time.Since(began) >= s.maxAge || !began.After(s.expired) {
		return nil
	}
	return s.known.pin
}

// Expire makes Pin ignore everything read so far, even if it is younger than
// Options.MaxAge. It is called when this process has committed or waits for a commit of
// another process.
func (s *Store) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expired = time.Now()
}

// PinFresh refreshes the state and pins the store's head. Concurrent calls share a
// refresh that begins after all of them were made. If the store has no head object, the
// error is ontosql.ErrNotInitialised. Other errors are *ontosql.CorruptError or the
// bucket's.
func (s *Store) PinFresh(ctx context.Context) (*Pin, error) {
	if pin := s.pinUnchanged(ctx); pin != nil {
		return pin, nil
	}
	f, run, err := s.join(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case run == nil:
	case objstore.IsLocal(s.bucket):
		run()
	default:
		go run()
	}
	select {
	case <-f.done:
	case <-ctx.Done():
		s.leave(f)
		return nil, objstore.ContextError(ctx)
	}
	if f.err != nil {
		return nil, f.err
	}
	return f.state.pin, nil
}

// pinUnchanged returns the pin of the last refresh if a local store still has the same head and
// schema objects. To look takes less than to share a refresh with other goroutines. It returns nil
// if something has changed, after an error, and where pins without requests depend on the time of
// the last refresh.
func (s *Store) pinUnchanged(ctx context.Context) *Pin {
	if !objstore.IsLocal(s.bucket) || s.maxAge > 0 || s.closing.Err() != nil || ctx.Err() != nil {
		return nil
	}
	known := s.latestState()
	if _, _, own := s.ownHead(); own || known.listing == nil {
		return nil
	}
	if _, _, changed, err := objstore.ReadIfChanged(ctx, s.bucket, format.HeadKey, known.headVersion); err != nil || changed {
		return nil
	}
	if _, same, err := listSchema(ctx, s.bucket, known.listing); err != nil || !same {
		return nil
	}
	return known.pin // with a listing there is a pin
}

// join returns the refresh that has not begun yet, and creates one if there is none. If
// run is not nil, the caller must call it.
func (s *Store) join(ctx context.Context) (f *refreshCall, run func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing.Err() != nil {
		return nil, nil, errClosed
	}
	f = s.next
	if f == nil {
		f = &refreshCall{done: make(chan struct{})}
		// The refresh outlives its first caller but keeps the values of its context, so
		// that the requests are counted for that statement.
		f.ctx, f.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
		s.next = f
		if !s.refreshing {
			run = s.startRefresh()
		}
	}
	f.waiting++
	return f, run, nil
}

// leave stops waiting for a refresh. The last waiter to leave cancels it.
func (s *Store) leave(f *refreshCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel(context.Canceled)
		if s.next == f {
			s.next = nil
		}
	}
}

// startRefresh makes the next refresh the current one and returns the function that runs
// it. The caller holds s.mu.
func (s *Store) startRefresh() (run func()) {
	f := s.next
	s.next, s.refreshing = nil, true
	stop := context.AfterFunc(s.closing, func() { f.cancel(errClosed) })
	s.refreshes.Add(1)
	return func() {
		defer s.refreshes.Done()
		defer stop()
		defer f.cancel(nil)
		s.runRefresh(f)
	}
}

func (s *Store) runRefresh(f *refreshCall) {
	s.mu.Lock()
	known := s.known
	s.mu.Unlock()
	f.state, f.err = s.refresh(f.ctx, known)
	s.mu.Lock()
	// pinOwn may have stored a newer state while this refresh ran.
	if f.err == nil && (s.known == known || s.known.head.CommitID <= f.state.head.CommitID) {
		s.known = f.state
	}
	s.refreshing = false
	if s.next != nil {
		go s.startRefresh()()
	}
	s.mu.Unlock()
	close(f.done)
}
