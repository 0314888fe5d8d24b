package resolver

import (
	"context"
	"maps"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// pinOwn pins the head that this process moved last. It returns nil if that head may not
// be the newest, or if something needed for the pin is not known.
func (s *Store) pinOwn(ctx context.Context) *Pin {
	// Take the state first: its schema objects must not be newer than the head (I6).
	s.mu.Lock()
	known, closed := s.known, s.closing.Err() != nil
	s.mu.Unlock()
	head, since, ok := s.ownHead()
	switch {
	case !ok, closed, known.pin == nil:
		return nil
	case !known.began.After(since):
		return nil // the original may have changed schema objects before this process took the lock
	case known.head == head:
		return known.pin
	}
	view, err := s.log.At(ctx, head)
	if err != nil {
		return nil // if the error persists, PinFresh returns it
	}
	objects, err := known.withSchemaChanges(view)
	if err != nil {
		return nil
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	if newest := s.latestState(); newest.head == head {
		return newest.pin
	}
	now := *known
	now.head, now.headVersion, now.view, now.objects, now.listing = head, objstore.Absent, view, objects, nil
	if now.buildPin(known) != nil {
		return nil
	}
	now.pin.unchangedSince = since
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == known {
		s.known = &now
	}
	return now.pin
}

// withSchemaChanges returns the schema objects that match view. The newest schema change
// of view supplies what the objects lack of it. For older schema changes that the objects
// lack, it adds the versions of the types as the writer of the change does.
func (l *storeState) withSchemaChanges(view *chain.View) (schemaObjects, error) {
	_, newest, err := view.LastSchemaChange(view.Head().Commit)
	if err != nil || newest <= l.head.CommitID {
		return l.objects, err
	}
	rolled := maps.Clone(l.objects)
	put := map[string]bool{}
	for at := newest; ; {
		var change *format.SchemaChange
		if change, at, err = view.LastSchemaChange(at - 1); err != nil {
			return nil, err
		}
		if at <= l.head.CommitID && !l.pin.Catalog.Behind() {
			return rolled, nil
		}
		for i := range change.Versions {
			ref, err := change.Versions[i].Ref()
			key := format.VersionsKey(ref)
			if err == nil && !put[key] && !view.Superseded(ref, at, l.objects.versions(key)) {
				put[key], rolled[key] = true, &schemaObject{value: &change.Versions[i]} // without a version, so that the next refresh reads it
			}
		}
		if at <= l.head.CommitID {
			return rolled, nil
		}
	}
}

func (s *Store) latestState() *storeState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}
