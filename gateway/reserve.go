package gateway

import (
	"context"
	"errors"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// reserve takes the write lock for the statement at hand, if it has not got it yet:
// until unreserve nobody else commits. What the session pins next is the newest head.
func (s *Session) reserve(ctx context.Context) error {
	if s.holds() {
		return nil
	}
	if err := s.db.Storage.Ready(ctx); err != nil {
		return err
	}
	r, err := s.db.Committer.Reserve(ctx, s.settings.Timeout("lock_timeout"))
	if err != nil {
		return err
	}
	s.tx.reserved = r
	s.db.Storage.Expire()
	return nil
}

// holds reports whether the session has a reservation that has not ended.
func (s *Session) holds() bool {
	return s.tx.reserved != nil && s.tx.reserved.Context().Err() == nil
}

// unreserve gives the lock back.
func (s *Session) unreserve() {
	if s.tx.reserved != nil {
		s.tx.reserved.Release()
		s.tx.reserved = nil
	}
}

// errPassed: when the statement had got the lock, another commit had come before it,
// so that it has to be planned again.
var errPassed = errors.New("another commit came before the lock was there")

// reserveAtPin is reserve for a statement that has a pin already, which must still be
// the newest; else the error is errPassed.
func (s *Session) reserveAtPin(ctx context.Context) error {
	if s.holds() {
		return nil
	}
	if err := s.reserve(ctx); err != nil {
		return err
	}
	newest, err := s.db.Pin(s.tx.reserved.Context())
	if err == nil && newest.Head.Commit != s.tx.pin.Head.Commit {
		err = errPassed
	}
	return err
}

// underLock runs a step under the session's reservation, if it has one. A lease that
// is lost breaks it off.
func (s *Session) underLock(ctx context.Context, step func(context.Context) error) error {
	if s.tx.reserved == nil {
		return step(ctx)
	}
	held := s.tx.reserved.Context()
	err := step(held)
	if lost := context.Cause(held); err != nil && ctx.Err() == nil && errors.Is(lost, writepath.ErrLeaseLost) {
		return lost
	}
	return err
}

// holdNotices keeps back what a statement tells the client while it may be run
// again: forget drops it, send tells it.
func (s *Session) holdNotices() (forget, send func()) {
	client := s.start.Notice
	var held []*pgerr.Error
	s.start.Notice = func(n *pgerr.Error) { held = append(held, n) }
	return func() { held = nil }, func() {
		s.start.Notice = client
		for _, n := range held {
			if client != nil {
				client(n)
			}
		}
	}
}
