package gateway

import (
	"context"
	"errors"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// reserve takes the write lock for the current statement, unless it has it. Until unreserve
// nobody else commits, and the next pin is the newest head.
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

// unreserve releases the lock.
func (s *Session) unreserve() {
	if s.tx.reserved != nil {
		s.tx.reserved.Release()
		s.tx.reserved = nil
	}
}

// errHeadMoved: another commit came before the statement got the write lock. The statement
// has to be planned again.
var errHeadMoved = errors.New("another commit came before the lock was there")

// reserveAtPin is reserve for a statement that has a pin. The error is errHeadMoved if the pin
// is not the newest head.
func (s *Session) reserveAtPin(ctx context.Context) error {
	if s.holds() {
		return nil
	}
	if err := s.reserve(ctx); err != nil {
		return err
	}
	newest, err := s.db.Pin(s.tx.reserved.Context())
	if err == nil && newest.Head.Commit != s.tx.pin.Head.Commit {
		err = errHeadMoved
	}
	return err
}

// underLock runs a step with the context of the session's write lock, if it has one. The step
// is cancelled if the lease is lost.
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

// holdNotices holds back the notices of a statement that may be run again. forget drops them,
// send sends them.
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
