package session

import (
	"context"
	"errors"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// Reserve takes the write lock for the current statement, unless it holds it. Until unreserve
// no other writer commits, and the next pin is the newest head.
func (s *Session) Reserve(ctx context.Context) error {
	if s.holds() {
		return nil
	}
	if err := s.DB.Storage.Ready(ctx); err != nil {
		return err
	}
	r, err := s.DB.Committer.Reserve(ctx, s.Settings.Timeout("lock_timeout"))
	if err != nil {
		return err
	}
	s.Tx.Reserved = r
	s.DB.Storage.Expire()
	return nil
}

// holds reports whether the session has a reservation that has not ended.
func (s *Session) holds() bool {
	return s.Tx.Reserved != nil && s.Tx.Reserved.Context().Err() == nil
}

// Unreserve releases the lock.
func (s *Session) Unreserve() {
	if s.Tx.Reserved != nil {
		s.Tx.Reserved.Release()
		s.Tx.Reserved = nil
	}
}

// ErrHeadMoved: another commit came before the statement got the write lock. The statement
// has to be planned again.
var ErrHeadMoved = errors.New("another commit came before the lock was there")

// ReserveAtPin is reserve for a statement that has a pin. The error is errHeadMoved if the pin
// is not the newest head.
func (s *Session) ReserveAtPin(ctx context.Context) error {
	if s.holds() {
		return nil
	}
	if err := s.Reserve(ctx); err != nil {
		return err
	}
	newest, err := s.DB.Pin(s.Tx.Reserved.Context())
	if err == nil && newest.Head.Commit != s.Tx.Pin.Head.Commit {
		err = ErrHeadMoved
	}
	return err
}

// UnderLock runs a step with the context of the session's write lock, if it has one. The step
// is cancelled if the lease is lost.
func (s *Session) UnderLock(ctx context.Context, step func(context.Context) error) error {
	if s.Tx.Reserved == nil {
		return step(ctx)
	}
	held := s.Tx.Reserved.Context()
	err := step(held)
	if lost := context.Cause(held); err != nil && ctx.Err() == nil && errors.Is(lost, writepath.ErrLeaseLost) {
		return lost
	}
	return err
}

// HoldNotices holds back the notices of a statement that may be run again. forget drops them,
// send sends them.
func (s *Session) HoldNotices() (forget, send func()) {
	client := s.Start.Notice
	var held []*pgerr.Error
	s.Start.Notice = func(n *pgerr.Error) { held = append(held, n) }
	return func() { held = nil }, func() {
		s.Start.Notice = client
		for _, n := range held {
			if client != nil {
				client(n)
			}
		}
	}
}
