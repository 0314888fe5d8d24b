package resolver

import (
	"context"
	"maps"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
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
	objects, err := known.rolled(view)
	if err != nil {
		return nil
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	if newest := s.newest(); newest.head == head {
		return newest.pin
	}
	now := *known
	now.head, now.headVersion, now.view, now.objects, now.settled = head, objstore.Absent, view, objects, nil
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

// rolled are the schema objects as view needs them. Its newest schema change makes up
// for objects that lack it, but not for those that lack the ones before it, too: of
// those the versions of the types are put in, as their writer puts them in.
func (l *look) rolled(view *chain.View) (schemaObjects, error) {
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
				put[key], rolled[key] = true, &schemaObject{value: &change.Versions[i]} // of no version: the next look reads it
			}
		}
		if at <= l.head.CommitID {
			return rolled, nil
		}
	}
}

func (s *Store) newest() *look {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}
