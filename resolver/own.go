package resolver

import (
	"context"

	"github.com/ontosql/ontosql/objstore"
)

// pinOwn pins the head that this process moved last, nil where that is not
// known to be the newest, or where something is missing for it.
func (s *Store) pinOwn(ctx context.Context) *Pin {
	// The look first: its schema objects must not be newer than the head (I6).
	s.mu.Lock()
	known, closed := s.known, s.closing.Err() != nil
	s.mu.Unlock()
	head, since, ok := s.own()
	switch {
	case !ok, closed, known.pin == nil:
		return nil
	case !known.began.After(since):
		return nil // the original may have changed schema objects before the lock was ours
	case known.head == head:
		return known.pin
	}
	view, err := s.log.At(ctx, head)
	if err != nil {
		return nil // PinFresh meets the same error, if it lasts
	}
	// A schema change makes up for objects that lack it, not for those that lack the
	// one before it too.
	if _, changed, err := view.LastSchemaChange(head.CommitID); err != nil || changed > known.head.CommitID && known.pin.Catalog.Behind() {
		return nil
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	if newest := s.newest(); newest.head == head {
		return newest.pin
	}
	now := *known
	now.head, now.headVersion, now.view = head, objstore.Absent, view
	if now.build(known) != nil {
		return nil
	}
	now.pin.held = since
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == known {
		s.known = &now
	}
	return now.pin
}

func (s *Store) newest() *look {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}
