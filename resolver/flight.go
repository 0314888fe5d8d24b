package resolver

import (
	"context"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// flight is a look at the store that several callers wait for. Who joins it
// came before it began: an answer that was already on its way when a caller
// came may lack what that caller has a right to see, its own commit for one.
type flight struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	done    chan struct{}
	waiting int // callers; guarded by Store.mu

	look *look
	err  error
}

// Pin is the newest head, pinned. While Options.Own has it, and the schema
// objects were looked at since that began, the store is asked for nothing; nor
// is it where the last look is within Options.MaxAge, whose head then may not be
// the newest any more. Else it is PinFresh.
func (s *Store) Pin(ctx context.Context) (*Pin, error) {
	if pin := s.pinOwn(ctx); pin != nil {
		return pin, nil
	}
	if pin := s.pinRecent(); pin != nil {
		return pin, nil
	}
	return s.PinFresh(ctx)
}

// pinRecent is the pin of the last look, nil where it is too old.
func (s *Store) pinRecent() *Pin {
	s.mu.Lock()
	defer s.mu.Unlock()
	began := s.known.began
	if s.closing.Err() != nil || time.Since(began) >= s.maxAge || !began.After(s.expired) {
		return nil
	}
	return s.known.pin
}

// Expire makes everything that was read of the store so far too old for Pin,
// whatever Options.MaxAge allows: this process has committed, or knows of a
// commit that it wants to see.
func (s *Store) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expired = time.Now()
}

// PinFresh looks at the store and pins its head. Concurrent calls share one
// look, one that began after each of them was made. A store without a head
// object is ontosql.ErrNotInitialised; other errors are *ontosql.CorruptError or
// the bucket's.
func (s *Store) PinFresh(ctx context.Context) (*Pin, error) {
	f, fly, err := s.join(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case fly == nil:
	case objstore.IsNear(s.bucket):
		fly()
	default:
		go fly()
	}
	select {
	case <-f.done:
	case <-ctx.Done():
		s.leave(f)
		return nil, objstore.Ended(ctx)
	}
	if f.err != nil {
		return nil, f.err
	}
	return f.look.pin, nil
}

// join returns the flight that has not begun yet, a new one if need be. The caller runs
// fly, if there is one.
func (s *Store) join(ctx context.Context) (f *flight, fly func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing.Err() != nil {
		return nil, nil, errClosed
	}
	f = s.next
	if f == nil {
		f = &flight{done: make(chan struct{})}
		// Without the first caller's end, but with its values: its requests are
		// counted as that statement's.
		f.ctx, f.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
		s.next = f
		if !s.flying {
			fly = s.begin()
		}
	}
	f.waiting++
	return f, fly, nil
}

// leave gives up waiting; the last to leave ends the flight.
func (s *Store) leave(f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel(context.Canceled)
		if s.next == f {
			s.next = nil
		}
	}
}

// begin makes the next flight the one that is under way, which fly is; s.mu is held.
func (s *Store) begin() (fly func()) {
	f := s.next
	s.next, s.flying = nil, true
	stop := context.AfterFunc(s.closing, func() { f.cancel(errClosed) })
	s.flights.Add(1)
	return func() {
		defer s.flights.Done()
		defer stop()
		defer f.cancel(nil)
		s.fly(f)
	}
}

func (s *Store) fly(f *flight) {
	s.mu.Lock()
	known := s.known
	s.mu.Unlock()
	f.look, f.err = s.look(f.ctx, known)
	s.mu.Lock()
	// pinOwn may know of a commit that came while this look was on its way.
	if f.err == nil && (s.known == known || s.known.head.CommitID <= f.look.head.CommitID) {
		s.known = f.look
	}
	s.flying = false
	if s.next != nil {
		go s.begin()()
	}
	s.mu.Unlock()
	close(f.done)
}
